"""PyTorch: optimizer steps and DataLoader batches mark the steps, torch.profiler records the window."""

import importlib
import os
import threading


class TorchProfiler:
    ours = taken = False

    def __init__(self, torch):
        self.torch = torch
        self.profiler = None
        self.path = None

    def busy(self):
        enabled = self.taken or getattr(self.torch.autograd.profiler, "_is_profiler_enabled", False)
        return "the program runs torch.profiler itself: its profile is its own, and none was taken beside it" if enabled else None

    def start(self, path, step, window):
        profiler = self.torch.profiler
        activities = [profiler.ProfilerActivity.CPU]
        if self.torch.cuda.is_available():
            activities.append(profiler.ProfilerActivity.CUDA)
        self.path = path + ".pt.trace.json"
        self.profiler = profiler.profile(
            activities=activities, schedule=lambda _: profiler.ProfilerAction.RECORD, record_shapes=True,
            with_stack=window.stacks, profile_memory=window.memory)
        self.profiler.step_num = step
        self.profiler.start()

    def step(self, _):
        self.profiler.step()

    def stop(self):
        profiler, self.profiler = self.profiler, None
        profiler.stop()
        part = self.path + ".part"
        profiler.export_chrome_trace(part)
        os.replace(part, self.path)  # a program that dies meanwhile leaves no half profile
        return [self.path]


def install(hook, recorder, torch):
    driver = TorchProfiler(torch)
    recorder.frameworks("PyTorch", torch.__version__, driver)
    recorder.watch_clock()
    if recorder.tuned is not None:
        hook.guarded(recorder.tuned.keep_calls)("torch", torch)
    if recorder.window.native:
        os.environ["STEPSCOPE_HOOK_PAUSES"] = "1"
        os.environ["TEARDOWN_CUPTI"] = "0"  # Kineto would take CUPTI away for good
    main = threading.main_thread().ident
    first = []

    @hook.guarded
    def after_step(optimizer, *_):
        # Of several optimizers the first one counts, so that a step with two is one step.
        if not first:
            first.append(id(optimizer))
        if id(optimizer) == first[0]:
            recorder.mark("optimizer")

    try:
        # torch.optim hides its module of this name.
        importlib.import_module("torch.optim.optimizer").register_optimizer_step_post_hook(after_step)
    except (AttributeError, ImportError):
        hook.note("this PyTorch has no hook on optimizer steps (2.0 has): steps are marked by DataLoader batches")

    iterator = torch.utils.data.dataloader._BaseDataLoaderIter
    following = iterator.__next__

    def next_batch(self):
        batch = following(self)
        if threading.get_ident() == main:
            marked()
        return batch

    @hook.guarded
    def marked():
        recorder.mark("loader")

    iterator.__next__ = next_batch
    hook.guarded(hook.give_way)(recorder, driver, [torch.profiler.profile], "start", "stop")
    # A schedule prepares later than it starts, and that is when Kineto takes CUPTI.
    owner = torch.autograd.profiler.profile
    prepare = "_prepare_trace" if hasattr(owner, "_prepare_trace") else "__enter__"
    hook.guarded(hook.give_way)(recorder, driver, [owner], prepare, "__exit__")
