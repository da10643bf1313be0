import os
from typing import Any, Callable, Literal, Sequence, Union

from stepscope._profile import Profile
from stepscope._record import Record

_Run = Union[str, "os.PathLike[str]", Profile]

def diff(
    base: Union[_Run, Sequence[_Run]],
    new: Union[_Run, Sequence[_Run]],
    *,
    threshold: float = 0.03,
    alpha: float = 0.05,
    by: Literal["op", "module", "kernel", "category", "line"] = "op",
    device: str = "",
    force: bool = False,
    lang: Literal["en", "zh"] = "en",
    progress: Union[bool, Callable[[float, str], Any], None] = True,
) -> Diff: ...

class Diff(Record):
    def __getattr__(self, name: str) -> Any: ...
