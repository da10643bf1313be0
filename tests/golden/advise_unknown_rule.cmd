stepscope advise --only input-bound $EXAMPLES/nograph_infer.pt.trace.json.gz; stepscope explain input-bond; stepscope explain nothing-like-it
