from typing import List, NamedTuple

class Gpu(NamedTuple):
    index: int  # type: ignore[assignment]
    uuid: str
    name: str
    memory_free: int
    memory_total: int
    utilization: int

def all() -> List[Gpu]: ...
def pick(n: int = 1, *, quiet: bool = False) -> List[int]: ...
