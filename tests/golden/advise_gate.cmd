stepscope advise --fail-on high --only kernel-launch-bound --format github $EXAMPLES/nograph_infer.pt.trace.json.gz
