"""Chrome traces of one ``session.run``, as ``tensorflow.python.client.timeline`` makes them.

>>> from stepscope.tensorflow import timeline
>>> tl = timeline.Timeline("tests/tfprof/conv/run_meta_0.pb.gz")
>>> tl.generate_chrome_trace_format().count('"ph": "X"')
356
"""

import collections
import json
import os
import tempfile

from stepscope import _native
from stepscope._errors import UsageError
from stepscope.tensorflow._protos import message_bytes

AllocationMaximum = collections.namedtuple("AllocationMaximum", ("timestamp", "num_bytes", "tensors"))
AllocationMaximum.__doc__ = """When an allocator's tensors were largest together: ``timestamp`` (microseconds),
``num_bytes``, and the names of the ``tensors`` that lived then."""

StepStatsAnalysis = collections.namedtuple("StepStatsAnalysis", ("chrome_trace", "allocator_maximums"))
StepStatsAnalysis.__doc__ = """``chrome_trace`` (a :class:`ChromeTrace`) and ``allocator_maximums``, an
:class:`AllocationMaximum` by name of the allocator."""

_OP_TIMES = ("schedule", "gpu", "all")


class ChromeTrace:
    """A trace that can be written."""

    def __init__(self, text):
        self._text = text

    def format_to_string(self, pretty=False):
        """The trace as JSON, on one line or indented."""
        return self._text if pretty else json.dumps(json.loads(self._text), separators=(",", ":"))


class Timeline:
    """The timeline of one ``session.run``.

    ``step_stats`` is ``run_metadata.step_stats``, the ``run_metadata`` itself, the serialized bytes of either, or the
    path of a file with them. ``graph`` is taken for TensorFlow's sake and not used.

    Unlike TensorFlow's, it leaves the ``step_stats`` it is given as they are, and every call starts afresh.
    """

    def __init__(self, step_stats, graph=None):
        descriptor = getattr(step_stats, "DESCRIPTOR", None)
        if descriptor is not None and descriptor.name == "RunMetadata":
            step_stats = step_stats.step_stats
        self._message = message_bytes(step_stats, "StepStats", "Timeline()")
        self._graph = graph

    def generate_chrome_trace_format(
        self, show_dataflow=True, show_memory=False, op_time="schedule", *, improved=False
    ):
        """The trace as JSON, byte for byte what TensorFlow's own method gives.

        ``show_dataflow`` draws arrows from the op that made a tensor to those that take it; ``show_memory`` adds
        tensors and what allocators hold. ``op_time`` says what an op's bar is: ``"schedule"``, its time on the host;
        ``"gpu"``, from its first kernel on; ``"all"``, from its start on the host to the end of its last kernel.

        ``improved=True`` gives the trace of ``stepscope timeline``: real threads, kernels tied to the ops that
        launched them, shapes and memory of every op, nanoseconds where they were recorded. ``op_time`` then has no
        meaning, since both times are there.
        """
        if improved:
            return _native._timeline_improved(self._message, bool(show_dataflow), bool(show_memory))
        return self._analyze(show_dataflow, show_memory, op_time)[0]

    def analyze_step_stats(self, show_dataflow=True, show_memory=True, op_time="schedule"):
        """The trace, and when each allocator held most: a :class:`StepStatsAnalysis`.

        >>> from stepscope.tensorflow.timeline import Timeline
        >>> analysis = Timeline("tests/tfprof/conv/run_meta_0.pb.gz").analyze_step_stats()
        >>> analysis.allocator_maximums["mklcpu"].num_bytes
        694800
        """
        text, peaks = self._analyze(show_dataflow, show_memory, op_time)
        maximums = {name: AllocationMaximum(micros, size, set(tensors)) for name, micros, size, tensors in peaks}
        return StepStatsAnalysis(ChromeTrace(text), maximums)

    def _analyze(self, show_dataflow, show_memory, op_time):
        if op_time not in _OP_TIMES:
            raise UsageError(f"op_time is one of {', '.join(_OP_TIMES)}, not {op_time!r}")
        return _native._timeline_text(self._message, bool(show_dataflow), bool(show_memory), op_time)


class TimelineMerger:
    """Several runs in one trace.

    Rows are found by the name of their device, whatever number each run gave it; arrows and objects get ids of their
    own; a track of its own shows where each run begins and ends, and a first run that took much longer is marked as
    warm-up.

    >>> import os, tempfile
    >>> from stepscope.tensorflow import timeline
    >>> merger = timeline.TimelineMerger()
    >>> for run in range(3):
    ...     tl = timeline.Timeline(f"tests/tfprof/conv/run_meta_{run}.pb.gz")
    ...     merger.update_timeline(tl.generate_chrome_trace_format())
    >>> merger.save(os.path.join(tempfile.mkdtemp(), "merged.json"))
    """

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="stepscope-")
        self._paths = []

    def update_timeline(self, chrome_trace):
        """Adds a run: the text of a Chrome trace, its bytes, or what ``json.loads`` made of it."""
        if isinstance(chrome_trace, (dict, list)):
            chrome_trace = json.dumps(chrome_trace)
        if isinstance(chrome_trace, str):
            chrome_trace = chrome_trace.encode()
        if not isinstance(chrome_trace, (bytes, bytearray, memoryview)):
            raise TypeError(f"update_timeline() takes a Chrome trace as text, not {type(chrome_trace).__name__}")
        path = os.path.join(self._folder.name, f"run_{len(self._paths):04}.json")
        with open(path, "wb") as file:
            file.write(chrome_trace)
        self._paths.append(path)

    def save(self, f_name):
        """Writes the merged trace; a name in ``.gz`` is compressed, ``.pftrace`` is for Perfetto."""
        if not self._paths:
            raise UsageError("there is no run yet", next_step="call update_timeline() first")
        _native._merge_timelines(self._paths, os.fspath(f_name))
