stepscope diff --format junit $EXAMPLES/nograph_infer.pt.trace.json.gz $EXAMPLES/cudagraph_infer.pt.trace.json.gz
