stepscope diff --format github --fail-on slower-or-cannot-tell $EXAMPLES/nograph_infer.pt.trace.json.gz $EXAMPLES/cudagraph_infer.pt.trace.json.gz
