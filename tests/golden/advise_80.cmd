stepscope advise --width 80 $EXAMPLES/resnet50_inputbound.pt.trace.json.gz
