stepscope query --lang zh "ATTACH 'x.db' AS y" $EXAMPLES/streams_overlap.pt.trace.json.gz
