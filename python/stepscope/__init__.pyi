from typing import Any, Callable, Optional, Sequence, Union
import os

from stepscope._errors import Error as Error
from stepscope._errors import ReadError as ReadError
from stepscope._errors import UsageError as UsageError
from stepscope._errors import WriteError as WriteError
from stepscope._profile import Profile as Profile
from stepscope._report import Report as Report
from stepscope._table import Table as Table

__version__: str

Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]

def open(
    path: Union[Source, Sequence[Source]],
    *,
    run: str = "",
    threads: int = 0,
    progress: Union[bool, Callable[[float, str], Any], None] = True,
) -> Profile: ...
def load_ipython_extension(ipython: Any) -> None: ...
