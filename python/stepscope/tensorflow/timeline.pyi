import os
from typing import Any, Dict, List, NamedTuple, Set, Union

class AllocationMaximum(NamedTuple):
    timestamp: int
    num_bytes: int
    tensors: Set[str]

class ChromeTrace:
    def __init__(self, text: str) -> None: ...
    def format_to_string(self, pretty: bool = False) -> str: ...

class StepStatsAnalysis(NamedTuple):
    chrome_trace: ChromeTrace
    allocator_maximums: Dict[str, AllocationMaximum]

class Timeline:
    def __init__(self, step_stats: Any, graph: Any = None) -> None: ...
    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False, op_time: str = "schedule", *, improved: bool = False
    ) -> str: ...
    def analyze_step_stats(
        self, show_dataflow: bool = True, show_memory: bool = True, op_time: str = "schedule"
    ) -> StepStatsAnalysis: ...

class TimelineMerger:
    def __init__(self) -> None: ...
    def update_timeline(self, chrome_trace: Union[str, bytes, Dict[str, Any], List[Any]]) -> None: ...
    def save(self, f_name: Union[str, "os.PathLike[str]"]) -> None: ...
