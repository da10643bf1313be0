stepscope diff --width 100 --top 2 $EXAMPLES/nograph_infer.pt.trace.json.gz $EXAMPLES/nograph_infer.pt.trace.json.gz
