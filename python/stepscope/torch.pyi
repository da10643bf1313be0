import os
from typing import Any, List, Optional, TypeVar, Union

from stepscope._profile import Profile
from stepscope._report import Report

_Self = TypeVar("_Self")

class _Handler:
    dir_name: str
    paths: List[str]
    report: Optional[Report]
    @property
    def profile(self) -> Optional[Profile]: ...
    def __init__(self, dir_name: str, worker_name: Optional[str], html: bool, quiet: bool) -> None: ...
    def __call__(self, profiler: Any) -> None: ...

def report_handler(
    dir_name: Union[str, "os.PathLike[str]"],
    worker_name: Optional[str] = None,
    *,
    html: bool = True,
    quiet: bool = False,
) -> _Handler: ...

class profile:
    def __init__(
        self,
        wait: int = 1,
        warmup: int = 1,
        active: int = 3,
        *,
        repeat: int = 1,
        directory: Union[str, "os.PathLike[str]"] = "stepscope",
        html: bool = True,
        quiet: bool = False,
        **options: Any,
    ) -> None: ...
    def __enter__(self: _Self) -> _Self: ...
    def __exit__(self, kind: Any, value: Any, trace: Any) -> None: ...
    def step(self) -> None: ...
    @property
    def profiler(self) -> Any: ...
    @property
    def paths(self) -> List[str]: ...
    @property
    def profile(self) -> Optional[Profile]: ...
    @property
    def report(self) -> Optional[Report]: ...
