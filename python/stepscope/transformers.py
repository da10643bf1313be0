"""Hugging Face Trainer: a callback that records some steps of training and says what they are bound by.

>>> from stepscope.transformers import ProfileCallback                                   # doctest: +SKIP
>>> trainer = transformers.Trainer(model, args, callbacks=[ProfileCallback(steps=10)])   # doctest: +SKIP
"""

from transformers import TrainerCallback

from stepscope._loop import Loop


class ProfileCallback(TrainerCallback):
    """Records ``steps`` steps of ``train``; options are those of :class:`stepscope.record`. Afterwards ``callback.report``.

    Never raises into training: what goes wrong is a warning.
    """

    def __init__(self, steps=10, **options):
        self._loop = Loop(steps, **options)

    def on_train_begin(self, args, state, control, **kwargs):
        self._loop.start()

    def on_step_end(self, args, state, control, **kwargs):
        self._loop.step()

    def on_train_end(self, args, state, control, **kwargs):
        self._loop.stop()

    @property
    def report(self):
        """The report; None before there is one."""
        return self._loop.report

    @property
    def profile(self):
        """The profile, opened when first asked for; None before there is one."""
        return self._loop.profile
