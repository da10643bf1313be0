"""Options of the profiler, put together step by step."""

import copy

_TRAINABLE = "_trainable_variables"

# What every builder and every preset starts from.
_BASE = {
    "max_depth": 100,
    "min_bytes": 0,
    "min_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "min_occurrence": 0,
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": False,
    "select": ["micros"],
    "step": -1,
    "output": "stdout",
}


def _preset(**changes):
    return {**copy.deepcopy(_BASE), "max_depth": 10000, "account_displayed_op_only": True, **changes}


class ProfileOptionBuilder:
    """Options for the ``profile_*`` methods; every method returns the builder, :meth:`build` the dict of options.

    ``options`` is a dict to start from, a preset for example.

    >>> from stepscope.tensorflow.profiler import ProfileOptionBuilder
    >>> options = (ProfileOptionBuilder(ProfileOptionBuilder.time_and_memory())
    ...            .with_max_depth(4).order_by("micros").select(["micros"]).build())
    >>> options["max_depth"], options["min_micros"], options["select"]
    (4, 1, ['micros'])
    """

    def __init__(self, options=None):
        self._options = copy.deepcopy(_BASE if options is None else options)

    @staticmethod
    def trainable_variables_parameter():
        """How many parameters the trainable variables have; for the scope view."""
        return _preset(account_type_regexes=[_TRAINABLE], select=["params"])

    @staticmethod
    def float_operation():
        """Who computes most, by count of float operations."""
        return _preset(min_float_ops=1, order_by="float_ops", select=["float_ops"])

    @staticmethod
    def time_and_memory(
        min_micros=1,
        min_bytes=1,
        min_accelerator_micros=0,
        min_cpu_micros=0,
        min_peak_bytes=0,
        min_residual_bytes=0,
        min_output_bytes=0,
    ):
        """Who takes time and memory: nodes of at least so many microseconds and bytes."""
        return _preset(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
            order_by="micros",
            select=["micros", "bytes"],
        )

    def build(self):
        """The options as a dict of its own."""
        return copy.deepcopy(self._options)

    def _set(self, **options):
        self._options.update(options)
        return self

    def with_max_depth(self, max_depth):
        """How deep to show: levels of a tree, rows of the op view."""
        return self._set(max_depth=max_depth)

    def with_min_memory(self, min_bytes=0, min_peak_bytes=0, min_residual_bytes=0, min_output_bytes=0):
        """Only nodes that asked for, held at most, kept, or gave out at least so many bytes."""
        return self._set(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_bytes(self, min_bytes):
        """Only nodes that asked for at least so many bytes; not in TensorFlow, but in what is written about it."""
        return self._set(min_bytes=min_bytes)

    def with_min_execution_time(self, min_micros=0, min_accelerator_micros=0, min_cpu_micros=0):
        """Only nodes that ran for at least so many microseconds: in all, on the accelerator, on the CPU."""
        return self._set(
            min_micros=min_micros, min_accelerator_micros=min_accelerator_micros, min_cpu_micros=min_cpu_micros
        )

    def with_min_parameters(self, min_params):
        """Only nodes with at least so many parameters."""
        return self._set(min_params=min_params)

    def with_min_occurrence(self, min_occurrence):
        """Only nodes that stand for at least so many nodes of the graph."""
        return self._set(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops):
        """Only nodes with at least so many float operations."""
        return self._set(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes):
        """Count only nodes one of whose types (op, device, types of the op log) matches one of the regexes."""
        return self._set(account_type_regexes=copy.copy(account_type_regexes))

    def with_node_names(
        self, start_name_regexes=None, show_name_regexes=None, hide_name_regexes=None, trim_name_regexes=None
    ):
        """Which nodes to show by name: where to start, what to show and to hide, below what to stop."""
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._set(**{name: copy.copy(value) for name, value in given.items() if value is not None})

    def account_displayed_op_only(self, is_true):
        """Whether totals are of the nodes that are shown, or of all that are accounted."""
        return self._set(account_displayed_op_only=is_true)

    def with_empty_output(self):
        """Only return the result."""
        return self._set(output="none")

    def with_stdout_output(self):
        """Print the result."""
        return self._set(output="stdout")

    def with_file_output(self, outfile):
        """Write the result as text."""
        return self._set(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file):
        """Write Chrome traces, one per step, to ``<timeline_file>_<step>``."""
        return self._set(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file):
        """Write a profile for pprof; code view with one column."""
        return self._set(output=f"pprof:outfile={pprof_file}")

    def order_by(self, attribute):
        """Sort by this column, largest first; ``name`` sorts by name."""
        return self._set(order_by=attribute)

    def select(self, attributes):
        """The columns to show: bytes, peak_bytes, residual_bytes, output_bytes, micros, accelerator_micros,
        cpu_micros, params, float_ops, occurrence, tensor_value, device, op_types, input_shapes."""
        return self._set(select=copy.copy(attributes))

    def with_step(self, step):
        """The step to show, by the number it was added with; -1: the average of all."""
        return self._set(step=step)
