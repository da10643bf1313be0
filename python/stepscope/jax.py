"""JAX: a report of whatever runs inside a ``with``.

>>> import stepscope.jax
>>> with stepscope.jax.profile() as p:            # doctest: +SKIP
...     for step in range(5):
...         with p.step(step):
...             train_step(state, batch).block_until_ready()
"""

import os

from stepscope._told import tell


class profile:
    """Records what runs inside the ``with`` and says what the steps are bound by.

    The profile goes to ``<directory>/plugins/profile``, where TensorBoard looks for it, and the page to
    ``<directory>/report.html`` (``html=False``: not). Put every step into ``with p.step(number)``: without that,
    steps are found by what repeats. Wait for results (``block_until_ready``) inside the step, or the device's work
    counts to a later one. Further options are those of ``jax.profiler.start_trace``. Afterwards ``p.profile`` is the
    open profile and ``p.report`` its report.
    """

    def __init__(self, directory="stepscope", *, html=True, quiet=False, **options):
        self.directory = os.fspath(directory)
        self.profile = None
        self._html = html
        self._quiet = quiet
        self._options = options

    def __enter__(self):
        import jax

        jax.profiler.start_trace(self.directory, **self._options)
        return self

    def step(self, number):
        """A context manager around one step."""
        import jax

        return jax.profiler.StepTraceAnnotation("step", step_num=number)

    def __exit__(self, kind, value, trace):
        import jax

        jax.profiler.stop_trace()
        if kind is None:
            html = os.path.join(self.directory, "report.html") if self._html else None
            self.profile = tell(self.directory, html, self._quiet)

    @property
    def report(self):
        """The report of the profile; None before there is one."""
        return self.profile.report() if self.profile is not None else None
