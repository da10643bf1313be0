"""Made by python/build/answer_types.py from docs/report.schema.json; do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Union

from stepscope._record import Record, Rows


class Device(Record):
    id: str
    name: Optional[str]
    memory_bytes: Optional[int]
    compute_capability: Optional[str]
    sm_count: Optional[int]


class Profile(Record):
    paths: List[str]
    format: Literal['kineto', 'onnxruntime', 'tensorflow_timeline', 'chrome', 'xplane', 'run_metadata', 'nsys', 'perfetto', 'rocprof', 'memory_snapshot', 'recording']
    framework: Optional[str]
    framework_version: Optional[str]
    host: Optional[str]
    rank: Optional[int]
    world_size: Optional[int]
    start_unix_ns: Optional[int]
    span_ns: int
    events: ProfileEvents
    devices: Rows[Device]
    notes: Dict[str, str]


class ProfileEvents(Record):
    in_file: int
    stored: int
    diagnosed: int
    by_phase: Dict[str, int]
    complete_by_category: Dict[str, int]
    by_plane: Dict[str, int]


class Quality(Record):
    code: str
    severity: Literal['info', 'warning', 'error']
    count: int
    sentence: str
    examples: Rows[QualityExamples]


class QualityExamples(Record):
    offset: Optional[int]
    text: str


class Verdict(Record):
    bound_by: Literal['input', 'launch', 'sync', 'host', 'compute', 'communication', 'copy', 'compile', 'mixed', 'unknown']
    sentence: str
    id: str
    args: Dict[str, Union[str, float, Message]]
    step: Optional[int]
    device: Optional[str]


class Message(Record):
    id: str
    args: Dict[str, Union[str, float, Message]]


class DeviceStep(Record):
    device: str
    busy_ns: int
    compute_ns: int
    communication_ns: int
    exposed_communication_ns: int
    copy_ns: int
    exposed_copy_ns: int
    memset_ns: int
    exposed_memset_ns: int
    idle_ns: int
    idle_causes: Rows[DeviceStepIdleCauses]


class DeviceStepIdleCauses(Record):
    cause: Literal['input', 'sync', 'launch', 'host_op', 'python', 'compile', 'communication_wait', 'copy_wait', 'profiler', 'between_steps', 'unknown']
    ns: int


class Hlo(Record):
    name: str
    module: Optional[str]
    category: Optional[str]
    op_name: Optional[str]
    source: Optional[str]
    calls: int
    total_ns: int
    flops: Optional[int]
    bytes: Optional[int]


class Step(Record):
    name: str
    number: int
    host_start_ns: int
    host_duration_ns: int
    start_ns: int
    duration_ns: int
    used: bool
    why_unused: Literal[None, 'warmup', 'cut', 'no_device_work', 'not_selected']
    devices: Rows[DeviceStep]
    priority_ns: Optional[StepPriorityNs]


class StepPriorityNs(Record):
    kernel: int
    memcpy: int
    memset: int
    communication: int
    runtime: int
    dataloader: int
    cpu_exec: int
    other: int


class Steps(Record):
    source: str
    confidence: Optional[float]
    count: int
    used: int
    median_ns: Optional[int]
    min_ns: Optional[int]
    max_ns: Optional[int]
    p95_ns: Optional[int]
    unprofiled_median_ns: Optional[int]
    unprofiled_lo_ns: Optional[int]
    unprofiled_hi_ns: Optional[int]
    unprofiled: int
    items: Rows[Step]  # type: ignore[assignment]


class IdleCause(Record):
    device: str
    cause: Literal['input', 'sync', 'launch', 'host_op', 'python', 'compile', 'communication_wait', 'copy_wait', 'profiler', 'between_steps', 'unknown']
    ns: int
    gaps: int
    longest: IdleCauseLongest
    example: str


class IdleCauseLongest(Record):
    start_ns: int
    ns: int
    evidence: List[int]


class Op(Record):
    name: str
    kind: str
    calls: int
    host_self_ns: int
    host_total_ns: int
    device_self_ns: int
    device_total_ns: int
    tensor_core_ns: int
    host_total_outermost_ns: int
    device_total_outermost_ns: int
    calls_outermost: int
    host_self_excl_runtime_ns: int
    device_self_union_ns: int
    calls_launching: int
    tensor_core_eligible: bool
    tensor_core_total_ns: int


class OpByShape(Record):
    name: str
    kind: str
    input_shapes: Optional[Union[List[Any], str]]
    calls: int
    host_self_ns: int
    host_total_ns: int
    device_self_ns: int
    device_total_ns: int
    tensor_core_ns: int
    host_total_outermost_ns: int
    device_total_outermost_ns: int
    calls_outermost: int
    host_self_excl_runtime_ns: int
    device_self_union_ns: int
    calls_launching: int
    tensor_core_eligible: bool
    tensor_core_total_ns: int


class Module(Record):
    path: str
    calls: int
    host_total_ns: int
    device_total_ns: int


class Kernel(Record):
    name: str
    kind: Literal['kernel', 'memcpy', 'memset']
    device: str
    calls: int
    total_ns: int
    min_ns: int
    max_ns: int
    p50_ns: int
    category: str
    tensor_core: bool
    launched_by: Rows[KernelLaunchedBy]
    mean_blocks_per_sm: Optional[float]
    mean_occupancy_percent: Optional[float]


class KernelLaunchedBy(Record):
    op: str
    ns: int


class Timeline(Record):
    device: str
    linked: TimelineLinked
    all: TimelineAll
    utilization_percent: Optional[float]
    sm_efficiency_percent: Optional[float]
    occupancy_percent: Optional[float]
    tensor_core_percent: Optional[float]


class TimelineLinked(Record):
    compute_ns: int
    exposed_communication_ns: int
    exposed_copy_ns: int
    busy_ns: int
    idle_ns: int
    total_ns: int


class TimelineAll(Record):
    compute_ns: int
    exposed_communication_ns: int
    exposed_copy_ns: int
    busy_ns: int
    idle_ns: int
    total_ns: int


class Memory(Record):
    device: str
    peak_allocated_bytes: Optional[int]
    peak_of_running_sum_bytes: int
    peak_reserved_bytes: Optional[int]
    peak_at_ns: Optional[int]
    end_allocated_bytes: Optional[int]
    growth_bytes_per_step: Optional[int]
    allocators: Rows[MemoryAllocators]
    top_ops: Rows[MemoryTopOps]


class MemoryAllocators(Record):
    name: str
    peak_allocated_bytes: Optional[int]
    peak_of_running_sum_bytes: int
    end_allocated_bytes: Optional[int]
    allocations: int


class MemoryTopOps(Record):
    op: str
    bytes: int


class Launches(Record):
    calls: int
    pairs: int
    median_call_ns: Optional[int]
    median_delay_ns: Optional[int]
    total_delay_ns: int
    max_delay_ns: int
    queue_empty: int
    queue_full: int
    queues: Rows[Queue]


class Queue(Record):
    device: str
    stream: int
    pairs: int
    max: int
    mean: float
    empty: int
    full: int


class CriticalPath(Record):
    step: int
    ns: int
    host_ns: int
    device_ns: int
    delay_ns: int
    rows: Rows[CriticalRow]


class CriticalRow(Record):
    name: str
    kind: str
    device: bool
    spans: int
    ns: int


class Communication(Record):
    union_ns: int
    overlap_with_kernels_ns: int
    exposed_vs_kernels_ns: int
    by_collective: Rows[Collective]


class Collective(Record):
    name: str
    calls: int
    ns: int
    bytes: Optional[int]


class InputStage(Record):
    name: str
    path: str
    self_ns: int
    calls: int
    user_written: bool
    total_ns: int
    blocking_ns: int
    written_as: str
    parallelism: int
    buffer_limit: int
    buffered_mean: float
    buffer_seen: int
    buffer_empty: int
    autotuned: bool


class PythonLine(Record):
    function: str
    file: str
    line: int
    samples: int
    self_ns: int
    total_ns: int


class Counter(Record):
    name: str
    series: str
    samples: int
    min: Optional[float]
    max: Optional[float]
    mean: Optional[float]
    last: Optional[float]


class Finding(Record):
    rule: str
    severity: Literal['high', 'medium', 'low', 'note']
    title: str
    sentence: str
    id: str
    args: Dict[str, Union[str, float, Message]]
    sentences: Rows[Message]
    causes: Rows[FindingCauses]
    saving: FindingSaving
    evidence: Rows[FindingEvidence]
    fix: str
    refuted_by: str
    confidence: Literal['high', 'medium', 'low']


class FindingCauses(Record):
    rule: str
    sentence: str
    id: str
    args: Dict[str, Union[str, float, Message]]


class FindingSaving(Record):
    lo_ns: int
    hi_ns: int
    likely_ns: int
    replay_lo_ns: int
    replay_hi_ns: int
    replayed: bool
    note: str
    notes: Rows[Message]


class FindingEvidence(Record):
    device: str
    rank: int
    step: Optional[int]
    start_ns: int
    ns: int
    events: List[int]
    slices: List[int]


class Report(Record):
    schema: Literal['stepscope.report/1']
    profile: Profile
    quality: Rows[Quality]
    verdict: Verdict
    steps: Steps
    idle_causes: Rows[IdleCause]
    ops: Rows[Op]
    ops_by_shape: Rows[OpByShape]
    modules: Rows[Module]
    hlo: Rows[Hlo]
    kernels: Rows[Kernel]
    links: ReportLinks
    device_timeline: Rows[Timeline]
    launches: Launches
    memory: Rows[Memory]
    communication: Optional[Communication]
    input: ReportInput
    python: Rows[PythonLine]
    recording: Optional[ReportRecording]
    counters: Rows[Counter]
    critical_path: Optional[CriticalPath]
    findings: Rows[Finding]
    rules: ReportRules


class ReportLinks(Record):
    device_events: int
    linked: int
    unlinked: int


class ReportInput(Record):
    wait_ns: List[int]
    stages: Rows[InputStage]


class ReportRecording(Record):
    program: str
    pid: int
    exit_code: Optional[int]
    signal: Optional[int]
    run_ns: Optional[int]
    hook_cpu_ns: Optional[int]
    helpers: int
    gpus: Rows[ReportRecordingGpus]
    step_source: str
    steps: Rows[ReportRecordingSteps]


class ReportRecordingGpus(Record):
    device: int
    in_use_share: float
    busy_share: float
    samples: int


class ReportRecordingSteps(Record):
    number: int
    start_ns: int
    duration_ns: int
    profiled: bool


class ReportRules(Record):
    checked: int
    fired: List[str]
    quiet: List[str]
    cannot_tell: Rows[ReportRulesCannotTell]
    ignored: Rows[ReportRulesIgnored]
    joint_saving_ns: int
    step_ns: int
    unprofiled_step_ns: Optional[int]


class ReportRulesCannotTell(Record):
    rule: str
    needs: str
    id: str
    args: Dict[str, Union[str, float, Message]]


class ReportRulesIgnored(Record):
    rule: str
    reason: str


class Reports(Record):
    schema: Literal['stepscope.reports/1']
    reports: Rows[Report]
    ranks: Dict[str, Any]
