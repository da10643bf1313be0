"""TensorFlow and Keras: train batches, calls of tf.function and session runs mark the steps. tf.profiler records the
window; of sessions (TensorFlow 1) RunMetadata does."""

import functools
import glob
import os
import sys
import threading


class TensorFlowProfiler:
    ours = taken = False
    marking = annotated = False  # our mark is being made; the program makes its own

    def __init__(self, tensorflow):
        self.tensorflow = tensorflow
        self.path = None
        self.marker = None
        self.sessions = False  # RunMetadata instead, one file a run
        self.files = []
        self.graph_written = False

    def busy(self):
        return "the program runs tf.profiler itself: its profile is its own, and none was taken beside it" if self.taken else None

    def start(self, path, step, window):
        self.path = path
        self.files = []
        if self.sessions:
            return
        self.tensorflow.profiler.experimental.start(path + "-tf")
        self._mark(step)

    def _mark(self, step):
        if self.marker is not None:
            self.marker.__exit__(None, None, None)
            self.marker = None
        if step is not None and not self.annotated:
            self.marking = True
            self.marker = self.tensorflow.profiler.experimental.Trace("train", step_num=step, _r=1)
            self.marking = False
            self.marker.__enter__()

    def step(self, step):
        if not self.sessions:
            self._mark(step)

    def stop(self):
        if self.sessions:
            return self.files
        self._mark(None)
        self.tensorflow.profiler.experimental.stop()
        return sorted(glob.glob(os.path.join(self.path + "-tf", "**", "*.xplane.pb"), recursive=True))

    def write(self, session, metadata):
        if not self.graph_written:
            self.graph_written = True
            self._save("graph.pb", session.graph.as_graph_def())
        self._save("run_metadata_%d.pb" % len(self.files), metadata)

    def _save(self, name, message):
        path = "%s-%s" % (self.path, name)
        with open(path + ".part", "wb") as file:
            file.write(message.SerializeToString())
        os.replace(path + ".part", path)
        self.files.append(path)


def _top_level():
    return threading.current_thread() is threading.main_thread()


def install(hook, recorder, tensorflow):
    driver = TensorFlowProfiler(tensorflow)
    recorder.frameworks("TensorFlow", tensorflow.__version__, driver)
    recorder.watch_clock()
    if recorder.tuned is not None:
        hook.guarded(_keep_tuned)(recorder.tuned, tensorflow)
    experimental = getattr(getattr(tensorflow, "profiler", None), "experimental", None)
    if experimental is not None:  # TensorFlow 2
        owners = [experimental, sys.modules.get("tensorflow.python.profiler.profiler_v2", experimental)]
        hook.guarded(hook.give_way)(recorder, driver, owners, "start", "stop")
        hook.guarded(hook.watch_annotations)(driver, experimental.Trace)
    hook.guarded(_install_sessions)(hook, recorder, tensorflow, driver)
    hook.guarded(_install_functions)(hook, recorder)


def _keep_tuned(tuned, tensorflow):
    threading_of = getattr(getattr(tensorflow, "config", None), "threading", None)
    if threading_of is not None:
        tuned.keep_calls("tensorflow.config.threading", threading_of)
    tuned.keep_sessions(tensorflow.compat.v1.Session)


def _install_sessions(hook, recorder, tensorflow, driver):
    session = tensorflow.compat.v1.Session
    owner = next(base for base in session.__mro__ if "run" in base.__dict__)
    original = owner.run

    @functools.wraps(original)
    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        ours = None
        if recorder.active and driver.sessions and options is None and run_metadata is None:
            try:
                options = tensorflow.compat.v1.RunOptions(trace_level=tensorflow.compat.v1.RunOptions.FULL_TRACE)
                run_metadata = ours = tensorflow.compat.v1.RunMetadata()
            except Exception:  # pylint: disable=broad-except
                options = run_metadata = ours = None
        result = original(self, fetches, feed_dict, options, run_metadata)
        after(self, ours)
        return result

    @hook.guarded
    def after(session, metadata):
        if metadata is not None:
            driver.write(session, metadata)
        if _top_level():
            driver.sessions = driver.sessions or not recorder.active
            recorder.mark("session.run")

    owner.run = run


def _install_functions(hook, recorder):
    """Calls of the tf.function that is called most, outermost ones only, are steps of a loop written by hand."""
    try:
        from tensorflow.python.eager.polymorphic_function import polymorphic_function
    except ImportError:
        return  # TensorFlow 1 and early 2 keep it elsewhere; sessions and Keras mark their steps

    function = polymorphic_function.Function
    original = function.__call__
    calls = {}
    inside = threading.local()

    @functools.wraps(original)
    def call(self, *args, **kwargs):
        depth = getattr(inside, "depth", 0)
        inside.depth = depth + 1
        try:
            return original(self, *args, **kwargs)
        finally:
            inside.depth = depth
            if depth == 0:
                after(self)

    @hook.guarded
    def after(function):
        if not _top_level() or recorder.source == "train batch":
            return
        calls[id(function)] = calls.get(id(function), 0) + 1
        if calls[id(function)] >= 3 and calls[id(function)] == max(calls.values()):
            recorder.mark("function call", id(function))

    function.__call__ = call


def install_keras(hook, recorder, module):
    callbacks = getattr(module, "CallbackList", None)
    if callbacks is None or getattr(callbacks, "_stepscope", False):
        return
    callbacks._stepscope = True
    # Keras on JAX or PyTorch brings their profiler; the first framework imported has it.
    if recorder.driver is None and "tensorflow" not in sys.modules:
        return
    for name in ("on_train_batch_end", "on_predict_batch_end", "on_test_batch_end"):
        original = getattr(callbacks, name, None)
        if original is None:
            continue

        def end(self, *args, _original=original, **kwargs):
            result = _original(self, *args, **kwargs)
            hook.guarded(recorder.mark)("train batch")
            return result

        setattr(callbacks, name, functools.wraps(original)(end))
