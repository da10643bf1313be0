from typing import Any, List, Sequence, Union

class TrainableVariables(List[Any]):
    frozen: List[Any]
    saves: Saving
    def __init__(self, kept: Sequence[Any], frozen: Sequence[Any], optimizer_slots: int) -> None: ...

class Saving:
    parameters: int
    all_parameters: int
    gradient_bytes: int
    slot_bytes: int
    optimizer_slots: int
    def __init__(self, kept: Sequence[Any], frozen: Sequence[Any], optimizer_slots: int) -> None: ...
    @property
    def share(self) -> float: ...

def trainable_variables(
    model: Any = None, *, exclude: Union[str, Sequence[str]] = (), optimizer_slots: int = 2
) -> TrainableVariables: ...
