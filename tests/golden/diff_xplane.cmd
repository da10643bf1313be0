stepscope diff --width 120 --top 3 $DATA/h200/jax_mlp.xplane.pb.zst $DATA/h200/jax_mlp.trace.json.zst
