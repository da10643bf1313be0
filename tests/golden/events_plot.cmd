stepscope events $EXAMPLES/logs --tag '^loss$' --run 'old|lr_0.2|restarted' --plot --ascii --width 90
