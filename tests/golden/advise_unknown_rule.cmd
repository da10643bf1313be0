stepscope advise --only input-bound $EXAMPLES/nograph_infer.pt.trace.json.gz
