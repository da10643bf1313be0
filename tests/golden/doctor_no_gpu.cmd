stepscope doctor --root ../machines/no_gpu --width 120
