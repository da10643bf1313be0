"""Taking what callers hold: TensorFlow's messages, serialized bytes, or files."""

import gzip
import os


def message_bytes(value, kind, what):
    """The serialized bytes of a message of this kind, given as such a message, as bytes, or as a path.

    ``what`` names the call in the error that other types get.
    """
    descriptor = getattr(value, "DESCRIPTOR", None)
    if descriptor is not None and hasattr(value, "SerializeToString"):
        if descriptor.name != kind:
            raise TypeError(f"{what} takes a {kind}, not a {descriptor.name}")
        return value.SerializeToString()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, (str, os.PathLike)):
        with open(value, "rb") as file:
            content = file.read()
        return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    raise TypeError(f"{what} takes a {kind}, its serialized bytes or a path, not {type(value).__name__}")
