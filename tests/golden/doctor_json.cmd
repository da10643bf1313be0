stepscope doctor --json --root ../machines/container_quota
