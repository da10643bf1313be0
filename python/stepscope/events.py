"""TensorBoard event files, without TensorBoard and without TensorFlow.

>>> from stepscope import events
>>> log = events.read("tests/events/logs")        # doctest: +SKIP
>>> log["train"]["loss"].values[-1]               # doctest: +SKIP
0.0213
"""

import glob
import os
import warnings

from stepscope import _native
from stepscope._errors import ReadError
from stepscope._messages import parse


class DamageWarning(UserWarning):
    """An event file that is damaged; what could be read was."""


class Series:
    """The points of one tag: ``steps``, ``wall_times`` (seconds) and ``values``, equally long.

    The three are memoryviews of int64, double and double: they index, iterate and slice like lists, and
    ``numpy.asarray`` takes them without a copy.
    """

    __slots__ = ("tag", "steps", "wall_times", "values")

    def __init__(self, tag, steps, wall_times, values):
        self.tag = tag
        self.steps = memoryview(steps).cast("q")
        self.wall_times = memoryview(wall_times).cast("d")
        self.values = memoryview(values).cast("d")

    def __len__(self):
        return len(self.steps)

    def __iter__(self):
        """(step, value) pairs."""
        return zip(self.steps, self.values)

    def __repr__(self):
        if not len(self):
            return f"Series({self.tag!r}, no points)"
        return f"Series({self.tag!r}, {len(self)} points, steps {self.steps[0]} to {self.steps[-1]}, last {self.values[-1]:g})"


class Run(dict):
    """The scalars of one run: a :class:`Series` by tag. ``others`` lists (tag, kind, count) of all that is no scalar,
    ``damage`` (file, offset, sentence) of what could not be read."""

    def __init__(self, name, series, others, damage):
        super().__init__(series)
        self.name = name
        self.others = others
        self.damage = damage


def read(logdir, *, tag="", restarted=False, threads=0):
    """The scalars below a log directory (or of one file, or of a list of them), by run and tag.

    Old scalars (``simple_value``) and new ones (tensors) are the same here. ``tag`` is a regular expression that tags
    must contain. Points that a restarted run wrote again are left out, as in TensorBoard; ``restarted=True`` keeps
    them. Returns a dict of :class:`Run` by name; the directory itself is ``"."``.
    """
    paths = [logdir] if isinstance(logdir, (str, os.PathLike)) else list(logdir)
    runs = _native._read_events([os.fsencode(path) for path in paths], tag, restarted, threads, None)
    return {
        run["name"]: Run(run["name"], ((s[0], Series(*s)) for s in run["scalars"]), run["others"], run["damage"])
        for run in runs
    }


def read_eval_metrics(eval_dir, *, tensors=False):
    """The metrics an evaluation wrote: an ordered dict from step to {tag: value}.

    Reads every ``events.out.tfevents.*`` of the directory. Of each event that has scalars (``simple_value``) its
    values are the metrics of its step; a later event of the same step takes their place. A directory that does not
    exist has no metrics.

    TensorFlow 2 stores scalars as tensors, one event each. ``tensors=True`` reads those, too, and joins what belongs
    to one step; without it you are warned where that would have made a difference.
    """
    files = sorted(glob.glob(os.path.join(glob.escape(os.fspath(eval_dir)), "events.out.tfevents.*")))
    steps, skipped, damage = _native._read_eval_metrics([os.fsencode(path) for path in files], tensors)
    _warn(damage)
    if skipped and not steps:
        warnings.warn(
            f"{eval_dir}: {skipped} scalars are stored as TensorFlow 2 stores them; pass tensors=True to read them",
            stacklevel=2,
        )
    return steps


def summary_iterator(path, *, strict=False):
    """The events of one file, one after the other.

    They are TensorFlow's ``Event`` messages where TensorFlow is imported, else objects with the same fields and
    ``HasField``. Damage is read around, with a :class:`DamageWarning` at the end; ``strict=True`` raises ReadError at
    once, as TensorFlow does.
    """
    return _events(_native._Records(os.fsencode(path)), strict)


def _events(records, strict):
    for record in records:
        if strict and records.damage:
            break
        yield parse("Event", record)
    if strict and records.damage:
        file, offset, sentence = records.damage[0]
        raise ReadError(sentence, file, offset)
    _warn(records.damage)


def _warn(damage):
    for file, offset, sentence in damage:
        warnings.warn(f"{file}: {sentence} (at byte {offset:,})", DamageWarning, stacklevel=3)
