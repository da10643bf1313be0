"""What the recorder's hook touches of PyTorch, and nothing else: enough for a training loop without PyTorch."""

from . import autograd, cuda, optim, profiler, utils  # noqa: F401

__version__ = "2.99.0"
