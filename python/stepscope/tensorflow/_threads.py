"""How many threads TensorFlow should use on this machine's CPU."""

import os


class ThreadSettings(dict):
    """Settings as keyword arguments: ``tf.compat.v1.ConfigProto(**settings)``; ``environment`` for OpenMP, ``why``."""

    def __init__(self, intra, inter, environment, why):
        super().__init__(intra_op_parallelism_threads=intra, inter_op_parallelism_threads=inter)
        self.environment = environment
        self.why = why

    def apply(self):
        """Sets them for this process; before TensorFlow has run anything."""
        os.environ.update(self.environment)
        import tensorflow as tf

        tf.config.threading.set_intra_op_parallelism_threads(self["intra_op_parallelism_threads"])
        tf.config.threading.set_inter_op_parallelism_threads(self["inter_op_parallelism_threads"])
        return self

    def __str__(self):
        return (
            f"intra_op_parallelism_threads={self['intra_op_parallelism_threads']}, "
            f"inter_op_parallelism_threads={self['inter_op_parallelism_threads']}: {self.why}"
        )


def _read(path):
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return ""


def _quota(root="/sys/fs/cgroup"):
    """CPUs that a container may use, or None without a limit."""
    parts = _read(f"{root}/cpu.max").split()
    if len(parts) == 2 and parts[0] != "max":
        return int(parts[0]) / int(parts[1])
    quota, period = _read(f"{root}/cpu/cpu.cfs_quota_us"), _read(f"{root}/cpu/cpu.cfs_period_us")
    return int(quota) / int(period) if quota and period and int(quota) > 0 else None


def topology(cpus=None, root="/sys/devices/system/cpu"):
    """(logical CPUs that this process may use, physical cores among them, sockets among them)."""
    cpus = sorted(os.sched_getaffinity(0)) if cpus is None else cpus
    cores, sockets = set(), set()
    for cpu in cpus:
        folder = f"{root}/cpu{cpu}/topology"
        package, core = _read(f"{folder}/physical_package_id") or "0", _read(f"{folder}/core_id")
        cores.add((package, core or cpu))
        sockets.add(package)
    return len(cpus), max(len(cores), 1), max(len(sockets), 1)


def thread_settings(*, cpus=None, quota=None):
    """Thread settings for this CPU: one thread a physical core within an op, one inter-op thread a socket beside it.

    Two threads of one core share its arithmetic units, and more threads than the container may run at once take turns:
    so the count is that of physical cores this process may use, and no more than its CPU quota. ``cpus`` (a list of
    logical CPUs) and ``quota`` stand in for what this process has.

    >>> from stepscope.tensorflow import thread_settings
    >>> settings = thread_settings()
    >>> settings["intra_op_parallelism_threads"] >= 1
    True
    """
    logical, physical, sockets = topology(cpus)
    limit = _quota() if quota is None else quota
    intra = max(1, physical if limit is None else min(physical, int(limit)))
    inter = max(1, min(sockets if sockets > 1 else 2, intra))
    why = f"{physical} physical cores ({logical} logical) on {sockets} socket{'s' if sockets > 1 else ''} may be used"
    if limit is not None and limit < physical:
        why += f", and the container's quota is {limit:g} CPUs"
    environment = {"OMP_NUM_THREADS": str(intra), "KMP_BLOCKTIME": "1", "KMP_AFFINITY": "granularity=fine,compact,1,0"}
    return ThreadSettings(intra, inter, environment, why)
