"""Protobuf messages without protobuf.

`parse("GraphNodeProto", data)` gives TensorFlow's own message when TensorFlow is imported, else a `Message`: a small
read-only object with the same field names, defaults and `HasField`.
"""
from __future__ import annotations

import struct
import sys
from typing import Any, Iterator

# Field: (name, kind, repeated). Kinds: int, uint, bool, float, double, str, bytes, the name of a message, or
# "map:KEY:VALUE".
_SCHEMAS: dict[str, dict[int, tuple[str, str, bool]]] = {
    "TensorShapeProto": {2: ("dim", "TensorShapeDim", True), 3: ("unknown_rank", "bool", False)},
    "TensorShapeDim": {1: ("size", "int", False), 2: ("name", "str", False)},
    "GraphNodeProto": {
        1: ("name", "str", False), 2: ("exec_micros", "int", False), 3: ("requested_bytes", "int", False),
        4: ("parameters", "int", False), 6: ("total_exec_micros", "int", False),
        7: ("total_requested_bytes", "int", False), 8: ("total_parameters", "int", False),
        10: ("devices", "str", True), 11: ("shapes", "TensorShapeProto", True),
        12: ("children", "GraphNodeProto", True), 13: ("float_ops", "int", False),
        14: ("total_float_ops", "int", False), 15: ("tensor_value", "TFProfTensorProto", False),
        16: ("input_shapes", "map:int:TensorShapeProto", True), 17: ("accelerator_exec_micros", "int", False),
        18: ("cpu_exec_micros", "int", False), 19: ("total_accelerator_exec_micros", "int", False),
        20: ("total_cpu_exec_micros", "int", False), 21: ("run_count", "int", False),
        22: ("total_run_count", "int", False), 23: ("total_definition_count", "int", False),
        24: ("peak_bytes", "int", False), 25: ("residual_bytes", "int", False), 26: ("output_bytes", "int", False),
        27: ("total_peak_bytes", "int", False), 28: ("total_residual_bytes", "int", False),
        29: ("total_output_bytes", "int", False)},
    "TFProfTensorProto": {
        1: ("dtype", "int", False), 2: ("value_double", "double", True), 3: ("value_int64", "int", True),
        4: ("value_str", "str", True)},
    "MultiGraphNodeProto": {
        1: ("name", "str", False), 2: ("exec_micros", "int", False), 3: ("requested_bytes", "int", False),
        4: ("parameters", "int", False), 5: ("float_ops", "int", False), 6: ("total_exec_micros", "int", False),
        7: ("total_requested_bytes", "int", False), 8: ("total_parameters", "int", False),
        9: ("total_float_ops", "int", False), 10: ("graph_nodes", "GraphNodeProto", True),
        11: ("children", "MultiGraphNodeProto", True), 12: ("accelerator_exec_micros", "int", False),
        13: ("cpu_exec_micros", "int", False), 14: ("total_accelerator_exec_micros", "int", False),
        15: ("total_cpu_exec_micros", "int", False), 16: ("peak_bytes", "int", False),
        17: ("residual_bytes", "int", False), 18: ("output_bytes", "int", False),
        19: ("total_peak_bytes", "int", False), 20: ("total_residual_bytes", "int", False),
        21: ("total_output_bytes", "int", False)},
    "AdviceProto": {1: ("checkers", "map:str:AdviceChecker", True)},
    "AdviceChecker": {2: ("reports", "str", True)},
    "Event": {
        1: ("wall_time", "double", False), 2: ("step", "int", False), 3: ("file_version", "str", False),
        4: ("graph_def", "bytes", False), 5: ("summary", "Summary", False), 6: ("log_message", "LogMessage", False),
        7: ("session_log", "SessionLog", False), 8: ("tagged_run_metadata", "TaggedRunMetadata", False),
        9: ("meta_graph_def", "bytes", False), 10: ("source_metadata", "SourceMetadata", False)},
    "LogMessage": {1: ("level", "int", False), 2: ("message", "str", False)},
    "SessionLog": {1: ("status", "int", False), 2: ("checkpoint_path", "str", False), 3: ("msg", "str", False)},
    "TaggedRunMetadata": {1: ("tag", "str", False), 2: ("run_metadata", "bytes", False)},
    "SourceMetadata": {1: ("writer", "str", False)},
    "Summary": {1: ("value", "SummaryValue", True)},
    "SummaryValue": {
        1: ("tag", "str", False), 2: ("simple_value", "float", False),
        3: ("obsolete_old_style_histogram", "bytes", False), 4: ("image", "SummaryImage", False),
        5: ("histo", "HistogramProto", False), 6: ("audio", "SummaryAudio", False), 7: ("node_name", "str", False),
        8: ("tensor", "TensorProto", False), 9: ("metadata", "SummaryMetadata", False)},
    "SummaryImage": {
        1: ("height", "int", False), 2: ("width", "int", False), 3: ("colorspace", "int", False),
        4: ("encoded_image_string", "bytes", False)},
    "SummaryAudio": {
        1: ("sample_rate", "float", False), 2: ("num_channels", "int", False), 3: ("length_frames", "int", False),
        4: ("encoded_audio_string", "bytes", False), 5: ("content_type", "str", False)},
    "HistogramProto": {
        1: ("min", "double", False), 2: ("max", "double", False), 3: ("num", "double", False),
        4: ("sum", "double", False), 5: ("sum_squares", "double", False), 6: ("bucket_limit", "double", True),
        7: ("bucket", "double", True)},
    "SummaryMetadata": {
        1: ("plugin_data", "PluginData", False), 2: ("display_name", "str", False),
        3: ("summary_description", "str", False), 4: ("data_class", "int", False)},
    "PluginData": {1: ("plugin_name", "str", False), 2: ("content", "bytes", False)},
    "TensorProto": {
        1: ("dtype", "int", False), 2: ("tensor_shape", "TensorShapeProto", False),
        3: ("version_number", "int", False), 4: ("tensor_content", "bytes", False), 5: ("float_val", "float", True),
        6: ("double_val", "double", True), 7: ("int_val", "int", True), 8: ("string_val", "bytes", True),
        10: ("int64_val", "int", True), 11: ("bool_val", "bool", True), 13: ("half_val", "int", True)},
}

# Fields of which a message holds at most one; for these and for messages HasField tells whether it is there.
_ONEOFS: dict[str, tuple[str, frozenset[str]]] = {
    "Event": ("what", frozenset({"file_version", "graph_def", "summary", "log_message", "session_log",
                                 "tagged_run_metadata", "meta_graph_def"})),
    "SummaryValue": ("value", frozenset({"simple_value", "obsolete_old_style_histogram", "image", "histo", "audio",
                                         "tensor"})),
}

_DEFAULTS: dict[str, Any] = {"int": 0, "uint": 0, "bool": False, "float": 0.0, "double": 0.0, "str": "", "bytes": b""}
_FIXED = {"float": struct.Struct("<f"), "double": struct.Struct("<d")}

# Where TensorFlow keeps its message of the name.
_TENSORFLOW = {
    "GraphNodeProto": "tensorflow.core.profiler.tfprof_output_pb2",
    "MultiGraphNodeProto": "tensorflow.core.profiler.tfprof_output_pb2",
    "AdviceProto": "tensorflow.core.profiler.tfprof_output_pb2",
    "Event": "tensorflow.core.util.event_pb2",
}


class DecodeError(ValueError):
    """Bytes that are no message."""


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise DecodeError("Error parsing message")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data: memoryview) -> Iterator[tuple[int, int, Any]]:
    """Every field of a message: number, wire type, raw value."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        value: Any
        if wire == 0:
            value, at = _varint(data, at)
        else:
            size = 8 if wire == 1 else 4 if wire == 5 else -1
            if wire == 2:
                size, at = _varint(data, at)
            if size < 0 or number == 0 or at + size > len(data):
                raise DecodeError("Error parsing message")
            value = data[at:at + size]
            at += size
        yield number, wire, value


def _signed(value: int) -> int:
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def _scalar(kind: str, wire: int, value: Any) -> Any:
    if kind in ("int", "uint", "bool"):
        if wire != 0:
            raise DecodeError("Error parsing message")
        return bool(value) if kind == "bool" else _signed(value) if kind == "int" else value
    if kind in _FIXED:
        if len(value) != _FIXED[kind].size:
            raise DecodeError("Error parsing message")
        return _FIXED[kind].unpack(value)[0]
    if kind == "str":
        return bytes(value).decode("utf-8", "replace")
    if kind == "bytes":
        return bytes(value)
    return Message(kind, value)


def _packed(kind: str, data: memoryview) -> Iterator[Any]:
    if kind in _FIXED:
        if len(data) % _FIXED[kind].size:
            raise DecodeError("Error parsing message")
        for (value,) in _FIXED[kind].iter_unpack(data):
            yield value
        return
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield _scalar(kind, 0, value)


class Message:
    """A protobuf message, read-only: its fields are attributes, messages inside it are read when asked for.

    >>> from stepscope._messages import Message
    >>> node = Message("GraphNodeProto", b"\\x0a\\x04conv\\x10\\x07")
    >>> node.name, node.exec_micros, list(node.children)
    ('conv', 7, [])
    """
    __slots__ = ("_kind", "_data", "_values")

    def __init__(self, kind: str, data: Any = b"") -> None:
        self._kind = kind
        self._data = memoryview(data)
        self._values: dict[str, Any] | None = None

    def _decoded(self) -> dict[str, Any]:
        if self._values is not None:
            return self._values
        values: dict[str, Any] = {}
        schema = _SCHEMAS[self._kind]
        _, oneof = _ONEOFS.get(self._kind, ("", frozenset()))
        for number, wire, raw in _fields(self._data):
            if number not in schema:
                continue
            name, kind, repeated = schema[number]
            if kind.startswith("map:"):
                _, key_kind, value_kind = kind.split(":")
                entry: dict[int, Any] = {1: _DEFAULTS.get(key_kind), 2: Message(value_kind)}
                for part, part_wire, part_raw in _fields(raw):
                    entry[part] = _scalar(key_kind if part == 1 else value_kind, part_wire, part_raw)
                values.setdefault(name, {})[entry[1]] = entry[2]
            elif repeated and wire == 2 and kind in ("int", "uint", "bool", "float", "double"):
                values.setdefault(name, []).extend(_packed(kind, raw))
            elif repeated:
                values.setdefault(name, []).append(_scalar(kind, wire, raw))
            else:
                if name in oneof:
                    for other in oneof & values.keys():
                        del values[other]
                values[name] = _scalar(kind, wire, raw)
        self._values = values
        return values

    def __getattr__(self, name: str) -> Any:
        for field, kind, repeated in _SCHEMAS[self._kind].values():
            if field == name:
                found = self._decoded().get(name)
                if found is not None:
                    return found
                if kind.startswith("map:"):
                    return {}
                return () if repeated else _DEFAULTS[kind] if kind in _DEFAULTS else Message(kind)
        raise AttributeError(f"{self._kind} has no field {name!r}")

    def __dir__(self) -> list[str]:
        return sorted(name for name, _, _ in _SCHEMAS[self._kind].values())

    def HasField(self, name: str) -> bool:
        """Whether the field is there; ValueError for one that has no presence, as protobuf has it."""
        oneof_name, oneof = _ONEOFS.get(self._kind, ("", frozenset()))
        if name == oneof_name:
            return bool(oneof & self._decoded().keys())
        for field, kind, repeated in _SCHEMAS[self._kind].values():
            if field == name:
                if repeated or (name not in oneof and kind in _DEFAULTS):
                    raise ValueError(f'Field {self._kind}.{name} does not have presence.')
                return name in self._decoded()
        raise ValueError(f'Protocol message {self._kind} has no "{name}" field.')

    def WhichOneof(self, name: str) -> str | None:
        """Which field of a oneof is there, or None."""
        oneof_name, oneof = _ONEOFS.get(self._kind, ("", frozenset()))
        if name != oneof_name or not name:
            raise ValueError(f'Protocol message {self._kind} has no oneof "{name}" field.')
        return next(iter(oneof & self._decoded().keys()), None)

    def SerializeToString(self) -> bytes:
        """The bytes it was read from."""
        return bytes(self._data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and self._kind == other._kind and self._decoded() == other._decoded()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self._decoded().items())
        return f"{self._kind}({values})"


def tensorflow_imported() -> bool:
    """Whether the program uses TensorFlow; never imports it."""
    return "tensorflow" in sys.modules and hasattr(sys.modules["tensorflow"], "__version__")


def parse(kind: str, data: bytes) -> Any:
    """The message of these bytes; TensorFlow's own type where TensorFlow is imported."""
    if not tensorflow_imported():
        return Message(kind, data)
    import importlib
    message = getattr(importlib.import_module(_TENSORFLOW[kind]), kind)()
    from google.protobuf.message import DecodeError as ProtobufDecodeError
    try:
        message.ParseFromString(data)
    except ProtobufDecodeError as error:
        sys.stderr.write(f"Cannot parse returned proto: {error}.\n")
    return message
