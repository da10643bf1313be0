"""Where variables go when a model is built for several GPUs, for ``with tf.device(…)``."""

VARIABLE_OPS = ("Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable", "MutableHashTable", "MutableHashTableV2")

# Bytes of an element by TensorFlow's number of the type; what is not here counts 4.
_SIZES = {1: 4, 2: 8, 3: 4, 4: 1, 5: 2, 6: 1, 8: 8, 9: 8, 10: 1, 14: 2, 17: 2, 18: 16, 19: 2, 22: 4, 23: 8}


def _of(op):
    """(kind, attributes, device) of an operation or of a NodeDef."""
    node = getattr(op, "node_def", op)
    return node.op, node.attr, node.device


def _bytes_of(attributes):
    shape = attributes["shape"].shape if "shape" in attributes else None
    if shape is None or shape.unknown_rank:
        return 0
    count = 1
    for dim in shape.dim:
        count *= max(dim.size, 0)
    return count * _SIZES.get(attributes["dtype"].type % 100, 4)


class LeastLoadedDeviceSetter:
    """Puts each new variable on the device that holds fewest bytes of them, and all else on the worker.

    ``worker`` is the device of the computation, ``ps_devices`` are those for variables. Variables are weighed by
    bytes; of equally loaded devices the first is taken. An op that names a device already keeps it.

    >>> from stepscope.tensorflow import LeastLoadedDeviceSetter
    >>> setter = LeastLoadedDeviceSetter("/gpu:0", ["/gpu:0", "/gpu:1"])
    >>> # with tf.device(setter): build_tower()
    >>> setter.ps_sizes
    [0, 0]
    """

    def __init__(self, worker, ps_devices):
        self.worker_device = worker
        self.ps_devices = [ps_devices] if isinstance(ps_devices, str) else list(ps_devices)
        if not self.ps_devices:
            raise ValueError("ps_devices is empty: name at least one device for variables")
        self.ps_sizes = [0] * len(self.ps_devices)

    def __call__(self, op):
        kind, attributes, device = _of(op)
        if device:
            return device
        if kind not in VARIABLE_OPS:
            return self.worker_device
        lightest = min(range(len(self.ps_sizes)), key=self.ps_sizes.__getitem__)
        self.ps_sizes[lightest] += _bytes_of(attributes)
        return self.ps_devices[lightest]


def variables_on_cpu(worker="/gpu:0", cpu="/cpu:0"):
    """A device function that puts variables on the CPU and all else on the worker.

    >>> from stepscope.tensorflow import variables_on_cpu
    >>> place = variables_on_cpu("/gpu:1")
    >>> # with tf.device(place): build_tower()
    """
    return LeastLoadedDeviceSetter(worker, [cpu])
