stepscope diff --lang zh --width 120 --top 3 $EXAMPLES/nograph_infer.pt.trace.json.gz $EXAMPLES/cudagraph_infer.pt.trace.json.gz
