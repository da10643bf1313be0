stepscope doctor --root ../machines/eight_gpus --width 120
