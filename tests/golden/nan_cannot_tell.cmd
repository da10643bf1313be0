stepscope nan $DATA/tf/tfdbg/SHAPE
