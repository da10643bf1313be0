"""What the recorder's hook touches of TensorFlow 1's sessions. RunMetadata is written by hand: one device, one op a run."""

import time

__version__ = "1.99.0"


def _varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _field(number, content):
    if isinstance(content, int):
        return _varint(number << 3) + _varint(content)
    return _varint(number << 3 | 2) + _varint(len(content)) + content


class RunOptions:
    FULL_TRACE = 3

    def __init__(self, trace_level=0):
        self.trace_level = trace_level


class RunMetadata:
    def SerializeToString(self):  # noqa: N802
        start = time.time_ns() // 1000
        node = _field(1, b"MatMul") + _field(2, start) + _field(4, 5) + _field(5, 100) + _field(6, 120)
        device = _field(1, b"/job:localhost/replica:0/task:0/device:CPU:0") + _field(2, node)
        return _field(1, _field(1, device))


class _Graph:
    def as_graph_def(self):
        class GraphDef:
            def SerializeToString(self):  # noqa: N802
                return _field(1, _field(1, b"MatMul") + _field(2, b"MatMul"))

        return GraphDef()


class _BaseSession:
    graph = _Graph()

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        time.sleep(0.002)
        return fetches


class Session(_BaseSession):
    pass


class _V1:
    Session = Session
    RunOptions = RunOptions
    RunMetadata = RunMetadata


class compat:  # noqa: N801
    v1 = _V1
