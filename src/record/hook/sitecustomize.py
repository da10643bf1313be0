# Python imports this at its start, because `stepscope record` puts its folder first on PYTHONPATH. It starts the hook and
# then gives way to a sitecustomize of the program's own. It runs on any Python, so it keeps to what all of them understand.
import os
import sys


def _stepscope_start():
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != folder]
    try:
        if sys.version_info >= (3, 7) and os.environ.get("STEPSCOPE_RECORD_DIR"):
            import importlib.util

            name = "_stepscope_hook"
            spec = importlib.util.spec_from_file_location(name, os.path.join(folder, name + ".py"))
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
            module.start(folder)
    except Exception:  # the program comes first
        pass


_stepscope_start()
del _stepscope_start

# The one that ours hides. Its own errors are the program's business, as without us.
_stepscope_own = sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize  # noqa: F401
except ImportError as _error:
    sys.modules["sitecustomize"] = _stepscope_own
    if getattr(_error, "name", None) not in (None, "sitecustomize"):
        raise
