stepscope report --width 140 $EXAMPLES/resnet50_inputbound.pt.trace.json.gz
