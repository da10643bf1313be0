"""Comparing profiles."""

import json
import os

from stepscope import _native
from stepscope._profile import Profile
from stepscope._progress import progress_for
from stepscope._record import Record, records


def diff(base, new, *, threshold=0.03, alpha=0.05, by="op", device="", force=False, lang="en", progress=True):
    """Says what changed between two profiles and whether the difference is real: ``stepscope diff`` as an object.

    ``base`` and ``new`` are each a path, an open :class:`stepscope.Profile`, or a list of those: the runs of a side. A path
    may also be a stored baseline or what ``report --json`` wrote. ``by`` says what the nodes are: ``"op"``, ``"module"``,
    ``"kernel"``, ``"category"`` or ``"line"``. ``force`` judges time although devices, frameworks or numbers of ranks differ. ``lang`` is the
    language of its sentences: ``"en"`` or ``"zh"``.

    >>> diff = stepscope.diff("examples/cudagraph_infer.pt.trace.json.gz", "examples/nograph_infer.pt.trace.json.gz")
    >>> diff.verdict.result in ("slower", "cannot_tell")
    True
    >>> parts = diff.partition
    >>> parts.step_delta_ns == sum(parts.delta_ns.dict().values())
    True
    """
    for name, value in (("threshold", threshold), ("alpha", alpha)):
        if not 0 < value < 1:
            raise ValueError(f"{name} is a share between 0 and 1")
    with progress_for(progress) as told:
        said, text = _native.diff(_side(base), _side(new), threshold, alpha, by, device, force, lang, told)
    made = Diff(records(json.loads(said)))
    made._text = text
    return made


def _side(runs):
    runs = runs if isinstance(runs, (list, tuple)) else [runs]
    if not runs:
        raise ValueError("a side needs at least one run")
    return [_run(run) for run in runs]


def _run(run):
    if isinstance(run, Profile):
        return run._native
    if isinstance(run, (str, os.PathLike)):
        return os.fsencode(run)
    raise TypeError(f"a run is a path or an open profile, not a {type(run).__name__}")


class Diff(Record):
    """Everything ``stepscope diff --json`` says (docs/diff.md), as attributes and as a dict. ``str()`` of it is the text."""

    __slots__ = ("_text",)

    def __reduce__(self):
        return (_restored, (dict(self), self._text))

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"<stepscope diff: {self['verdict']['result']}>"


def _restored(members, text):
    diff = Diff(members)
    diff._text = text
    return diff
