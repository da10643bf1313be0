stepscope advise --format sarif --only kernel-launch-bound --only h2d-pageable $EXAMPLES/nograph_infer.pt.trace.json.gz | sed -n '1,8p; /"results"/,$p'
