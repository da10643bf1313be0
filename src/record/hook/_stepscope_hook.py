"""The part of `stepscope record` that runs inside a Python program: it waits for a framework to be imported, times every
step, and runs the framework's own profiler for a window of steps. Whatever goes wrong here is noted in the recording and
never reaches the program."""

import atexit
import functools
import importlib.util
import os
import struct
import sys
import time
import zlib

_NOW = time.monotonic_ns
_FACTS, _CLOCK, _STEPS, _END = 10, 9, 13, 12
_FLUSH_NS = 100_000_000  # a killed program loses at most this much of its step times
_RANK_NAMES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
_WORLD_NAMES = ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE")


def guarded(function):
    """The program comes first: an error of ours is a note in the recording."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:  # pylint: disable=broad-except
            note("the hook failed in %s: %s" % (function.__name__, error))
            return None

    return call


def _first_number(names):
    for name in names:
        value = os.environ.get(name, "")
        if value.isdigit():
            return int(value)
    return None


class BlockFile:
    """Appends blocks with a checksum: docs/record.md has the format."""

    def __init__(self, folder, path=None):
        self.folder = folder
        self.path = path  # None: of this process, by its rank and number
        self.fd = None
        self.name = None
        self.full = False  # a disk without room ends the recording, not the program

    def _open(self):
        if self.path is not None:
            self.fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
            os.write(self.fd, b"SSREC\r\n\x1a" + struct.pack("<II", 1, 0))
            self.clock()
            return
        rank = _first_number(_RANK_NAMES)
        front = "process-%d" % os.getpid() if rank is None else "rank%d-%d" % (rank, os.getpid())
        for attempt in range(1000):  # a program that calls exec keeps its number
            name = front if attempt == 0 else "%s-%d" % (front, attempt)
            try:
                path = os.path.join(self.folder, name + "-steps.ssrec")
                self.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
                break
            except FileExistsError:
                continue
        self.name = name
        os.write(self.fd, b"SSREC\r\n\x1a" + struct.pack("<II", 1, 0))
        self.fact("pid", os.getpid())
        self.fact("python", "%d.%d.%d" % sys.version_info[:3])
        for key, names in (("rank", _RANK_NAMES), ("world_size", _WORLD_NAMES)):
            number = _first_number(names)
            if number is not None:
                self.fact(key, number)
        self.clock()

    def clock(self):
        before = _NOW()
        real = time.time_ns()
        self.block(_CLOCK, 1, struct.pack("<qq", (before + _NOW()) // 2, real), before, before)

    def close(self):
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None
            self.full = True  # what comes later is of no recording

    def block(self, kind, rows, payload, first, last):
        if self.full:
            return
        if self.fd is None:
            self._open()
        head = struct.pack("<BBHIIqqI", kind, 0, 1, len(payload), len(payload), first, last, rows)
        crc = zlib.crc32(payload, zlib.crc32(head))
        block = b"SSB1" + head + struct.pack("<I", crc) + payload
        try:
            self.full = os.write(self.fd, block) != len(block)
        except OSError:
            self.full = True

    def fact(self, key, value):
        key, value = str(key).encode(), str(value).encode("utf-8", "replace")
        now = _NOW()
        self.block(_FACTS, 1, struct.pack("<II", len(key), len(value)) + key + value, now, now)


class Window:
    """Which steps the framework's profiler sees: STEPSCOPE_RECORD_WINDOW, like "first=20;count=11"."""

    def __init__(self, text):
        given = dict(part.split("=", 1) for part in text.split(";") if "=" in part)
        number = lambda key: float(given[key]) if key in given else None  # noqa: E731
        self.first = number("first")
        self.count = number("count")
        self.after = number("after")  # seconds since the framework was imported
        self.length = number("for")
        self.every = number("every")
        self.bytes = number("bytes") or 500e6
        self.stacks = given.get("stacks") == "1"
        self.memory = given.get("memory") == "1"
        self.settle = given.get("settle") == "1"  # begin when a marker came twice: one that says more may follow the first
        self.native = given.get("native") == "1"  # the library that CUDA loads records, not the framework
        self.never = given.get("never") == "1"  # steps are timed, no profiler runs
        chosen = self.first is not None or self.after is not None or self.every is not None
        if not chosen:
            self.first, self.after = 10, 20
        if self.count is None and self.length is None:
            self.count = 10
        if self.length is None and not chosen:
            self.length = 10

    def begins(self, step, elapsed):
        if self.every:
            return step > 0 and step % self.every == 0
        return (self.first is not None and step >= self.first) or (self.after is not None and elapsed >= self.after)

    def ends(self, steps, elapsed, grown):
        if self.count is not None and steps >= self.count:
            return True
        return (self.length is not None and elapsed >= self.length) or grown >= self.bytes


def _resident():
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except Exception:  # pylint: disable=broad-except
        return 0


class Recorder:
    """Steps from the first to the last, and the window of the profiler among them."""

    # A marker that says more replaces one that says less.
    _PRIORITY = {"time": 0, "loader": 1, "jit call": 1, "function call": 1, "session.run": 2, "train batch": 3, "optimizer": 3,
                 "given": 4}

    def __init__(self, folder, out, window):
        self.folder = folder
        self.tuned = None  # of `stepscope tune`
        self.driver = None  # of the framework that was imported
        self.listens = False  # for `stepscope capture python:PID`
        self.listener = None
        self.asked = None  # a window that somebody outside asked for
        self.open(out, window)

    def open(self, out, window):
        """Begins a recording in the directory `out`."""
        self.out = out
        self.file = BlockFile(self.out)
        self.window = Window(window)
        driver = self.driver
        self.reset()
        self.driver = driver
        self.closed = False

    def close(self):
        """Ends it; what marks steps stays in the frameworks and costs next to nothing."""
        self.finish()
        self.closed = True
        self.file.close()

    def reset(self):
        self.source = None
        self.key = None
        self.count = 0
        self.last = 0
        self.pending = bytearray()
        self.pending_rows = 0
        self.pending_first = 0
        self.flushed = 0
        self.driver = None  # of the framework that was imported
        self.active = False
        self.windows = 0
        self.done = False
        self.imported = None
        self.last_mark = 0
        self.own_cpu = 0
        self.measured = 0
        self.flush_cpu = 0

    def after_fork(self):
        """A child writes a file of its own and leaves the profiler to its parent."""
        if self.file.fd is not None:
            os.close(self.file.fd)
        full = self.file.full
        self.file = BlockFile(self.out)
        self.file.full = full
        driver = self.driver
        self.reset()
        self.driver = driver
        self.done = True
        self.asked = None
        if self.listener is not None:
            self.listener.after_fork()
            self.listener = None

    def frameworks(self, name, version, driver):
        if not self.window.native:
            # CUDA has not begun yet: the framework's own profiler gets the GPU to itself.
            for variable in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"):
                if os.path.dirname(os.environ.get(variable, "")) == self.folder:
                    del os.environ[variable]
        if self.driver is None:
            self.driver = driver
            self.done = self.window.native or self.window.never
            self.imported = _NOW()
            self.file.fact("framework", name)
            self.file.fact("framework_version", version)
            self.listen()

    @guarded
    def listen(self):
        """Somebody may ask for a profile later."""
        if self.listens and self.listener is None and not self.window.native:
            self.listener = _sibling(self.folder, "_stepscope_ask").Listener(sys.modules[__name__], self)
            self.listener.listen()

    def has_steps(self):
        return self.source is not None and self.idle_for() < 30

    def idle_for(self):
        """Seconds since the last step."""
        return (_NOW() - self.last_mark) / 1e9

    def ask(self, request):
        """A window for somebody outside, from the next step on. Returns why not, or None."""
        if self.driver is None:
            return "it has imported no framework"
        if self.active or self.asked is not None:
            return "its profile is being recorded at the moment"
        reason = self.driver.busy()
        if reason:
            return reason
        self.kept = self.window, self.done
        self.asked = request
        self.window = request.window
        self.done = False
        return None

    def withdraw(self, request):
        """Whether it had not begun."""
        if self.asked is not request or self.active:
            return False
        self.window, self.done = self.kept
        self.asked = None
        return True

    def _answer_asked(self, paths, failure=None):
        request, self.asked = self.asked, None
        self.window, self.done = self.kept
        request.steps = self.count - self.window_first
        request.failure = failure
        request.paths = list(paths)

    def mark(self, source, key=None):
        """The end of a step. Called on every step of the program: about 2 µs."""
        if self.closed:
            return
        measured = self.count & 63 == 32
        cpu = time.thread_time_ns() if measured else 0
        flushed = self.flush_cpu
        now = _NOW()
        self.last_mark = now
        if source != self.source or key != self.key:
            if not self._take(source, key, now):
                return
        elif self.last:
            self._add(self.last, now, 1 if self.active else 0)
        self.last = now
        if not self.done and self._steer(now):
            self.last = _NOW()
        if measured:
            self.own_cpu += time.thread_time_ns() - cpu - self.flush_cpu + flushed
            self.measured += 1

    def expect_given(self):
        """The program says itself when each step ends: no other marker counts, not even before the first."""
        self._take("given", None, 0)

    def _take(self, source, key, now):
        """Whether a marker of another kind takes over; steps are then counted anew."""
        if self.source is not None and self._PRIORITY[source] <= self._PRIORITY[self.source]:
            return False
        self.source, self.key = source, key
        self.count = 0
        self.last = now
        self.file.fact("step_source", source)
        return True

    def _add(self, start, end, flags):
        if not self.pending_rows:
            self.pending_first = start
        self.pending += struct.pack("<qqII", start, end, self.count, flags)
        self.pending_rows += 1
        self.count += 1
        if end - self.flushed > _FLUSH_NS:
            self.flush(end)

    def flush(self, now):
        if self.pending_rows:
            cpu = time.thread_time_ns()
            self.file.block(_STEPS, self.pending_rows, bytes(self.pending), self.pending_first, now)
            self.pending = bytearray()
            self.pending_rows = 0
            self.flush_cpu += time.thread_time_ns() - cpu
        self.flushed = now

    def _steer(self, now):
        """Starts, steps or stops the profiler at the border of a step. True if that took time."""
        if self.driver is None or self.source == "time":
            return False
        if self.active:
            steps = self.count - self.window_first
            if self.window.ends(steps, (now - self.window_start) / 1e9, _resident() - self.window_memory):
                self.stop()
            else:
                self.driver.step(self.count)
            return True
        if self.window.settle and not self.count and self.source != "given":
            return False
        if self.window.begins(self.count, (now - self.imported) / 1e9):
            self.begin()
            return True
        return False

    @guarded
    def begin(self):
        if self.active or self.done or self.driver is None:
            return
        self.done = not self.window.every  # whatever happens, it is not tried at every step
        self.window_first = self.count
        reason = self.driver.busy()
        if reason:
            if self.asked is not None:
                self._answer_asked((), reason)
            else:
                note(reason)
            return
        atexit.register(self.finish)  # before what the framework registered at import
        self.window_memory = _resident()
        if self.asked is not None:
            path = os.path.join(self.asked.folder, "pid%d" % os.getpid())
        else:
            self.windows += 1
            path = os.path.join(self.out, "%s%s" % (self.file.name, "" if self.windows == 1 else "-window%d" % self.windows))
        self.driver.ours = True
        try:
            self.driver.start(path, self.count, self.window)
        except Exception as error:
            if self.asked is not None:
                self._answer_asked((), str(error))
            raise
        finally:
            self.driver.ours = False
        self.active = True
        self.done = False
        self.window_start = _NOW()
        if self.asked is not None:
            self.asked.began = True
            return
        if self.window.count is not None:
            self.file.fact("window_count", int(self.window.count))
        self.file.fact("window_from", self.count)

    @guarded
    def stop(self):
        if not self.active:
            return
        self.active = False
        self.done = not self.window.every
        if self.asked is None:
            self.file.fact("window_to", self.count)
        paths, failure = (), "its profiler failed"
        self.driver.ours = True
        try:
            paths = self.driver.stop() or ()
            failure = None
        finally:
            self.driver.ours = False
            asked = self.asked is not None
            if asked:
                self._answer_asked(paths, failure)
        for path in () if asked else paths:
            self.file.fact("profile", os.path.relpath(path, self.out))

    @guarded
    def finish(self):
        self.stop()
        if self.file.fd is not None:
            if self.tuned is not None:
                self.tuned.finish()
            if self.measured:
                self.flush(_NOW())
                self.file.fact("hook_cpu_ns", self.own_cpu * self.count // self.measured + self.flush_cpu)
            self.flush(_NOW())


_recorder = None
_noted = set()


def note(sentence):
    """What is missing in the recording, once."""
    try:
        if _recorder is not None and sentence not in _noted and len(_noted) < 20:
            _noted.add(sentence)
            _recorder.file.fact("missing", sentence)
    except Exception:  # pylint: disable=broad-except
        pass


def _gpu_library(recorder):
    """The library that CUDA loads, where it records (--native)."""
    path = os.environ.get("CUDA_INJECTION64_PATH", "")
    if not recorder.window.native or os.path.dirname(path) != recorder.folder:
        return None
    import ctypes

    return ctypes.CDLL(path)


def give_way(recorder, driver, owners, start, stop):
    """A profiler of the program's own comes first: ours ends when it begins and does not begin beside it."""
    library = _gpu_library(recorder)
    original_start, original_stop = getattr(owners[0], start), getattr(owners[0], stop)

    @guarded
    def before():
        if driver.ours:
            return
        if recorder.active:
            note("the program started its own profiler in the window: the recording's profile ends there")
            recorder.stop()
        driver.taken = True
        if library is not None:
            library.StepscopePause()

    @guarded
    def after():
        if driver.ours:
            return
        driver.taken = False
        if library is not None:
            library.StepscopeResume()

    @functools.wraps(original_start)
    def begin(*args, **kwargs):
        before()
        return original_start(*args, **kwargs)

    @functools.wraps(original_stop)
    def end(*args, **kwargs):
        try:
            return original_stop(*args, **kwargs)
        finally:
            after()

    for owner in owners:
        setattr(owner, start, begin)
        setattr(owner, stop, end)


def watch_annotations(driver, annotation):
    """A program that marks its steps for the profiler itself: marks of ours beside them would count each step twice."""
    original = annotation.__init__

    @functools.wraps(original)
    def begin(self, *args, **kwargs):
        if not driver.marking and "step_num" in kwargs:
            driver.annotated = True
        original(self, *args, **kwargs)

    try:
        annotation.__init__ = begin
    except (AttributeError, TypeError):
        pass  # a class that cannot be changed: its steps may count twice


class _Loader:
    """A module's own loader; what waits for the module runs once it is complete."""

    def __init__(self, loader, then):
        self._loader = loader
        self._then = then

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        # Code that looks at __loader__ or at the spec finds what it would find without us.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        guarded(self._then)(module)

    def __getattr__(self, name):
        return getattr(self._loader, name)


class _Finder:
    """Watches for modules by name. All others cost one look into a dictionary."""

    def __init__(self, wanted):
        self.wanted = wanted
        self.looking = set()

    def find_spec(self, name, path=None, target=None):
        if name not in self.wanted or name in self.looking:
            return None
        self.looking.add(name)
        try:
            for finder in sys.meta_path:
                find = getattr(finder, "find_spec", None)
                if finder is self or find is None:
                    continue
                spec = find(name, path, target)
                if spec is None:
                    continue
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader, self.wanted[name])
                return spec
            return None
        finally:
            self.looking.discard(name)

    def invalidate_caches(self):
        pass


def _flush_before(module, name):
    """os._exit and the exec family end the program without atexit."""
    original = getattr(module, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def ending(*args, **kwargs):
        _recorder.finish()
        return original(*args, **kwargs)

    setattr(module, name, ending)


def _sibling(folder, name):
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _watch_clock(recorder):
    """A program whose steps nobody marks gets its window by the clock, in its main thread: that is where its work is."""
    import _thread
    import ctypes

    call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)

    @call
    def begin(_):
        recorder.begin()
        return 0

    @call
    def stop(_):
        recorder.stop()
        return 0

    def wait():
        window = recorder.window
        after = window.after if window.after is not None else 20.0
        length = window.length if window.length is not None else 10.0
        if window.every or (window.first is not None and window.after is None):
            return
        time.sleep(after + 1.0)
        while not recorder.done and not recorder.active and _NOW() - recorder.last_mark < 5e9:
            time.sleep(1.0)
        if recorder.done or recorder.active or recorder.asked is not None:
            return
        ctypes.pythonapi.Py_AddPendingCall(begin, None)
        time.sleep(length)
        ctypes.pythonapi.Py_AddPendingCall(stop, None)

    recorder.keep = (begin, stop)
    _thread.start_new_thread(guarded(wait), ())


@guarded
def _keep_tuned(recorder):
    names = [name for name in os.environ.get("STEPSCOPE_TUNE", "").split(",") if name]
    if names:
        tuned = _sibling(recorder.folder, "_stepscope_tune").Tuned(names, lambda key, value: recorder.file.fact(key, value))
        tuned.keep_environment()
        recorder.tuned = tuned


def _install(recorder, folder):
    """What waits for each framework. One that was imported before is taken as it is."""
    hook = sys.modules[__name__]
    wanted = {}

    def watch(module_name, sibling, function):
        @guarded
        def then(module):
            getattr(_sibling(folder, sibling), function)(hook, recorder, module)

        wanted[module_name] = then

    watch("torch", "_stepscope_torch", "install")
    watch("jax", "_stepscope_jax", "install")
    watch("tensorflow", "_stepscope_tensorflow", "install")
    for name in ("keras.src.callbacks.callback_list", "keras.src.callbacks", "keras.callbacks",
                 "tensorflow.python.keras.callbacks"):
        watch(name, "_stepscope_tensorflow", "install_keras")
    sys.meta_path.insert(0, _Finder(wanted))
    for name in list(wanted):
        if name in sys.modules:
            wanted[name](sys.modules[name])


def attach(folder):
    """For a program that runs without the hook: marks steps from now on and waits for who asks for a profile."""
    global _recorder
    if _recorder is None:
        recorder = _recorder = Recorder(folder, folder, "never=1")
        recorder.file.full = True  # nothing is recorded but what somebody asks for
        recorder.listens = True
        recorder.watch_clock = lambda: None
        _install(recorder, folder)
        os.register_at_fork(after_in_child=guarded(recorder.after_fork))
    else:
        _recorder.listens = True
        _recorder.listen()


class Job:
    """A recording of a part of the program, which the program asks for itself: with stepscope.record()."""

    def __init__(self, folder, out, window):
        global _recorder
        if _recorder is not None and not _recorder.closed:
            raise RuntimeError("the program is being recorded already")
        self.file = BlockFile(out, os.path.join(out, "recording.ssrec"))
        self.file.fact("pid", os.getpid())
        self.file.fact("program", os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else "python")
        if _recorder is None:
            _recorder = Recorder(folder, out, window)
            _recorder.watch_clock = lambda: None  # its window begins when the program says so
            _recorder.file._open()
            _install(_recorder, folder)
            atexit.register(_recorder.finish)
        else:
            _recorder.open(out, window)
            _recorder.file._open()
            if _recorder.driver is not None:
                _recorder.imported = _NOW()
        self.recorder = _recorder

    def end(self):
        self.recorder.close()
        now = _NOW()
        self.file.clock()
        self.file.block(_END, 1, struct.pack("<qii", now, 0, 0), now, now)
        self.file.close()


def start(folder):
    global _recorder
    recorder = _recorder = Recorder(folder, os.environ["STEPSCOPE_RECORD_DIR"], os.environ.get("STEPSCOPE_RECORD_WINDOW", ""))
    recorder.watch_clock = guarded(functools.partial(_watch_clock, recorder))
    recorder.listens = not os.environ.get("STEPSCOPE_TUNE")
    _install(recorder, folder)
    recorder.file._open()  # says that the hook ran
    _keep_tuned(recorder)
    os.register_at_fork(after_in_child=guarded(recorder.after_fork))
    atexit.register(recorder.finish)
    for name in ("_exit", "execv", "execve"):
        _flush_before(os, name)
