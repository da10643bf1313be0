stepscope events "$UNPACKED/tf/events/damaged" --width 120
