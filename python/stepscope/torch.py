"""PyTorch: reports as part of profiling.

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
import warnings

from stepscope._told import tell


def _rank():
    return int(os.environ.get("RANK", "0") or 0)


def report_handler(dir_name, worker_name=None, *, html=True, quiet=False):
    """For ``torch.profiler.profile(on_trace_ready=…)``: writes the trace and says what it shows.

    Every time a cycle of the schedule ends, ``<dir_name>/<worker>.<time>.pt.trace.json.gz`` is written, where
    TensorBoard looks for it, the verdict is printed (by rank 0) and the page is written beside it as ``….html``
    (``html=False``: not). The handler's ``profiles`` are the open profiles, in order.

    >>> import stepscope.torch
    >>> handler = stepscope.torch.report_handler("log")
    >>> # torch.profiler.profile(schedule=…, on_trace_ready=handler)
    """
    return _Handler(os.fspath(dir_name), worker_name, html, quiet)


class _Handler:
    def __init__(self, dir_name, worker_name, html, quiet):
        self.dir_name = dir_name
        self.profiles = []
        self.paths = []
        self._worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        self._html = html
        self._quiet = quiet

    def __call__(self, profiler):
        os.makedirs(self.dir_name, exist_ok=True)
        base = os.path.join(self.dir_name, f"{self._worker}.{time.time_ns()}.pt.trace")
        path = base + ".json.gz"
        profiler.export_chrome_trace(path)
        self.paths.append(path)
        told = tell(path, base + ".html" if self._html else None, self._quiet or _rank() != 0)
        if told is not None:
            self.profiles.append(told)


class profile:
    """Profiles a few steps of a loop and says what they are bound by.

    Leaves out ``wait`` steps, warms the profiler up for ``warmup`` and records ``active``; call :meth:`step` after
    every step. Traces and pages go to ``directory``. Further options are those of ``torch.profiler.profile``;
    activities are the CPU and, where there is one, the GPU, and shapes are recorded unless you say otherwise.
    Afterwards ``p.profile`` is the open profile and ``p.report`` its report.
    """

    def __init__(self, wait=1, warmup=1, active=3, *, repeat=1, directory="stepscope", html=True, quiet=False, **options):
        import torch

        if active < 1:
            raise ValueError("active is the number of steps to record, at least 1")
        self._handler = report_handler(directory, html=html, quiet=quiet)
        self._steps = 0
        self._needed = wait + warmup + active
        activities = [torch.profiler.ProfilerActivity.CPU]
        if torch.cuda.is_available():
            activities.append(torch.profiler.ProfilerActivity.CUDA)
        options = {"activities": activities, "record_shapes": True, **options}
        schedule = torch.profiler.schedule(wait=wait, warmup=warmup, active=active, repeat=repeat)
        self._profiler = torch.profiler.profile(schedule=schedule, on_trace_ready=self._handler, **options)

    def __enter__(self):
        self._profiler.__enter__()
        return self

    def step(self):
        """Says that a step has ended."""
        self._steps += 1
        self._profiler.step()

    def __exit__(self, kind, value, trace):
        self._profiler.__exit__(kind, value, trace)
        if not self._handler.paths and kind is None:
            warnings.warn(
                f"nothing was recorded: {self._needed} steps are needed and step() was called {self._steps} times",
                RuntimeWarning,
                stacklevel=2,
            )

    @property
    def profiler(self):
        """The ``torch.profiler.profile`` below."""
        return self._profiler

    @property
    def paths(self):
        """The traces that were written."""
        return list(self._handler.paths)

    @property
    def profile(self):
        """The last profile, open; None before there is one."""
        return self._handler.profiles[-1] if self._handler.profiles else None

    @property
    def report(self):
        """The report of the last profile; None before there is one."""
        return self.profile.report() if self.profile is not None else None
