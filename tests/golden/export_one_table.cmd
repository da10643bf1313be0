stepscope export $EXAMPLES/streams_overlap.pt.trace.json.gz -o $TMP/steps.csv --tables steps && cut -d, -f1-6 $TMP/steps.csv
stepscope export $EXAMPLES/streams_overlap.pt.trace.json.gz -o $TMP/x.csv
stepscope export $EXAMPLES/streams_overlap.pt.trace.json.gz -o $TMP/x --tables slics
stepscope export $EXAMPLES/streams_overlap.pt.trace.json.gz -o $TMP/x.folded --stack hlo
stepscope export $EXAMPLES/streams_overlap.pt.trace.json.gz -o $TMP/x --device tpu:9
