"""Finding the op that made the first NaN or infinity.

>>> import stepscope
>>> with stepscope.nan.watch():                   # doctest: +SKIP
...     model.fit(data)
stepscope.nan.NotFinite: Log made the first NaN or Inf …
"""

import contextlib
import json
import os
import sys
import tempfile
import traceback

from stepscope import _native


class NotFinite(ArithmeticError):
    """A tensor held a NaN or an infinity.

    ``str()`` says which op made it and where that op was created; ``op``, ``op_type``, ``line`` (the program's own,
    "model.py:12: return tf.math.log(x)", or empty) and ``found`` (the answer of ``stepscope nan --json``) hold it for
    programs. The framework's own error is the ``__cause__``.
    """

    def __init__(self, text, found, line=""):
        super().__init__(f"{text}\n  at {line}" if line else text)
        self.found = found
        self.line = line
        source = found.get("source") or {}
        self.op = source.get("op") or ""
        self.op_type = source.get("op_type") or ""


def _from_error(error):
    """What a CheckNumerics error says, or None when it is another error."""
    text, answer = _native._nan_in_log(str(error))
    found = json.loads(answer)
    return NotFinite(text.rstrip(), found, _own_line(error)) if found.get("source") else None


_FRAMEWORKS = ("tensorflow", "keras", "tf_keras", "stepscope", "wrapt")


def _own_line(error):
    """The program's line that made the op: the innermost frame of the traceback that is no framework's."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        parts = os.path.normpath(frame.filename).split(os.sep)
        if any(part in _FRAMEWORKS for part in parts) or "__autograph_generated" in frame.filename:
            continue
        return f"{frame.filename}:{frame.lineno}: {frame.line}"
    return ""


def _tensorflow():
    import tensorflow as tf

    return tf


def watch(what=None, *, dump=None):
    """Watches for the first NaN or infinity and says which op made it.

    For TensorFlow 2 (``what`` is a model, or nothing) it is used as ``with stepscope.nan.watch(model): …``. Every op
    that runs inside is checked, and the first one that is not finite raises :class:`NotFinite` with the program's line.
    Functions run op by op meanwhile, those that were traced before included: that is slow, and exact. With ``dump="directory"`` (or ``dump=True`` for a temporary one) nothing is raised while it runs: TensorFlow
    writes what every op gave, and at the end of the ``with`` the source is told, how it spread included. Functions that
    were traced inside go on writing there: make them anew for speed.

    For TensorFlow 1 (``what`` is a ``tf.compat.v1.Session``) the result is a session whose ``run`` checks every float
    of the graph, in the order of the ops, and raises :class:`NotFinite`. Ops of loops and conditions cannot be checked
    there; ``unchecked`` lists them.
    """
    if what is not None and hasattr(what, "graph") and hasattr(what, "run"):
        if dump:
            raise ValueError("dump is for TensorFlow 2; a session is checked while it runs")
        return CheckedSession(what)
    return _dumped(dump) if dump else _checked()


@contextlib.contextmanager
def _checked():
    """Functions run op by op inside: one that was traced before holds no checks, and one that is traced inside would keep them. So
    a model that was fitted before is checked too, and nothing is left behind."""
    tf = _tensorflow()
    eagerly = tf.config.functions_run_eagerly()
    tf.debugging.enable_check_numerics()
    tf.config.run_functions_eagerly(True)
    try:
        yield
    except tf.errors.InvalidArgumentError as error:
        found = _from_error(error)
        if found is None:
            raise
        raise found from error
    finally:
        tf.config.run_functions_eagerly(eagerly)
        tf.debugging.disable_check_numerics()


class Hunt:
    """What :func:`watch` with ``dump`` gives: after the ``with``, ``text`` and ``found`` (None: all was finite)."""

    def __init__(self, directory):
        self.directory = directory
        self.text = ""
        self.found = None


@contextlib.contextmanager
def _dumped(dump):
    tf = _tensorflow()
    hunt = Hunt(tempfile.mkdtemp(prefix="stepscope-nan-") if dump is True else os.fspath(dump))
    writer = tf.debugging.experimental.enable_dump_debug_info(
        hunt.directory, tensor_debug_mode="FULL_HEALTH", circular_buffer_size=-1
    )
    try:
        yield hunt
    finally:
        writer.FlushNonExecutionFiles()
        writer.FlushExecutionFiles()
        _stop_dumping(tf, type(writer))
        hunt.text, answer = _native._nan_in_dump(hunt.directory)
        found = json.loads(answer)
        hunt.found = found if found.get("source") else None
        sys.stdout.write(hunt.text)


def _stop_dumping(tf, writer_type):
    """Stops it without closing the files: a function that was traced meanwhile goes on writing, and TensorFlow crashes
    when the file it writes to is closed."""
    close = writer_type.Close
    writer_type.Close = lambda self: None
    try:
        tf.debugging.experimental.disable_dump_debug_info()
    finally:
        writer_type.Close = close


class CheckedSession:
    """A ``tf.compat.v1.Session`` whose :meth:`run` checks every float it computes. All else is the session's own."""

    def __init__(self, session):
        self._session = session
        self._checks, self._version = None, None
        self.unchecked = []

    def __getattr__(self, name):
        return getattr(self._session, name)

    def __enter__(self):
        self._session.__enter__()
        return self

    def __exit__(self, *error):
        return self._session.__exit__(*error)

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """As the session's; raises :class:`NotFinite` when an op on the way to the fetches is not finite."""
        tf = _tensorflow()
        checks = self._checks_for(tf, fetches)
        try:
            return self._session.run([fetches, checks], feed_dict, options, run_metadata)[0]
        except tf.errors.InvalidArgumentError as error:
            found = _from_error(error)
            if found is None:
                raise
            raise found from error

    def _checks_for(self, tf, fetches):
        """Checks of all that the fetches need, earliest first: each waits for the one before it."""
        graph = self._session.graph
        needed = _ancestors(graph, fetches)
        checks = []
        self.unchecked = []
        known = self.__dict__.setdefault("_by_tensor", {})
        with graph.as_default(), tf.name_scope("stepscope_nan"):
            for op in [op for op in graph.get_operations() if op in needed]:
                for output in op.outputs:
                    if output.dtype not in (tf.float16, tf.float32, tf.float64, tf.bfloat16):
                        continue
                    if op._get_control_flow_context() is not None or not graph.is_fetchable(output):
                        self.unchecked.append(op.name)
                        continue
                    if output.name not in known:
                        with tf.control_dependencies(checks[-1:]), tf.device(op.device or None):
                            message = f"{op.name}:{output.value_index}"
                            known[output.name] = tf.debugging.check_numerics(output, message).op
                    checks.append(known[output.name])
        return checks


def _ancestors(graph, fetches):
    """The ops that the fetches need."""
    waiting = []
    for fetch in _flat(fetches):
        element = graph.as_graph_element(getattr(fetch, "handle", fetch) if isinstance(fetch, str) else fetch)
        waiting.append(element if hasattr(element, "control_inputs") else element.op)
    seen = set(waiting)
    while waiting:
        op = waiting.pop()
        for source in [*(tensor.op for tensor in op.inputs), *op.control_inputs]:
            if source not in seen:
                seen.add(source)
                waiting.append(source)
    return seen


def _flat(fetches):
    if isinstance(fetches, dict):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        for fetch in fetches:
            yield from _flat(fetch)
    elif fetches is not None:
        yield fetches
