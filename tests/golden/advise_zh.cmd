stepscope advise --lang zh --width 80 $EXAMPLES/resnet50_inputbound.pt.trace.json.gz
