"""``tf.profiler`` of TensorFlow 1, on the engine of stepscope.

>>> from stepscope.tensorflow import profiler
>>> p = profiler.Profiler("tests/tfprof/conv/graph.pb.gz", "tests/tfprof/conv/op_log.gz")
>>> p.add_step(0, "tests/tfprof/conv/run_meta_0.pb.gz")
>>> options = (profiler.ProfileOptionBuilder(profiler.ProfileOptionBuilder.trainable_variables_parameter())
...            .with_empty_output().build())
>>> p.profile_name_scope(options).total_parameters
6258
"""

from stepscope.tensorflow.profiler import model_analyzer, option_builder, tfprof_logger
from stepscope.tensorflow.profiler.model_analyzer import ALL_ADVICE, Profiler, advise, profile
from stepscope.tensorflow.profiler.option_builder import ProfileOptionBuilder
from stepscope.tensorflow.profiler.tfprof_logger import write_op_log

__all__ = [
    "ALL_ADVICE",
    "ProfileOptionBuilder",
    "Profiler",
    "advise",
    "model_analyzer",
    "option_builder",
    "profile",
    "tfprof_logger",
    "write_op_log",
]
