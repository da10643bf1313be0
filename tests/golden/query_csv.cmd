stepscope query --format csv "SELECT step_id, number, dur, idle_ns FROM step; " $EXAMPLES/resnet50_inputbound.pt.trace.json.gz
