stepscope timeline --align collectives -o $TMP/t.json.gz $DATA/ranks/*.zst && echo written
stepscope timeline --align collectives -o $TMP/t.json.gz $EXAMPLES/nograph_infer.pt.trace.json.gz $EXAMPLES/cudagraph_infer.pt.trace.json.gz
