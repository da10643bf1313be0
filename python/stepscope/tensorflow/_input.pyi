from typing import Any, Callable, Iterable, Optional, Sequence, TypeVar

_Batch = TypeVar("_Batch")

class InputBound:
    full: float
    input: float
    compute: float
    share: float
    low: float
    high: float
    threshold: float
    bound: Optional[bool]
    def __init__(
        self, full: Sequence[float], given: Sequence[float], compute: Sequence[float], threshold: float
    ) -> None: ...
    def __bool__(self) -> bool: ...

def is_input_bound(
    step_fn: Callable[[_Batch], Any],
    input_fn: Callable[[], Iterable[_Batch]],
    *,
    steps: int = 30,
    warmup: int = 3,
    threshold: float = 0.1,
) -> InputBound: ...
