stepscope nan "$UNPACKED/tf/tfdbg/SHAPE"
