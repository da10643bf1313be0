"""What the callbacks of training frameworks share: a recording that begins with training, hears of every step and ends with training,
however that ends."""

import weakref

from stepscope._recording import record
from stepscope._told import harmless

_open: "weakref.WeakSet" = weakref.WeakSet()


class Loop:
    """A recording of a training loop. Takes the options of :class:`stepscope.record`."""

    def __init__(self, steps=10, **options):
        record(steps, **options)  # wrong options are said here, not in the middle of training
        self._options = (steps, options)
        self._record = None

    @harmless("record the training")
    def start(self):
        """Training begins. A recording that an exception left open ends."""
        for left in list(_open):
            left.fail()
        steps, options = self._options
        self._record = record(steps, **options)
        self._record.__enter__()
        self._record._expect_steps()
        _open.add(self)

    @harmless("record the step")
    def step(self):
        """A step has ended."""
        if self._record is not None:
            self._record.step()

    @harmless("report on the training")
    def stop(self):
        """Training has ended: says what the steps are bound by."""
        if self in _open:
            _open.discard(self)
            self._record.__exit__(None, None, None)

    @harmless("end the recording")
    def fail(self):
        """Training ended with an exception: the recording ends, and nothing is said."""
        if self in _open:
            _open.discard(self)
            self._record.__exit__(Exception, None, None)

    @property
    def report(self):
        """The report; None before there is one."""
        return self._record.report if self._record is not None else None

    @property
    def profile(self):
        """The profile, opened when first asked for; None before there is one."""
        return self._record.profile if self._record is not None else None
