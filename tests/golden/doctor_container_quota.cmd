stepscope doctor --root ../machines/container_quota --width 120
