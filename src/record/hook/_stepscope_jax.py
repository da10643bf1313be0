"""JAX: calls of the jitted function that repeats mark the steps, jax.profiler records the window."""

import functools
import glob
import os
import sys
import threading


class JaxProfiler:
    ours = taken = False
    marking = annotated = False  # our mark is being made; the program makes its own

    def __init__(self, jax):
        self.jax = jax
        self.path = None
        self.marker = None

    def busy(self):
        return "the program runs jax.profiler itself: its profile is its own, and none was taken beside it" if self.taken else None

    def start(self, path, step, window):
        self.path = path + "-jax"
        self.jax.profiler.start_trace(self.path)
        self._mark(step)

    def _mark(self, step):
        if self.marker is not None:
            self.marker.__exit__(None, None, None)
            self.marker = None
        if step is not None and not self.annotated:
            self.marking = True
            self.marker = self.jax.profiler.StepTraceAnnotation("step", step_num=step)
            self.marking = False
            self.marker.__enter__()

    def step(self, step):
        self._mark(step)

    def stop(self):
        self._mark(None)
        self.jax.profiler.stop_trace()
        return sorted(glob.glob(os.path.join(self.path, "**", "*.xplane.pb"), recursive=True))


class Repeats:
    """Which function the steps are calls of: of those whose calls repeat, the one that is called least. Helpers are called
    several times a step, so a function that was called once or twice since they began may still prove to be the step."""

    _PATIENCE = 1000

    def __init__(self, recorder):
        self.recorder = recorder
        self.calls = {}  # in the order of the first call
        self.chosen = None

    def called(self, key):
        if self.chosen is None:
            count = self.calls[key] = self.calls.get(key, 0) + 1
            if count < 4 or (count < self._PATIENCE and self._later_ones(key)):
                return
            repeated = [name for name, calls in self.calls.items() if calls >= 3]
            self.chosen = min(repeated, key=lambda name: self.calls[name])
        if key == self.chosen:
            self.recorder.mark("jit call")

    def _later_ones(self, key):
        names = list(self.calls)
        return any(self.calls[name] < 3 for name in names[names.index(key) + 1 :])


def install(hook, recorder, jax):
    driver = JaxProfiler(jax)
    recorder.frameworks("JAX", jax.__version__, driver)
    recorder.watch_clock()
    owners = [jax.profiler, sys.modules.get("jax._src.profiler", jax.profiler)]
    hook.guarded(hook.give_way)(recorder, driver, owners, "start_trace", "stop_trace")
    hook.guarded(hook.watch_annotations)(driver, jax.profiler.StepTraceAnnotation)
    repeats = Repeats(recorder)
    inside = threading.local()
    main = threading.main_thread().ident
    called = hook.guarded(repeats.called)
    original = jax.jit

    class Jitted:
        """A jitted function that says when an outermost call of it returns; all else is its own."""

        __slots__ = ("_function", "__weakref__", "__dict__")

        def __init__(self, function):
            self._function = function
            try:
                functools.update_wrapper(self, function)
            except Exception:  # pylint: disable=broad-except
                pass

        def __call__(self, *args, **kwargs):
            depth = getattr(inside, "depth", 0)
            inside.depth = depth + 1
            try:
                return self._function(*args, **kwargs)
            finally:
                inside.depth = depth
                if depth == 0 and threading.get_ident() == main:
                    called(id(self))

        def __getattr__(self, name):
            return getattr(self._function, name)

        def __get__(self, instance, owner=None):
            return self if instance is None else functools.partial(self, instance)

        def __repr__(self):
            return repr(self._function)

    @functools.wraps(original)
    def jit(*args, **kwargs):
        made = original(*args, **kwargs)
        # Without a function, jit is a decorator that waits for one.
        if not args and "fun" not in kwargs:
            return lambda function: Jitted(made(function))
        return Jitted(made)

    jax.jit = jit
