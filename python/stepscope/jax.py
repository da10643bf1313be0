"""JAX: a report of whatever runs inside a ``with``. Nothing here raises into training: what goes wrong is a warning.

>>> import stepscope.jax
>>> with stepscope.jax.profile() as p:            # doctest: +SKIP
...     for step in range(5):
...         with p.step(step):
...             train_step(state, batch).block_until_ready()
"""

import contextlib
import os

from stepscope._loop import Loop
from stepscope._told import Told, harmless, warned


class profile:
    """Records what runs inside the ``with`` and says what the steps are bound by.

    The profile goes to ``<directory>/plugins/profile``, where TensorBoard looks for it, and the page to
    ``<directory>/report.html`` (``html=False``: not). Put every step into ``with p.step(number)``: without that,
    steps are found by what repeats. Wait for results (``block_until_ready``) inside the step, or the device's work
    counts to a later one. Further options are those of ``jax.profiler.start_trace``. Afterwards ``p.report`` is the
    report and ``p.profile`` the profile, opened when you ask for it. Where another profiler runs already, or anything
    else goes wrong, there is a warning and the block goes on unprofiled.
    """

    def __init__(self, directory="stepscope", *, html=True, quiet=False, **options):
        self.directory = os.fspath(directory)
        self._told = Told()
        self._html = html
        self._quiet = quiet
        self._options = options
        self._running = False

    @harmless("start jax.profiler")
    def _start(self):
        import jax

        jax.profiler.start_trace(self.directory, **self._options)
        self._running = True

    @harmless("stop jax.profiler")
    def _stop(self):
        import jax

        self._running = False
        jax.profiler.stop_trace()
        return True

    def __enter__(self):
        self._start()
        return self

    def step(self, number):
        """A context manager around one step."""
        with warned("mark the step"):
            if self._running:
                import jax

                return jax.profiler.StepTraceAnnotation("step", step_num=number)
        return contextlib.nullcontext()

    def __exit__(self, kind, value, trace):
        if self._running and self._stop() and kind is None:
            self._told.tell(self.directory, os.path.join(self.directory, "report.html") if self._html else None, self._quiet)

    @property
    def profile(self):
        """The profile, opened when first asked for; None before there is one."""
        return self._told.profile

    @property
    def report(self):
        """The report of the profile; None before there is one."""
        return self._told.report


class StepProfiler(Loop):
    """For a loop written by hand (Flax, Haiku, Equinox): call it after every step with what the step computed.

    Records ``steps`` steps after the first; other options are those of :class:`stepscope.record`. It waits for what it is
    given, so that the device's work counts to its step; steps outside the window are not waited for.

    >>> with stepscope.jax.StepProfiler(steps=5) as after_step:    # doctest: +SKIP
    ...     for batch in data:
    ...         state, loss = train_step(state, batch)
    ...         after_step(loss)
    """

    def __enter__(self):
        self.start()
        return self

    def __call__(self, result=None):
        with warned("wait for the step"):
            if result is not None and self._record is not None and self._record.profiling:
                import jax

                jax.block_until_ready(result)
        self.step()

    def __exit__(self, kind, value, trace):
        self.stop() if kind is None else self.fail()
