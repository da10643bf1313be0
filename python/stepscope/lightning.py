"""Lightning: a callback that records some steps of training and says what they are bound by.

>>> from stepscope.lightning import ProfileCallback                     # doctest: +SKIP
>>> trainer = lightning.Trainer(callbacks=[ProfileCallback(steps=10)])   # doctest: +SKIP
"""

try:
    from lightning.pytorch import Callback
except ImportError:  # the package by its older name
    from pytorch_lightning import Callback

from stepscope._loop import Loop


class ProfileCallback(Callback):
    """Records ``steps`` batches of ``fit``; options are those of :class:`stepscope.record`. Afterwards ``callback.report``.

    Never raises into training: what goes wrong is a warning.
    """

    def __init__(self, steps=10, **options):
        super().__init__()
        self._loop = Loop(steps, **options)

    def on_train_start(self, trainer, pl_module):
        self._loop.start()

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self._loop.step()

    def on_train_end(self, trainer, pl_module):
        self._loop.stop()

    def on_exception(self, trainer, pl_module, exception):
        self._loop.fail()

    @property
    def report(self):
        """The report; None before there is one."""
        return self._loop.report

    @property
    def profile(self):
        """The profile, opened when first asked for; None before there is one."""
        return self._loop.profile
