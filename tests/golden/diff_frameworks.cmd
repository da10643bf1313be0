stepscope diff --top 2 $DATA/h200/jax_mlp.xplane.pb.zst $EXAMPLES/nograph_infer.pt.trace.json.gz | head -2
