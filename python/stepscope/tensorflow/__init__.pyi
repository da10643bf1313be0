from stepscope.tensorflow import profiler as profiler
from stepscope.tensorflow import timeline as timeline
from stepscope.tensorflow._callback import ProfileCallback as ProfileCallback
from stepscope.tensorflow._input import is_input_bound as is_input_bound
from stepscope.tensorflow._placement import LeastLoadedDeviceSetter as LeastLoadedDeviceSetter
from stepscope.tensorflow._placement import variables_on_cpu as variables_on_cpu
from stepscope.tensorflow._threads import thread_settings as thread_settings
from stepscope.tensorflow._variables import trainable_variables as trainable_variables
from stepscope.tensorflow.profiler import model_analyzer as model_analyzer
from stepscope.tensorflow.profiler import option_builder as option_builder
from stepscope.tensorflow.profiler import Profiler as Profiler
from stepscope.tensorflow.profiler import ProfileOptionBuilder as ProfileOptionBuilder
from stepscope.tensorflow.profiler import advise as advise
from stepscope.tensorflow.profiler import profile as profile
from stepscope.tensorflow.profiler import write_op_log as write_op_log
from stepscope.tensorflow.timeline import Timeline as Timeline
from stepscope.tensorflow.timeline import TimelineMerger as TimelineMerger

__all__ = [
    "Timeline",
    "TimelineMerger",
    "ProfileCallback",
    "trainable_variables",
    "LeastLoadedDeviceSetter",
    "variables_on_cpu",
    "is_input_bound",
    "thread_settings",
    "Profiler",
    "ProfileOptionBuilder",
    "profile",
    "advise",
    "write_op_log",
    "timeline",
    "profiler",
    "model_analyzer",
    "option_builder",
]
