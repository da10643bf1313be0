"""A profiler that sees its own steps only, and writes them as Kineto does."""

import enum
import json
import os
import time

from .autograd import profiler as _autograd


class ProfilerActivity(enum.Enum):
    CPU = 0
    CUDA = 1


class ProfilerAction(enum.Enum):
    NONE = 0
    RECORD = 2


class profile:  # noqa: N801
    def __init__(self, activities=None, schedule=None, record_shapes=False, with_stack=False, profile_memory=False):
        if os.environ.get("FAKE_TORCH_BREAKS") == "construct":
            raise RuntimeError("no profiler here")
        self.schedule = schedule
        self.step_num = 0
        self.events = []

    def start(self):
        if _autograd._is_profiler_enabled:
            raise RuntimeError("a profiler is running")
        _autograd._is_profiler_enabled = True
        self._base = self._begin = time.time_ns()

    def step(self):
        now = time.time_ns()
        event = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % self.step_num, "pid": os.getpid(), "tid": 1}
        self.events.append(dict(event, ts=(self._begin - self._base) / 1000, dur=(now - self._begin) / 1000))
        self.events.append({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": os.getpid(), "tid": 1,
                            "ts": (self._begin - self._base) / 1000, "dur": (now - self._begin) / 2000})
        self._begin = now
        self.step_num += 1

    def stop(self):
        if os.environ.get("FAKE_TORCH_BREAKS") == "stop":
            raise RuntimeError("cannot stop")
        self.step()
        _autograd._is_profiler_enabled = False

    def export_chrome_trace(self, path):
        with open(path, "w") as file:
            json.dump({"schemaVersion": 1, "deviceProperties": [], "traceEvents": self.events,
                       "baseTimeNanoseconds": self._base}, file)
