NO_COLOR=1 stepscope advise --ascii --width 140 $EXAMPLES/nograph_infer.pt.trace.json.gz
