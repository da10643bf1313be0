from stepscope.tensorflow.profiler import model_analyzer as model_analyzer
from stepscope.tensorflow.profiler import option_builder as option_builder
from stepscope.tensorflow.profiler import tfprof_logger as tfprof_logger
from stepscope.tensorflow.profiler.model_analyzer import ALL_ADVICE as ALL_ADVICE
from stepscope.tensorflow.profiler.model_analyzer import Profiler as Profiler
from stepscope.tensorflow.profiler.model_analyzer import advise as advise
from stepscope.tensorflow.profiler.model_analyzer import profile as profile
from stepscope.tensorflow.profiler.option_builder import ProfileOptionBuilder as ProfileOptionBuilder
from stepscope.tensorflow.profiler.tfprof_logger import write_op_log as write_op_log

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
