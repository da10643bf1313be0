"""TensorFlow's profiling interfaces on the engine of stepscope.

Programs written for TensorFlow need other import lines and nothing else::

    from tensorflow.python.client import timeline
    from stepscope.tensorflow import timeline

    from tensorflow.python.profiler import model_analyzer, option_builder
    from stepscope.tensorflow.profiler import model_analyzer, option_builder

Nothing here imports TensorFlow by itself: files and serialized messages are read without it, and where a program has
imported it, results are TensorFlow's own messages.
"""

import importlib

_HOMES = {
    "Timeline": "timeline",
    "TimelineMerger": "timeline",
    "ProfileCallback": "_callback",
    "trainable_variables": "_variables",
    "LeastLoadedDeviceSetter": "_placement",
    "variables_on_cpu": "_placement",
    "is_input_bound": "_input",
    "thread_settings": "_threads",
    "Profiler": "profiler",
    "ProfileOptionBuilder": "profiler",
    "profile": "profiler",
    "advise": "profiler",
    "write_op_log": "profiler",
}
_MODULES = {
    "timeline": "timeline",
    "profiler": "profiler",
    "model_analyzer": "profiler.model_analyzer",
    "option_builder": "profiler.option_builder",
}

__all__ = [*_HOMES, *_MODULES]


def __getattr__(name):
    if name in _HOMES:
        value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"{__name__}.{_MODULES[name]}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
