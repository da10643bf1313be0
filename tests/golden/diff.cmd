stepscope diff --width 120 --top 6 $EXAMPLES/nograph_infer.pt.trace.json.gz $EXAMPLES/cudagraph_infer.pt.trace.json.gz
