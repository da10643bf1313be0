from . import optimizer  # noqa: F401
from .optimizer import SGD  # noqa: F401

del optimizer  # as PyTorch does
