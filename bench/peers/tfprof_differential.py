"""Compares `stepscope view` with TensorFlow's own profiler on random graphs and random options.

usage: tfprof_differential.py STEPSCOPE [--cases 2000] [--seed N]

Each round builds a small random model with TensorFlow, runs it for a few steps with tracing, and asks both sides for views
with random options; every answer must be the same bytes. The seed is printed first: with it the same run comes again.
Runs in the environment of `make peers`.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow as tf
from tensorflow.python.profiler import tfprof_logger
from tensorflow.python.util import _pywrap_tfprof as profiler
from tensorflow.core.profiler import tfprof_options_pb2

tf1 = tf.compat.v1

COLUMNS = ['bytes', 'micros', 'params', 'float_ops', 'tensor_value', 'device', 'op_types', 'occurrence', 'input_shapes',
           'accelerator_micros', 'cpu_micros', 'peak_bytes', 'residual_bytes', 'output_bytes']
ORDERS = ['name', 'bytes', 'peak_bytes', 'residual_bytes', 'output_bytes', 'micros', 'accelerator_micros', 'cpu_micros',
          'params', 'float_ops', 'occurrence', '', 'depth']
TYPES = ['.*', 'MatMul', 'Variable.*', '_trainable_variables', '.*cpu.*', 'Identity', 'Mul|Add.*', 'NothingLikeThis', '.*Grad']


def random_model(rng):
  """Adds a random model to the default graph; returns what to run."""
  width = rng.randint(2, 6)
  x = tf1.placeholder(tf.float32, [None, width], name='x')
  values = [x]
  for i in range(rng.randint(3, 10)):
    with tf1.variable_scope(rng.choice(['enc', 'dec', 'head/a', 'head/b', 'blk']) + '_%d' % rng.randint(0, 2),
                            reuse=tf1.AUTO_REUSE):
      value = rng.choice(values)
      kind = rng.randint(0, 6)
      if kind == 0:
        size = rng.randint(2, 6)
        w = tf1.get_variable('w%d' % i, [value.shape[-1], size], trainable=rng.random() < 0.8)
        value = tf.matmul(value, w, name='product')
      elif kind == 1:
        value = tf.nn.relu(value)
      elif kind == 2:
        value = tf.tanh(value) * 2.0 + rng.choice(values)[:, :1]
      elif kind == 3:
        value = tf.concat(tf.split(value, [1, int(value.shape[-1]) - 1], axis=1), axis=1)
      elif kind == 4:
        value = tf.nn.softmax(value)
      elif kind == 5:
        b = tf1.get_variable('b%d' % i, [value.shape[-1]])
        value = tf.nn.bias_add(value, b)
      else:
        with tf.device('/cpu:%d' % rng.randint(0, 1)):
          value = value - tf.reduce_mean(value, axis=0, keepdims=True)
      values.append(value)
  loss = tf.add_n([tf.reduce_sum(tf.square(v)) for v in values[-3:]], name='loss')
  fetches = [loss]
  if tf1.trainable_variables() and rng.random() < 0.8:
    optimizer = rng.choice([tf1.train.GradientDescentOptimizer, tf1.train.AdamOptimizer])(0.01)
    pairs = [(g, v) for g, v in optimizer.compute_gradients(loss) if g is not None]
    if pairs:
      fetches.append(optimizer.apply_gradients(pairs))
  return x, width, fetches


class Model:
  """A random model, its files, and TensorFlow's profiler on it."""

  def __init__(self, rng, folder):
    self.folder = folder
    graph = tf.Graph()
    with graph.as_default():
      x, width, fetches = random_model(rng)
      config = tf1.ConfigProto(device_count={'CPU': 2})
      with tf1.Session(graph=graph, config=config) as session:
        session.run(tf1.global_variables_initializer())
        self.runs = []
        for _ in range(rng.randint(1, 3)):
          meta = tf1.RunMetadata()
          rows = rng.randint(1, 4)
          fetch = fetches if rng.random() < 0.7 else fetches[:1]
          session.run(fetch, {x: [[rng.random() for _ in range(width)] for _ in range(rows)]},
                      options=tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE), run_metadata=meta)
          self.runs.append(meta.SerializeToString())
      self.graph = graph.as_graph_def(add_shapes=True).SerializeToString()
      self.op_log = tfprof_logger.merge_default_with_oplog(graph).SerializeToString()
    self.names = [op.name for op in graph.get_operations()]
    self.ops = sorted({op.type for op in graph.get_operations()})
    self.write('graph.pb', self.graph)
    self.write('op_log', self.op_log)
    for i, run in enumerate(self.runs):
      self.write('run_%d' % i, run)
    profiler.NewProfiler(self.graph, self.op_log)
    for i, run in enumerate(self.runs):
      profiler.AddStep(i, b'', run, b'')

  def write(self, name, data):
    with open(os.path.join(self.folder, name), 'wb') as f:
      f.write(data)

  def close(self):
    profiler.DeleteProfiler()


def name_regex(rng, model):
  name = rng.choice(model.names)
  return rng.choice([name, name.split('/')[0] + '.*', '.*' + name.split('/')[-1][:4] + '.*', '.*', 'none', 'gradients.*'])


def random_options(rng, model, view):
  options = dict(max_depth=rng.choice([0, 1, 2, 3, 5, 10, 10000]) if view != 'code' else rng.choice([1, 3, 8, 10000]),
                 step=rng.choice([-1, -1, 0, len(model.runs) - 1]), order_by=rng.choice(ORDERS),
                 account_type_regexes=rng.choice([['.*']] * 3 + [rng.sample(TYPES, 2), [rng.choice(TYPES)], []]),
                 start_name_regexes=rng.choice([['.*']] * 4 + [[name_regex(rng, model)]]),
                 trim_name_regexes=rng.choice([[]] * 4 + [[name_regex(rng, model)]]),
                 show_name_regexes=rng.choice([['.*']] * 4 + [[name_regex(rng, model)]]),
                 hide_name_regexes=rng.choice([[]] * 4 + [[name_regex(rng, model)]]),
                 account_displayed_op_only=rng.random() < 0.4,
                 select=rng.sample(COLUMNS, rng.randint(0, 6)))
  for key in ('min_bytes', 'min_peak_bytes', 'min_residual_bytes', 'min_output_bytes', 'min_micros', 'min_cpu_micros',
              'min_params', 'min_float_ops', 'min_occurrence'):
    if rng.random() < 0.15:
      options[key] = rng.choice([1, 10, 100, 1000])
  if view == 'op':
    for key in ('start_name_regexes', 'trim_name_regexes', 'show_name_regexes', 'hide_name_regexes'):
      if options[key] and options[key] != ['.*']:
        options[key] = [rng.choice(model.ops)]
  if view == 'code':
    # With the root trimmed away TensorFlow reads past the end of an empty list.
    options['trim_name_regexes'] = [r for r in options['trim_name_regexes'] if r != '.*']
  return options


def theirs(view, options, out):
  proto = tfprof_options_pb2.OptionsProto()
  for key, value in options.items():
    if isinstance(value, list):
      getattr(proto, key).extend(value)
    else:
      setattr(proto, key, value)
  proto.output = 'file:outfile=' + out
  profiler.Profile(view.encode(), proto.SerializeToString())


def ours(binary, model, view, options, out):
  command = [binary, 'view', view, '--graph_path=%s/graph.pb' % model.folder, '--op_log_path=%s/op_log' % model.folder,
             '--run_meta_path=' + ','.join('%s/run_%d' % (model.folder, i) for i in range(len(model.runs)))]
  for key, value in options.items():
    if isinstance(value, bool):
      value = 'true' if value else 'false'
    elif isinstance(value, list):
      value = ','.join(value)
    command.append('-%s=%s' % (key, value))
  command.append('-output=file:outfile=' + out)
  subprocess.run(command, stderr=subprocess.DEVNULL, check=False)
  return command


def read(path):
  if not os.path.exists(path):
    return None
  with open(path, 'rb') as f:
    data = f.read()
  os.remove(path)
  return data


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument('binary')
  parser.add_argument('--cases', type=int, default=2000)
  parser.add_argument('--seed', type=int, default=random.SystemRandom().randrange(1 << 32))
  args = parser.parse_args()
  print('seed', args.seed, flush=True)
  tf1.disable_eager_execution()
  rng = random.Random(args.seed)
  done = 0
  while done < args.cases:
    with tempfile.TemporaryDirectory() as folder:
      model = Model(rng, folder)
      for _ in range(40):
        view = rng.choice(['scope', 'graph', 'op', 'code'])
        options = random_options(rng, model, view)
        theirs(view, options, folder + '/theirs')
        command = ours(args.binary, model, view, options, folder + '/ours')
        if read(folder + '/theirs') != read(folder + '/ours'):
          print('case %d differs: %s' % (done, ' '.join(command)))
          return 1
        done += 1
        if done == args.cases:
          break
      model.close()
  print('%d cases without a difference' % done)
  return 0


if __name__ == '__main__':
  sys.exit(main())
