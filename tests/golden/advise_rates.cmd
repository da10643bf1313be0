stepscope advise --width 100 --only input-bound-differential --rates full=100,trivial=105,synthetic=250 $EXAMPLES/resnet50_inputbound.pt.trace.json.gz
