import os
from typing import Any, ContextManager, Optional, TypeVar, Union

from stepscope._loop import Loop
from stepscope._profile import Profile
from stepscope._report import Report

_Self = TypeVar("_Self")

class profile:
    directory: str
    def __init__(
        self,
        directory: Union[str, "os.PathLike[str]"] = "stepscope",
        *,
        html: bool = True,
        quiet: bool = False,
        **options: Any,
    ) -> None: ...
    def __enter__(self: _Self) -> _Self: ...
    def __exit__(self, kind: Any, value: Any, trace: Any) -> None: ...
    def step(self, number: int) -> ContextManager[Any]: ...
    @property
    def profile(self) -> Optional[Profile]: ...
    @property
    def report(self) -> Optional[Report]: ...

class StepProfiler(Loop):
    def __enter__(self: _Self) -> _Self: ...
    def __call__(self, result: Any = None) -> None: ...
    def __exit__(self, kind: Any, value: Any, trace: Any) -> None: ...
