"""PyTorch: reports as part of profiling. Nothing here raises into training: what goes wrong is a warning.

>>> import stepscope.torch
>>> with stepscope.torch.profile(wait=1, warmup=1, active=3) as p:     # doctest: +SKIP
...     for batch in data:
...         train(batch)
...         p.step()
stepscope: Waiting for input takes 69.9 % of the median step (ProfilerStep#4, gpu:0).
"""

import os
import socket
import time

from stepscope._told import Told, harmless, warn


def _rank():
    text = os.environ.get("RANK", "")
    return int(text) if text.isdigit() else 0


def report_handler(dir_name, worker_name=None, *, html=True, quiet=False):
    """For ``torch.profiler.profile(on_trace_ready=…)``: writes the trace and says what it shows.

    Every time a cycle of the schedule ends, ``<dir_name>/<worker>.<time>.pt.trace.json.gz`` is written, where
    TensorBoard looks for it, the verdict is printed (by rank 0) and the page is written beside it as ``….html``
    (``html=False``: not). The handler's ``paths`` are the traces, ``report`` is the last report, and ``profile`` the
    last profile, opened when you ask for it. A directory that cannot be written is a warning.

    >>> import stepscope.torch
    >>> handler = stepscope.torch.report_handler("log")
    >>> # torch.profiler.profile(schedule=…, on_trace_ready=handler)
    """
    return _Handler(os.fspath(dir_name), worker_name, html, quiet)


class _Handler(Told):
    def __init__(self, dir_name, worker_name, html, quiet):
        super().__init__()
        self.dir_name = dir_name
        self._worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        self._html = html
        self._quiet = quiet

    @harmless("write the trace")
    def __call__(self, profiler):
        os.makedirs(self.dir_name, exist_ok=True)
        base = os.path.join(self.dir_name, f"{self._worker}.{time.time_ns()}.pt.trace")
        profiler.export_chrome_trace(base + ".json.gz")
        self.tell(base + ".json.gz", base + ".html" if self._html else None, self._quiet or _rank() != 0)


class profile:
    """Profiles a few steps of a loop and says what they are bound by.

    Leaves out ``wait`` steps, warms the profiler up for ``warmup`` and records ``active``; call :meth:`step` after
    every step. Traces and pages go to ``directory``. Further options are those of ``torch.profiler.profile``;
    activities are the CPU and, where there is one, the GPU, and shapes are recorded unless you say otherwise.
    Afterwards ``p.report`` is the report and ``p.profile`` the profile, opened when you ask for it. Where another
    profiler runs already, or anything else goes wrong, there is a warning and the loop goes on unprofiled.
    """

    def __init__(self, wait=1, warmup=1, active=3, *, repeat=1, directory="stepscope", html=True, quiet=False, **options):
        if active < 1:
            raise ValueError("active is the number of steps to record, at least 1")
        self._handler = report_handler(directory, html=html, quiet=quiet)
        self._steps = 0
        self._needed = wait + warmup + active
        self._schedule = {"wait": wait, "warmup": warmup, "active": active, "repeat": repeat}
        self._options = options
        self._profiler = None

    @harmless("start torch.profiler")
    def _start(self):
        import torch

        activities = [torch.profiler.ProfilerActivity.CPU]
        if torch.cuda.is_available():
            activities.append(torch.profiler.ProfilerActivity.CUDA)
        options = {"activities": activities, "record_shapes": True, **self._options}
        if getattr(torch.autograd.profiler, "_is_profiler_enabled", False):
            raise RuntimeError("another profiler is running")
        profiler = torch.profiler.profile(
            schedule=torch.profiler.schedule(**self._schedule), on_trace_ready=self._handler, **options
        )
        profiler.__enter__()
        self._profiler = profiler

    def __enter__(self):
        self._start()
        return self

    def step(self):
        """Says that a step has ended."""
        self._steps += 1
        self._step()

    @harmless("go on with torch.profiler")
    def _step(self):
        if self._profiler is not None:
            self._profiler.step()

    @harmless("stop torch.profiler")
    def _stop(self, *error):
        if self._profiler is not None:
            self._profiler.__exit__(*error)

    def __exit__(self, kind, value, trace):
        self._stop(kind, value, trace)
        if self._profiler is not None and self._steps < self._needed and not self._handler.paths and kind is None:
            warn(f"nothing was recorded: {self._needed} steps are needed and step() was called {self._steps} times")

    @property
    def profiler(self):
        """The ``torch.profiler.profile`` below; None where it could not be started."""
        return self._profiler

    @property
    def paths(self):
        """The traces that were written."""
        return list(self._handler.paths)

    @property
    def profile(self):
        """The last profile, opened when first asked for; None before there is one."""
        return self._handler.profile

    @property
    def report(self):
        """The report of the last profile; None before there is one."""
        return self._handler.report
