"""Views of a model: by name scope, along the graph, by kind of op, by line of Python."""

import sys

from stepscope import _native
from stepscope._messages import parse, tensorflow_imported
from stepscope.tensorflow._protos import message_bytes
from stepscope.tensorflow.profiler import _options
from stepscope.tensorflow.profiler.option_builder import ProfileOptionBuilder
from stepscope.tensorflow.profiler.tfprof_logger import current_graph, graph_bytes, op_log_bytes

# What advise() looks for by default.
ALL_ADVICE = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}

_MESSAGES = {"scope": "GraphNodeProto", "graph": "GraphNodeProto", "op": "MultiGraphNodeProto",
             "code": "MultiGraphNodeProto"}


def _shown(kind, answer):
    """Prints what there is to print and returns the message."""
    out, notes, message = answer
    for note in notes:
        print(note, file=sys.stderr)
    if out:
        sys.stdout.write(out)
        sys.stdout.flush()
    return parse(kind, message)


def _checkers(options):
    for checker, settings in (options or {}).items():
        if settings:  # TensorFlow's checkers have none, and it fails in these words
            raise TypeError("'CheckerOption' object does not support item assignment")
        if not isinstance(checker, str):
            raise TypeError("bad argument type for built-in operation")
    return list(options or {})


def _is_empty(options):
    """The 0 that stands for "the default" in TensorFlow's signatures."""
    return not isinstance(options, dict) and options == 0


class Profiler:
    """The profiler of several steps.

    ``graph`` is a ``tf.Graph`` (by default the current one), a GraphDef, its bytes or its path; ``op_log`` an
    OpLogProto, its bytes or its path. ``cmd`` is the view that :meth:`profile` shows. Unlike TensorFlow's, there may
    be any number of them at once, in any thread, and they print to ``sys.stdout``, so that notebooks show it.

    >>> from stepscope.tensorflow.profiler import Profiler, ProfileOptionBuilder
    >>> p = Profiler("tests/tfprof/conv/graph.pb.gz", "tests/tfprof/conv/op_log.gz")
    >>> for step in range(3):
    ...     p.add_step(step, f"tests/tfprof/conv/run_meta_{step}.pb.gz")
    >>> options = ProfileOptionBuilder.time_and_memory()
    >>> options["output"] = "none"
    >>> top = p.profile_operations(options).children[0]
    >>> top.name, top.exec_micros
    ('Conv2DBackpropFilter', 1311)
    """

    def __init__(self, graph=None, op_log=None, cmd="scope"):
        self._graph = current_graph(graph)
        self._cmd = cmd
        self._native = _native._TfProfiler()
        self._native.add_graph(graph_bytes(self._graph))
        self._native.add_op_log(op_log_bytes(self._graph, op_log))

    def add_step(self, step, run_meta):
        """Adds what a ``session.run`` recorded; runs of the same ``step`` are added up.

        ``run_meta`` is a RunMetadata, its bytes or its path.
        """
        message = message_bytes(run_meta, "RunMetadata", "add_step()")
        if hasattr(self._graph, "get_operations"):
            op_log = op_log_bytes(self._graph, run_meta=run_meta)  # completes the graph's shapes, too
            self._native.add_graph(graph_bytes(self._graph))
        else:
            op_log = b""
        if not self._native.add_run(step, message):
            print(f"Invalid RunMetadata for step {step}", file=sys.stderr)
        self._native.add_op_log(op_log)

    def _show(self, view, options):
        return _shown(_MESSAGES[view], self._native.show(view, _options.encode(options)))

    def profile_name_scope(self, options):
        """By name scope; returns a GraphNodeProto."""
        return self._show("scope", options)

    def profile_graph(self, options):
        """Along the edges of the graph; returns a GraphNodeProto."""
        return self._show("graph", options)

    def profile_operations(self, options):
        """By kind of op; returns a MultiGraphNodeProto."""
        return self._show("op", options)

    def profile_python(self, options):
        """By line of Python; returns a MultiGraphNodeProto."""
        return self._show("code", options)

    def profile(self, options=None):
        """The view that ``cmd`` named when the profiler was made."""
        return self._show(_view(self._cmd), ProfileOptionBuilder().build() if options is None else options)

    def advise(self, options=ALL_ADVICE):
        """What the checkers have to say; returns an AdviceProto. ``stepscope advise`` knows more."""
        return _shown("AdviceProto", self._native.advise(_checkers(options)))

    def serialize_to_string(self):
        """The whole profile as a serialized ProfileProto, for ``stepscope view`` or TensorFlow's profiler."""
        return self._native.serialize()

    def _write_profile(self, filename):
        with open(filename, "wb") as file:
            file.write(self.serialize_to_string())


def _view(cmd):
    if cmd in _MESSAGES:
        return cmd
    if tensorflow_imported():
        from tensorflow.python.framework import errors

        raise errors.InvalidArgumentError(None, None, f"unknown cmd: {cmd}\n")
    raise ValueError(f"unknown cmd: {cmd}\n")


def _one_run(graph, run_meta, op_log, add_trace):
    graph = current_graph(graph)
    native = _native._TfProfiler()
    log = op_log_bytes(graph, op_log, run_meta, add_trace)  # completes the graph's shapes, too
    native.add_graph(graph_bytes(graph))
    if run_meta is not None:
        native.add_run(0, message_bytes(run_meta, "RunMetadata", "run_meta"))
    native.add_op_log(log)
    return native


def profile(graph=None, run_meta=None, op_log=None, cmd="scope", options=0):
    """One view of one run.

    ``cmd`` is ``"scope"`` or ``"graph"`` (a GraphNodeProto is returned), ``"op"`` or ``"code"`` (a
    MultiGraphNodeProto). ``options`` are those of :class:`ProfileOptionBuilder`; by default the parameters of the
    trainable variables are shown.
    """
    if _is_empty(options):
        options = ProfileOptionBuilder.trainable_variables_parameter()
    view = _view(cmd)
    native = _one_run(graph, run_meta, op_log, cmd == "code")
    return _shown(_MESSAGES[view], native.show(view, _options.encode(options)))


def advise(graph=None, run_meta=None, options=0):
    """What TensorFlow's checkers have to say of one run; returns an AdviceProto."""
    if _is_empty(options):
        options = ALL_ADVICE
    return _shown("AdviceProto", _one_run(graph, run_meta, None, True).advise(_checkers(options)))
