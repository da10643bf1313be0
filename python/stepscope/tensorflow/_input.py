"""Whether the input pipeline is what holds training up: the full model against a trivial one."""

import math
import statistics
import time


class InputBound:
    """The answer of :func:`is_input_bound`; true or false as itself.

    ``bound``: True, False, or None where the measurements are too noisy to say. ``full``, ``input`` and ``compute`` are
    the median seconds of a step with the real input and the real model, of input alone, and of the model alone (on one
    batch again and again). ``share`` is the part of the full step that would be saved if input cost nothing, with its
    95 % interval ``low`` to ``high``.
    """

    def __init__(self, full, given, compute, threshold):
        self.full = statistics.median(full)
        self.input = statistics.median(given)
        self.compute = statistics.median(compute)
        saving = self.full - self.compute
        margin = 1.96 * math.hypot(_error(full), _error(compute))
        self.share = saving / self.full
        self.low = (saving - margin) / self.full
        self.high = (saving + margin) / self.full
        self.threshold = threshold
        self.bound = True if self.low > threshold else False if self.high < threshold else None

    def __bool__(self):
        return self.bound is True

    def __str__(self):
        times = (
            f"a step takes {1e3 * self.full:.2f} ms, {1e3 * self.compute:.2f} ms with the same batch again and again, "
            f"and input alone {1e3 * self.input:.2f} ms"
        )
        if self.bound is None:
            return f"too noisy to say whether input is the limit ({100 * self.low:.0f} to {100 * self.high:.0f} %): {times}"
        if self.bound:
            return f"input is the limit: {100 * self.share:.0f} % of the step waits for it; {times}"
        return f"input is not the limit: it costs {100 * max(self.share, 0):.0f} % of the step; {times}"

    __repr__ = __str__


def _error(times):
    """Standard error of a median, from the median absolute deviation, so that one slow step does not decide."""
    middle = statistics.median(times)
    deviation = statistics.median(abs(time - middle) for time in times)
    return 1.2533 * 1.4826 * deviation / math.sqrt(len(times))


def _wait(result):
    """Until the device has finished: frameworks return before."""
    for each in result.values() if isinstance(result, dict) else result if isinstance(result, (list, tuple)) else [result]:
        for name in ("block_until_ready", "numpy"):
            if hasattr(each, name):
                getattr(each, name)()
                break
        else:
            if type(each).__module__.split(".")[0] == "torch" and getattr(each, "is_cuda", False):
                each.item() if each.numel() == 1 else each.cpu()


def _timed(call, steps):
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        _wait(call())
        times.append(time.perf_counter() - start)
    return times


def is_input_bound(step_fn, input_fn, *, steps=30, warmup=3, threshold=0.1):
    """Measures whether training waits for its input.

    ``input_fn`` makes the input: called without arguments it gives an iterable of batches (a ``tf.data.Dataset``, a
    loader, a generator). ``step_fn(batch)`` trains on one batch; what it returns is waited for. Measured are, in turns
    so that a busy machine disturbs all alike: steps on fresh batches, steps on one batch that stays, and batches
    without any step. If fresh batches cost more than ``threshold`` of the step, training is bound by input.

    Returns an :class:`InputBound`, which is true, false, or undecided (``.bound is None``) within the noise.

    >>> import time
    >>> from stepscope.tensorflow import is_input_bound
    >>> def slow_input():
    ...     while True:
    ...         time.sleep(0.004)
    ...         yield 1
    >>> bool(is_input_bound(lambda batch: time.sleep(0.001), slow_input, steps=10))
    True
    """
    if steps < 3:
        raise ValueError("steps is at least 3: less cannot tell noise from difference")
    batches = _endless(input_fn)
    kept = next(batches)
    for _ in range(max(warmup, 1)):
        _wait(step_fn(next(batches)))
    full, given, compute = [], [], []
    for size in _parts(steps):
        full += _timed(lambda: step_fn(next(batches)), size)
        compute += _timed(lambda: step_fn(kept), size)
        # Prefetched batches would come for nothing: as many as were taken wait for the next turn.
        given += _timed(lambda: next(batches), size)
    return InputBound(full, given, compute, threshold)


def _parts(steps, size=10):
    return [min(size, steps - done) for done in range(0, steps, size)]


def _endless(input_fn):
    while True:
        empty = True
        for batch in input_fn():
            empty = False
            yield batch
        if empty:
            raise ValueError("input_fn gives no batch")
