stepscope doctor --root ../machines/two_sockets --width 120
