stepscope nan --json $EXAMPLES/tfdbg
