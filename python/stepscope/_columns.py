"""Made by `make generate` from the lists of columns in src; do not edit."""

from typing import Literal

StepsColumn = Literal[
    "name",
    "number",
    "host_start_ns",
    "host_duration_ns",
    "start_ns",
    "duration_ns",
    "used",
    "why_unused",
    "trace",
]

OpsColumn = Literal[
    "name",
    "kind",
    "calls",
    "host_self_ns",
    "host_total_ns",
    "device_self_ns",
    "device_total_ns",
    "tensor_core_ns",
    "host_total_outermost_ns",
    "device_total_outermost_ns",
    "calls_outermost",
    "host_self_excl_runtime_ns",
    "device_self_union_ns",
    "calls_launching",
    "tensor_core_eligible",
    "tensor_core_total_ns",
    "trace",
]

OpsByShapeColumn = Literal[
    "name",
    "kind",
    "input_shapes",
    "calls",
    "host_self_ns",
    "host_total_ns",
    "device_self_ns",
    "device_total_ns",
    "tensor_core_ns",
    "host_total_outermost_ns",
    "device_total_outermost_ns",
    "calls_outermost",
    "host_self_excl_runtime_ns",
    "device_self_union_ns",
    "calls_launching",
    "tensor_core_eligible",
    "tensor_core_total_ns",
    "trace",
]

KernelsColumn = Literal[
    "name",
    "kind",
    "device",
    "calls",
    "total_ns",
    "min_ns",
    "max_ns",
    "p50_ns",
    "category",
    "tensor_core",
    "mean_blocks_per_sm",
    "mean_occupancy_percent",
    "mostly_launched_by",
    "trace",
]

TracksColumn = Literal[
    "name",
    "process",
    "process_name",
    "key",
    "kind",
    "device",
    "stream",
    "first_slice",
    "slices",
    "trace",
]

SlicesColumn = Literal[
    "start_ns",
    "duration_ns",
    "name",
    "kind",
    "track",
    "parent",
    "depth",
    "event",
    "flags",
    "trace",
]

FindingsColumn = Literal[
    "rule",
    "severity",
    "confidence",
    "saving_lo_ns",
    "saving_hi_ns",
    "saving_likely_ns",
    "title",
    "sentence",
    "fix",
    "trace",
]
