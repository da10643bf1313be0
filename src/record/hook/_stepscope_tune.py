"""`stepscope tune` tries values of environment variables. A program that sets them itself, by os.environ or by a call of its
framework, gets the value that is tried; what it wanted is noted. What cannot be overruled is noted as lost."""

import functools
import os

# Functions that set what a variable stands for.
_CALLS = {
    "torch": (("set_num_threads", "OMP_NUM_THREADS"),),
    "tensorflow.config.threading": (("set_intra_op_parallelism_threads", "TF_NUM_INTRAOP_THREADS"),
                                    ("set_inter_op_parallelism_threads", "TF_NUM_INTEROP_THREADS")),
}
_CONFIG = (("intra_op_parallelism_threads", "TF_NUM_INTRAOP_THREADS"),
           ("inter_op_parallelism_threads", "TF_NUM_INTEROP_THREADS"))


class Tuned:
    def __init__(self, names, note):
        self.values = {name: os.environ[name] for name in names if name in os.environ}
        self.note = note  # (key, value): a fact of the recording

    def overrule(self, what, wanted):
        self.note("overruled." + what, wanted)

    def keep_environment(self):
        owner = type(os.environ)
        assign, remove = owner.__setitem__, owner.__delitem__

        @functools.wraps(assign)
        def set_item(environ, name, value):
            if environ is os.environ and name in self.values and value != self.values[name]:
                self.overrule(name, value)
                return
            assign(environ, name, value)

        @functools.wraps(remove)
        def delete_item(environ, name):
            if environ is os.environ and name in self.values:
                self.overrule(name, "")
                return
            remove(environ, name)

        owner.__setitem__, owner.__delitem__ = set_item, delete_item

    def keep_calls(self, module_name, module):
        for function, variable in _CALLS.get(module_name, ()):
            original = getattr(module, function, None)
            if original is None or not self.values.get(variable, "").isdigit():
                continue

            def call(count, *args, _original=original, _what=module_name + "." + function, _variable=variable, **kwargs):
                value = int(self.values[_variable])
                if count != value:
                    self.overrule(_what, count)
                return _original(value, *args, **kwargs)

            setattr(module, function, functools.wraps(original)(call))

    def keep_sessions(self, session):
        """ConfigProto of TensorFlow 1 comes with the session."""
        wanted = [(field, name) for field, name in _CONFIG if self.values.get(name, "").isdigit()]
        owner = next((base for base in session.__mro__ if "__init__" in base.__dict__), None)
        if not wanted or owner is None:
            return
        original = owner.__init__

        @functools.wraps(original)
        def init(session, target="", graph=None, config=None):
            if config is not None:
                changed = type(config)()
                changed.CopyFrom(config)
                for field, name in wanted:
                    value = int(self.values[name])
                    if getattr(config, field) not in (0, value):
                        self.overrule("ConfigProto." + field, getattr(config, field))
                        setattr(changed, field, value)
                config = changed
            original(session, target, graph, config)

        owner.__init__ = init

    def finish(self):
        """C code may have changed the environment behind Python's back."""
        import ctypes

        getenv = ctypes.CDLL(None).getenv
        getenv.restype = ctypes.c_char_p
        for name, value in self.values.items():
            now = getenv(name.encode())
            if now != value.encode():
                self.note("lost." + name, "" if now is None else now.decode("utf-8", "replace"))
