"""PyTorch Ignite: records some iterations of an engine and says what they are bound by.

>>> import stepscope.ignite                              # doctest: +SKIP
>>> stepscope.ignite.ProfileHandler(steps=10).attach(trainer)   # doctest: +SKIP
"""

from ignite.engine import Events

from stepscope._loop import Loop


class ProfileHandler(Loop):
    """Records ``steps`` iterations of a run; options are those of :class:`stepscope.record`. Afterwards ``handler.report``.

    Never raises into training: what goes wrong is a warning. An exception of the run goes on as without it.
    """

    def attach(self, engine):
        """Hears of every run of the engine. Returns the handler."""
        engine.add_event_handler(Events.STARTED, self.start)
        engine.add_event_handler(Events.ITERATION_COMPLETED, self.step)
        engine.add_event_handler(Events.COMPLETED | Events.TERMINATE, self.stop)
        return self
