"""Says why a training or inference step takes as long as it does.

>>> import stepscope
>>> profile = stepscope.open("examples/cudagraph_infer.pt.trace.json.gz")
>>> profile.report().verdict.bound_by
'compute'

Importing this package loads next to nothing; the engine comes with the first call.
"""

import importlib
import os
import sys

# Where each public name lives. Loaded when it is first asked for, so that importing stays cheap.
_HOMES = {
    "open": "_profile",
    "diff": "_diff",
    "record": "_recording",
    "Diff": "_diff",
    "Profile": "_profile",
    "Report": "_report",
    "Table": "_table",
    "Error": "_errors",
    "ReadError": "_errors",
    "WriteError": "_errors",
    "UsageError": "_errors",
    "load_ipython_extension": "_notebook",
}
_MODULES = ("tensorflow", "torch", "jax", "events", "nan", "gpus")
# Modules that need the library they are named after, or pytest: import stepscope.lightning, .transformers, .ignite, .pytest.

__all__ = ["__version__", *(name for name in _HOMES if name != "load_ipython_extension"), *_MODULES]


def _load_native():
    """The engine, loaded so that it finds its own libraries first: TensorFlow shows the whole process an RE2 and a zstd of
    other versions, and an engine that ran into those would crash. The sanitizers cannot have it that way."""
    kept = sys.getdlopenflags()
    preloaded = os.environ.get("LD_PRELOAD", "")
    sanitized = "tsan" in preloaded or "asan" in preloaded  # libtsan.so, libclang_rt.tsan-x86_64.so
    alone = 0 if sanitized else getattr(os, "RTLD_DEEPBIND", 0)
    sys.setdlopenflags(os.RTLD_NOW | alone)
    try:
        return importlib.import_module("stepscope._native")
    finally:
        sys.setdlopenflags(kept)


def __getattr__(name):
    if name == "_native":
        value = _load_native()
    elif name == "__version__":
        value = __getattr__("_native").__version__
    elif name in _HOMES:
        value = getattr(importlib.import_module(f"stepscope.{_HOMES[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"stepscope.{name}")
    else:
        raise AttributeError(f"module 'stepscope' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
