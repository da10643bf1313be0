stepscope events --json $EXAMPLES/logs --run "late_start|lr_0.1/train"
