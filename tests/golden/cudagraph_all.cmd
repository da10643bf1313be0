stepscope report --all --width 120 $EXAMPLES/cudagraph_infer.pt.trace.json.gz
