import collections
import os
from typing import Any, Dict, Iterable, Iterator, List, Sequence, Tuple, Union

_Path = Union[str, "os.PathLike[str]"]

class DamageWarning(UserWarning): ...

class Series:
    tag: str
    steps: "memoryview[int]"
    wall_times: "memoryview[float]"
    values: "memoryview[float]"
    def __init__(self, tag: str, steps: bytes, wall_times: bytes, values: bytes) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Tuple[int, float]]: ...

class Run(Dict[str, Series]):
    name: str
    others: List[Tuple[str, str, int]]
    damage: List[Tuple[str, int, str]]
    def __init__(
        self,
        name: str,
        series: Iterable[Tuple[str, Series]],
        others: List[Tuple[str, str, int]],
        damage: List[Tuple[str, int, str]],
    ) -> None: ...

def read(
    logdir: Union[_Path, Sequence[_Path]], *, tag: str = "", restarted: bool = False, threads: int = 0
) -> Dict[str, Run]: ...
def read_eval_metrics(eval_dir: _Path, *, tensors: bool = False) -> "collections.OrderedDict[int, Dict[str, float]]": ...
def summary_iterator(path: _Path, *, strict: bool = False) -> Iterator[Any]: ...
