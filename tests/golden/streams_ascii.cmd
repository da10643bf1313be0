stepscope report --width 100 --ascii $EXAMPLES/streams_overlap.pt.trace.json.gz
