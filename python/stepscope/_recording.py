"""Recording a part of a program from inside: the code of ``stepscope record``."""

import contextlib
import importlib.util
import os
import sys

from stepscope._binary import hook_folder
from stepscope._told import Told, harmless, warn

_HOOK = "_stepscope_hook"


def _hook():
    """The module that ``stepscope record`` puts into a program; the same one where it did."""
    if _HOOK not in sys.modules:
        spec = importlib.util.spec_from_file_location(_HOOK, os.path.join(hook_folder(), _HOOK + ".py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[_HOOK] = module
        spec.loader.exec_module(module)
    return sys.modules[_HOOK]


def _window(steps, memory, stacks):
    """As ``stepscope record`` hands it to the hook. Steps are counted from the first that something marks."""
    if steps is None:
        window = "first=0;count=inf;bytes=inf;"
    elif isinstance(steps, int) and steps > 0:
        window = f"first=0;count={steps};"
    elif isinstance(steps, (list, tuple)) and len(steps) == 2 and 0 <= steps[0] <= steps[1]:
        window = f"first={steps[0]};count={steps[1] - steps[0] + 1};"
    else:
        raise ValueError(f"steps is a number, a pair (first, last) or None for all, not {steps!r}")
    return window + "settle=1;" + ("memory=1;" if memory else "") + ("stacks=1;" if stacks else "")


def _new_directory(wanted):
    """``stepscope-run``, ``stepscope-run-2`` …: nothing is overwritten."""
    if wanted is not None:
        wanted = os.fspath(wanted)
        os.makedirs(wanted, exist_ok=True)
        if os.listdir(wanted):
            raise FileExistsError(f"{wanted} is not empty")
        return wanted
    number = 1
    while True:
        name = "stepscope-run" if number == 1 else f"stepscope-run-{number}"
        try:
            os.mkdir(name)
            return name
        except FileExistsError:
            number += 1


class record(contextlib.ContextDecorator):
    """Records what runs inside the ``with`` and says what the steps are bound by; no framework has to be named.

    It is ``stepscope record`` (docs/record.md) for a part of a program: the framework's own profile of ``steps`` steps, and the
    time of every step. Optimizer steps, Keras batches, DataLoader batches and calls of the jitted function that repeats mark the
    steps; a loop that has none of them calls :meth:`step` at the end of each. ``steps`` is how many to profile after the first
    (which compiles and warms up), a pair (first, last), or None for the whole block. ``stacks`` and ``memory`` are PyTorch's.

    The recording goes to ``directory`` (default: ``stepscope-run``, ``stepscope-run-2`` …). Afterwards ``r.report`` is the
    report and ``r.profile`` the profile, opened when you ask for it. Nothing here raises into the block: what goes wrong is
    a warning.

    >>> with stepscope.record(steps=5, directory=TMP + "/run", quiet=True) as r:
    ...     for batch in range(8):
    ...         total = sum(range(100_000))
    ...         r.step()
    >>> len(r.report.recording.steps)      # times of all, from the end of the first
    7
    """

    def __init__(self, steps=10, *, directory=None, stacks=False, memory=False, html=False, quiet=False):
        self._window = _window(steps, memory, stacks)
        self._whole = steps is None
        self._wanted = directory
        self._html = html
        self._quiet = quiet
        self.directory = None
        self._job = None
        self._told = Told()

    @harmless("record")
    def _start(self):
        directory = _new_directory(self._wanted)
        self._job = _hook().Job(hook_folder(), directory, self._window)
        self.directory = directory
        if self._whole:
            self._job.recorder.begin()

    @harmless("record")
    def _expect_steps(self):
        """Only :meth:`step` marks steps, from the beginning."""
        if self._job is not None:
            self._job.recorder.expect_given()

    @harmless("end the recording")
    def _stop(self):
        job, self._job = self._job, None
        job.end()
        return job.recorder

    def __enter__(self):
        self._start()
        return self

    def step(self):
        """Says that a step has ended; from then on only this marks steps."""
        if self._job is not None:
            self._job.recorder.mark("given")

    @property
    def profiling(self):
        """Whether the framework's profiler runs right now."""
        return self._job is not None and self._job.recorder.active

    def __exit__(self, kind, value, trace):
        if self._job is None:
            return
        recorder = self._stop()
        if recorder is None or kind is not None:
            return
        if not recorder.windows and recorder.driver is not None:
            warn("no step was seen: call step() at the end of each, or record(steps=None) for the whole block")
        self._told.tell(self.directory, os.path.join(self.directory, "report.html") if self._html else None, self._quiet)

    @property
    def profile(self):
        """The profile, opened when first asked for; None before there is one."""
        return self._told.profile

    @property
    def report(self):
        """The report; None before there is one."""
        return self._told.report
