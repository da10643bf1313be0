"""A Keras callback that profiles a window of training and says what the step is bound by."""

import os
import sys
import weakref

from stepscope._told import Told, harmless, warn

_KERAS_2 = ("tf_keras.", "keras.src.engine", "keras.engine", "tensorflow.python.keras")


def _default(method):
    """A hook that does nothing, marked as Keras marks its own, so that evaluation may run ahead of it."""
    method._is_default = True
    return method


def window(profile_batch):
    """(first, last) batch to profile, counted from 1; (0, 0) for none.

    >>> from stepscope.tensorflow._callback import window
    >>> window("500,520"), window(5), window((2, 4)), window(0)
    ((500, 520), (5, 5), (2, 4), (0, 0))
    """
    given = profile_batch
    try:
        if isinstance(given, str):
            given = [int(part) for part in given.split(",")]
        if isinstance(given, int):
            given = [given]
        first, last = given[0], given[-1]
        if len(given) <= 2 and 0 <= first <= last and (first > 0 or last == 0):
            return int(first), int(last)
    except (TypeError, ValueError, IndexError):
        pass
    raise ValueError(
        f"profile_batch is a batch (5), a range of batches ((500, 520) or '500,520') or 0 for none, not {profile_batch!r}"
    )


class ProfileCallback:
    """Profiles a window of ``model.fit``; for Keras 2 and 3, with TensorFlow or JAX below.

    Records the batches ``profile_batch`` (``"500,520"``, ``(500, 520)`` or one number; 0 for none), counted from 1
    over all epochs. The profile goes to ``<log_dir>/plugins/profile``, where TensorBoard looks for it. At the end of
    training the verdict is printed and ``<log_dir>/report.html`` written (``html=False``: not). Afterwards
    ``callback.report`` is the report and ``callback.profile`` the profile, opened when you ask for it.

    It never stops training: another profiler that runs, a directory that cannot be written and all else that goes wrong
    is a warning. A profiler that an exception in ``fit`` left running is stopped when the next training begins, when the
    callback goes away, or at the end of the program.

    >>> import stepscope
    >>> callback = stepscope.tensorflow.ProfileCallback("logs", profile_batch="500,520")
    >>> # model.fit(data, epochs=2, callbacks=[callback])
    """

    def __init__(self, log_dir="logs", profile_batch="500,520", *, html=True, quiet=False):
        self.log_dir = os.fspath(log_dir)
        self._told = Told()
        self.model = None
        self.params = None
        self._first, self._last = window(profile_batch)
        self._html = html
        self._quiet = quiet
        self._batch = 0
        self._recording = None
        self._left = None  # stops a recording that nobody stopped
        self._marker = None
        self._recorded = False

    @property
    def profile(self):
        """The profile, opened when first asked for; None before there is one."""
        return self._told.profile

    @property
    def report(self):
        """The report; None before there is one."""
        return self._told.report

    # ---- what Keras calls

    def set_params(self, params):
        self.params = params

    def set_model(self, model):
        self.model = model

    def on_train_begin(self, logs=None):
        _stop_left_over()
        self._end_marker()
        self._recording = None
        self._batch = 0
        self._recorded = False
        self._told = Told()

    @harmless("profile the batch")
    def on_train_batch_begin(self, batch, logs=None):
        self._batch += 1
        if self._first and self._batch == self._first:
            self._start()
        if self._recording:
            self._marker = self._recording.step(self._batch)

    @harmless("profile the batch")
    def on_train_batch_end(self, batch, logs=None):
        if not self._recording:
            return
        self._end_marker()
        if self._batch >= self._last:
            self._stop()

    @harmless("report on the profile")
    def on_train_end(self, logs=None):
        if self._recording:
            self._end_marker()
            self._stop()
        if self._recorded:
            html = os.path.join(self.log_dir, "report.html") if self._html else None
            self._told.tell(self.log_dir, html, self._quiet)
        elif self._first and self._batch < self._first:
            warn(f"training had {self._batch} batches and profile_batch begins at {self._first}: nothing was recorded")

    def on_epoch_begin(self, epoch, logs=None):
        pass

    def on_epoch_end(self, epoch, logs=None):
        pass

    on_batch_begin = on_train_batch_begin
    on_batch_end = on_train_batch_end

    @_default
    def on_test_begin(self, logs=None):
        pass

    @_default
    def on_test_end(self, logs=None):
        pass

    @_default
    def on_test_batch_begin(self, batch, logs=None):
        pass

    @_default
    def on_test_batch_end(self, batch, logs=None):
        pass

    @_default
    def on_predict_begin(self, logs=None):
        pass

    @_default
    def on_predict_end(self, logs=None):
        pass

    @_default
    def on_predict_batch_begin(self, batch, logs=None):
        pass

    @_default
    def on_predict_batch_end(self, batch, logs=None):
        pass

    def _implements_train_batch_hooks(self):
        return True

    def _implements_test_batch_hooks(self):
        return False

    def _implements_predict_batch_hooks(self):
        return False

    # ---- recording

    @harmless("start the profiler")
    def _start(self):
        recorder = _JaxRecorder if _backend() == "jax" else _TensorFlowRecorder
        marks_steps = any(cls.__module__.startswith(_KERAS_2) for cls in type(self.model).__mro__)
        self._recording = recorder(self.log_dir, marks_steps)
        self._left = weakref.finalize(self, _stop_recording, self._recording)
        _running.add(self._left)

    @harmless("end the step's marker")
    def _end_marker(self):
        marker, self._marker = self._marker, None
        if marker is not None:
            marker.__exit__(None, None, None)

    @harmless("stop the profiler")
    def _stop(self):
        recording, self._recording = self._recording, None
        self._left.detach()
        _running.discard(self._left)
        recording.stop()
        self._recorded = True


_running = set()  # what stops the profilers that are running


@harmless("stop a profiler that was left running")
def _stop_recording(recording):
    recording.stop()


def _stop_left_over():
    """A window whose training ended with an exception: Keras calls nobody then, and the profiler goes on."""
    while _running:
        _running.pop()()


def _backend():
    """What Keras computes with."""
    keras = sys.modules.get("keras")
    backend = getattr(getattr(keras, "backend", None), "backend", None)
    name = backend() if callable(backend) else "tensorflow"
    if name == "torch":
        raise ValueError("Keras computes with PyTorch here: use stepscope.torch.profile()")
    return name


class _TensorFlowRecorder:
    def __init__(self, log_dir, marks_steps):
        import tensorflow as tf

        self._profiler = tf.profiler.experimental
        self._marks_steps = marks_steps
        self._profiler.start(log_dir)

    def step(self, number):
        """A marker around the batch; Keras 2 writes its own."""
        if self._marks_steps:
            return None
        marker = self._profiler.Trace("train", step_num=number, _r=1)
        marker.__enter__()
        return marker

    def stop(self):
        self._profiler.stop()


class _JaxRecorder:
    def __init__(self, log_dir, marks_steps):
        import jax

        self._profiler = jax.profiler
        self._profiler.start_trace(log_dir)

    def step(self, number):
        marker = self._profiler.StepTraceAnnotation("train", step_num=number)
        marker.__enter__()
        return marker

    def stop(self):
        self._profiler.stop_trace()
