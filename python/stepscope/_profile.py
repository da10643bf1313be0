"""Opening profiles."""

import os

from stepscope import _native
from stepscope._report import Report


def open(path, *, run="", threads=0):
    """Opens a profile: any path the command line takes.

    ``path`` is a file, a directory or a list of them. ``run`` chooses a run of a log directory (default: the newest);
    ``threads`` is how many to read with (default: one a core).

    >>> stepscope.open("examples/cudagraph_infer.pt.trace.json.gz").report().profile.framework
    'PyTorch'
    """
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    return Profile(_native.open([os.fsencode(p) for p in paths], run, threads, None))


class Profile:
    """What a path holds. Made by :func:`stepscope.open`; safe to use from several threads."""

    def __init__(self, native):
        self._native = native

    def report(self):
        """The report as an object: ``docs/report-json.md`` names its fields."""
        return Report(self._native)

    def close(self):
        """Gives the memory back. Tables and arrays that were taken from the profile stay valid."""
        self._native.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
