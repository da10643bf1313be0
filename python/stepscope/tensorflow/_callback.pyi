import os
from typing import Any, Optional, Sequence, Tuple, Union

from stepscope._profile import Profile

def window(profile_batch: Union[int, str, Sequence[int]]) -> Tuple[int, int]: ...

class ProfileCallback:
    log_dir: str
    profile: Optional[Profile]
    model: Any
    params: Any
    def __init__(
        self,
        log_dir: Union[str, "os.PathLike[str]"] = "logs",
        profile_batch: Union[int, str, Sequence[int]] = "500,520",
        *,
        html: bool = True,
        quiet: bool = False,
    ) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
