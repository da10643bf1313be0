"""The op log: what is known of a graph's ops beyond the graph itself.

Trainable variables, float operations and the Python lines that made each op are known to a live ``tf.Graph`` only, so
that this part asks TensorFlow, where it is imported.
"""

import os

from stepscope._messages import tensorflow_imported
from stepscope.tensorflow._protos import message_bytes

TRAINABLE_VARIABLES = "_trainable_variables"


def current_graph(graph):
    """The graph that is meant: the given one, else the default graph of a program in graph mode, else None."""
    if graph is not None and not (hasattr(graph, "__len__") and len(graph) == 0):
        return graph
    if tensorflow_imported():
        from tensorflow.python.eager import context
        from tensorflow.python.framework import ops

        if not context.executing_eagerly():
            return ops.get_default_graph()
    return None


def graph_bytes(graph):
    """The serialized GraphDef of a ``tf.Graph``, a GraphDef, bytes or a path; empty for None."""
    if graph is None:
        return b""
    if hasattr(graph, "as_graph_def"):
        return graph.as_graph_def(add_shapes=True).SerializeToString()
    return message_bytes(graph, "GraphDef", "graph")


def op_log_bytes(graph, op_log=None, run_meta=None, add_trace=True):
    """The serialized OpLogProto of the graph, with what the caller's op log adds."""
    if hasattr(graph, "get_operations"):
        from tensorflow.core.profiler import tfprof_log_pb2
        from tensorflow.core.protobuf import config_pb2
        from tensorflow.python.profiler import tfprof_logger

        if op_log is not None and not hasattr(op_log, "log_entries"):
            op_log = tfprof_log_pb2.OpLogProto.FromString(message_bytes(op_log, "OpLogProto", "op_log"))
        if run_meta is not None and not hasattr(run_meta, "step_stats"):
            run_meta = config_pb2.RunMetadata.FromString(message_bytes(run_meta, "RunMetadata", "run_meta"))
        return tfprof_logger.merge_default_with_oplog(graph, op_log, run_meta, add_trace=add_trace).SerializeToString()
    return b"" if op_log is None else message_bytes(op_log, "OpLogProto", "op_log")


def write_op_log(graph, log_dir, op_log=None, run_meta=None, add_trace=True):
    """Writes ``<log_dir>/tfprof_log`` for ``stepscope view --op_log_path`` and for TensorFlow's profiler.

    It holds the given ``op_log`` and, of a ``tf.Graph``, the trainable variables, the float operations of every op
    (with shapes that ``run_meta`` knows), and unless ``add_trace`` is false the Python lines that made them.
    """
    log = op_log_bytes(current_graph(graph), op_log, run_meta, add_trace)
    with open(os.path.join(log_dir, "tfprof_log"), "wb") as file:
        file.write(log)
