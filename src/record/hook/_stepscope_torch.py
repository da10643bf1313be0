"""PyTorch: optimizer steps and DataLoader batches mark the steps, torch.profiler records the window."""

import os
import threading


class TorchProfiler:
    def __init__(self, hook, torch):
        self.hook = hook
        self.torch = torch
        self.profiler = None
        self.path = None

    def busy(self):
        enabled = getattr(self.torch.autograd.profiler, "_is_profiler_enabled", False)
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


def _step_aside(hook, recorder, driver, owner, name):
    """A profiler of the program's own gets the device to itself."""
    original = getattr(owner, name)

    def begin(self, *args, **kwargs):
        if driver.profiler is not None and self is not driver.profiler and self is not getattr(driver.profiler, "profiler", None):
            hook.note("the program started torch.profiler in the window: the recording's profile ends there")
            recorder.stop()
        return original(self, *args, **kwargs)

    setattr(owner, name, begin)


def install(hook, recorder, torch):
    driver = TorchProfiler(hook, torch)
    recorder.frameworks("PyTorch", torch.__version__, driver)
    recorder.watch_clock()
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
        torch.optim.optimizer.register_optimizer_step_post_hook(after_step)
    except AttributeError:
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
    hook.guarded(_step_aside)(hook, recorder, driver, torch.profiler.profile, "start")
    hook.guarded(_step_aside)(hook, recorder, driver, torch.autograd.profiler.profile, "__enter__")
