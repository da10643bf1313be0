stepscope nan $EXAMPLES/logs
