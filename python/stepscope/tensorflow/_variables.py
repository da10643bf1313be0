"""Freezing part of a model, and what that saves."""

import re


class TrainableVariables(list):
    """Variables to train; ``frozen`` are the ones left out, ``saves`` what leaving them out saves."""

    def __init__(self, kept, frozen, optimizer_slots):
        super().__init__(kept)
        self.frozen = frozen
        self.saves = Saving(kept, frozen, optimizer_slots)


class Saving:
    """What freezing saves: ``parameters``, bytes of gradients and of the optimizer's slots, and the share."""

    def __init__(self, kept, frozen, optimizer_slots):
        self.parameters = sum(map(_elements, frozen))
        self.all_parameters = self.parameters + sum(map(_elements, kept))
        self.gradient_bytes = sum(map(_bytes, frozen))
        self.slot_bytes = optimizer_slots * self.gradient_bytes
        self.optimizer_slots = optimizer_slots

    @property
    def share(self):
        """Of all trainable parameters, 0 to 1."""
        return self.parameters / self.all_parameters if self.all_parameters else 0.0

    def __str__(self):
        return (
            f"freezing leaves {self.parameters:,} of {self.all_parameters:,} parameters ({100 * self.share:.1f} %) "
            f"untrained: {_size(self.gradient_bytes)} of gradients a step and {_size(self.slot_bytes)} of optimizer state "
            f"({self.optimizer_slots} slots) are not needed"
        )

    __repr__ = __str__


def _elements(variable):
    count = 1
    for size in variable.shape:
        count *= int(size or 0)
    return count


def _bytes(variable):
    dtype = variable.dtype
    size = getattr(getattr(dtype, "base_dtype", dtype), "size", None)
    if size is None:  # Keras 3 names its types
        digits = re.search(r"(\d+)$", str(dtype))
        size = int(digits.group(1)) // 8 if digits else 4
    return _elements(variable) * size


def _size(count):
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.2f} GiB"


def _name(variable):
    return getattr(variable, "path", None) or variable.name


def trainable_variables(model=None, *, exclude=(), optimizer_slots=2):
    """The trainable variables whose names hold none of ``exclude``, and what leaving the others out saves.

    ``model`` is a Keras model, a list of variables or a ``tf.Graph``; by default the variables of the current graph.
    ``exclude`` is a piece of a name or a list of them. ``optimizer_slots`` is how many values the optimizer keeps a
    parameter: 2 for Adam, 1 for momentum, 0 for plain SGD.

    Returns a list, to be given to ``tf.gradients`` or ``optimizer.minimize``; its ``frozen`` are the others and its
    ``saves`` says what they would cost.

    >>> import stepscope
    >>> # variables = stepscope.tensorflow.trainable_variables(exclude="frozen")
    >>> # print(variables.saves)
    """
    if isinstance(exclude, str):
        exclude = [exclude]
    parts = [part for part in exclude if part]
    kept, frozen = [], []
    for variable in _variables_of(model):
        (frozen if any(part in _name(variable) for part in parts) else kept).append(variable)
    return TrainableVariables(kept, frozen, optimizer_slots)


def _variables_of(model):
    if model is None:
        import tensorflow as tf

        return tf.compat.v1.trainable_variables()
    if hasattr(model, "get_collection"):
        return model.get_collection("trainable_variables")
    if hasattr(model, "trainable_variables"):
        return model.trainable_variables
    return list(model)
