stepscope nan $EXAMPLES/tfdbg --all && stepscope nan $EXAMPLES/tfdbg --graph $TMP/g.dot >/dev/null && cat $TMP/g.dot
