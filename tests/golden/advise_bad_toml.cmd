printf '[thresholds]\n\ninput-moderate = soon\n' >$TMP/s.toml; stepscope advise --config $TMP/s.toml $EXAMPLES/nograph_infer.pt.trace.json.gz
