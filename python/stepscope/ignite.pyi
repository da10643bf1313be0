from typing import Any, TypeVar

from stepscope._loop import Loop

_Self = TypeVar("_Self", bound="ProfileHandler")

class ProfileHandler(Loop):
    def attach(self: _Self, engine: Any) -> _Self: ...
