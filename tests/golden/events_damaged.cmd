stepscope events $DATA/tf/events/damaged --width 120
