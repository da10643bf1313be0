"""The dict of options as the message the engine takes: TensorFlow's OptionsProto."""

import operator

from stepscope._messages import tensorflow_imported

# Name: (field number, kind, default). As TensorFlow has them; lists that are not given are empty.
_FIELDS = {
    "max_depth": (1, "int", 10),
    "min_bytes": (2, "int", 0),
    "min_peak_bytes": (19, "int", 0),
    "min_residual_bytes": (20, "int", 0),
    "min_output_bytes": (21, "int", 0),
    "min_micros": (3, "int", 0),
    "min_accelerator_micros": (22, "int", 0),
    "min_cpu_micros": (23, "int", 0),
    "min_params": (4, "int", 0),
    "min_float_ops": (5, "int", 0),
    "min_occurrence": (17, "int", 0),
    "step": (18, "int", -1),
    "order_by": (7, "str", "name"),
    "account_type_regexes": (8, "list", ()),
    "start_name_regexes": (9, "list", ()),
    "trim_name_regexes": (10, "list", ()),
    "show_name_regexes": (11, "list", ()),
    "hide_name_regexes": (12, "list", ()),
    "account_displayed_op_only": (13, "bool", False),
    "select": (14, "list", ()),
    "output": (15, "str", "stdout"),
    "dump_to_file": (16, "str", ""),
}


def _varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(value):
    value = operator.index(value)
    if not -(1 << 63) <= value < 1 << 63:
        raise ValueError(f"Value out of range: {value}")
    return _varint(value)


def _text(value):
    if isinstance(value, bytes):
        value.decode()  # as protobuf: UTF-8 or an error
        return value
    if not isinstance(value, str):
        raise TypeError("bad argument type for built-in operation")
    return value.encode()


def _tagged(number, content):
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def encode(options):
    """The options' serialized OptionsProto. Values of the wrong type get protobuf's exceptions.

    >>> from stepscope.tensorflow.profiler._options import encode
    >>> encode({"max_depth": 3, "step": 0, "order_by": "", "output": ""})
    b'\\x08\\x03'
    """
    if tensorflow_imported():
        return _encode_by_tensorflow(options)
    out = b""
    for name, (number, kind, default) in _FIELDS.items():
        value = options.get(name, default)
        if kind == "list":
            out += b"".join(_tagged(number, _text(item)) for item in value)
        elif kind == "str":
            content = _text(value)
            out += _tagged(number, content) if content else b""
        else:
            content = _number(value)
            out += _varint(number << 3) + content if content != b"\0" else b""
    return out


def _encode_by_tensorflow(options):
    from tensorflow.core.profiler import tfprof_options_pb2

    message = tfprof_options_pb2.OptionsProto()
    for name, (_, kind, default) in _FIELDS.items():
        value = options.get(name, default)
        if kind == "list":
            for item in value:
                getattr(message, name).append(item)
        else:
            setattr(message, name, value)
    return message.SerializeToString()
