import os
from contextlib import ContextDecorator
from typing import Any, Optional, Tuple, TypeVar, Union

from stepscope._profile import Profile
from stepscope._report import Report

_Self = TypeVar("_Self")

class record(ContextDecorator):
    directory: Optional[str]
    def __init__(
        self,
        steps: Union[int, Tuple[int, int], None] = 10,
        *,
        directory: Union[str, "os.PathLike[str]", None] = None,
        stacks: bool = False,
        memory: bool = False,
        html: bool = False,
        quiet: bool = False,
    ) -> None: ...
    def __enter__(self: _Self) -> _Self: ...
    def __exit__(self, kind: Any, value: Any, trace: Any) -> None: ...
    def step(self) -> None: ...
    @property
    def profiling(self) -> bool: ...
    @property
    def profile(self) -> Optional[Profile]: ...
    @property
    def report(self) -> Optional[Report]: ...
