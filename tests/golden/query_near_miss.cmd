stepscope query "SELECT nme FROM slice" $EXAMPLES/streams_overlap.pt.trace.json.gz
