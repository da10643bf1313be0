stepscope events $EXAMPLES/logs
