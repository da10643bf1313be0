"""Seconds TensorFlow's own tfprof takes for a scope view, without importing it: tfprof_scope.py GRAPH OP_LOG RUN_META..."""
import os
import sys
import time

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
from tensorflow.core.profiler import tfprof_options_pb2
from tensorflow.python.util import _pywrap_tfprof as profiler


def main():
  options = tfprof_options_pb2.OptionsProto(
      max_depth=10, step=-1, order_by='name', account_type_regexes=['.*'], start_name_regexes=['.*'],
      show_name_regexes=['.*'], select=['micros'], output='file:outfile=/dev/null')
  best = None
  for _ in range(5):
    began = time.process_time()
    read = lambda path: open(path, 'rb').read()
    profiler.NewProfiler(read(sys.argv[1]), read(sys.argv[2]))
    for step, path in enumerate(sys.argv[3:]):
      profiler.AddStep(step, b'', read(path), b'')
    profiler.Profile(b'scope', options.SerializeToString())
    seconds = time.process_time() - began
    best = seconds if best is None else min(best, seconds)
    profiler.DeleteProfiler()
  print('%.4f' % best)


if __name__ == '__main__':
  main()
