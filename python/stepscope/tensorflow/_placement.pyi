from typing import Any, List, Sequence, Tuple, Union

VARIABLE_OPS: Tuple[str, ...]

class LeastLoadedDeviceSetter:
    worker_device: str
    ps_devices: List[str]
    ps_sizes: List[int]
    def __init__(self, worker: str, ps_devices: Union[str, Sequence[str]]) -> None: ...
    def __call__(self, op: Any) -> str: ...

def variables_on_cpu(worker: str = "/gpu:0", cpu: str = "/cpu:0") -> LeastLoadedDeviceSetter: ...
