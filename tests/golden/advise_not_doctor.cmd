stepscope advise --machine ../../docs/report.schema.json $EXAMPLES/nograph_infer.pt.trace.json.gz
