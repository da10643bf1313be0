import os
from typing import Any, Callable, Sequence, Union

from stepscope import events as events
from stepscope import gpus as gpus
from stepscope import jax as jax
from stepscope import nan as nan
from stepscope import tensorflow as tensorflow
from stepscope import torch as torch
from stepscope._diff import Diff as Diff
from stepscope._diff import diff as diff
from stepscope._errors import Error as Error
from stepscope._errors import ReadError as ReadError
from stepscope._errors import UsageError as UsageError
from stepscope._errors import WriteError as WriteError
from stepscope._profile import Profile as Profile
from stepscope._recording import record as record
from stepscope._report import Report as Report
from stepscope._table import Table as Table

__all__ = [
    "__version__",
    "open",
    "diff",
    "record",
    "Diff",
    "Profile",
    "Report",
    "Table",
    "Error",
    "ReadError",
    "WriteError",
    "UsageError",
    "tensorflow",
    "torch",
    "jax",
    "events",
    "nan",
    "gpus",
]

__version__: str

_Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]

def open(
    path: Union[_Source, Sequence[_Source]],
    *,
    run: str = "",
    config: Union[str, "os.PathLike[str]"] = "",
    threads: int = 0,
    progress: Union[bool, Callable[[float, str], Any], None] = True,
) -> Profile: ...
def load_ipython_extension(ipython: Any) -> None: ...
