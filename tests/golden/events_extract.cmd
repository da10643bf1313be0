stepscope events $EXAMPLES/logs --run graph --extract $TMP/out && stepscope events $EXAMPLES/logs --run graph --extract $TMP/out
