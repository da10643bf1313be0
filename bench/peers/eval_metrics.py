"""Reading an evaluation's metrics: stepscope.events.read_eval_metrics against the loop over TensorFlow's summary_iterator.

usage: eval_metrics.py [--steps 20000] [--tags 10] [--runs 10]

Makes one event file with TensorFlow, reads it with both, compares the results, and prints a row of the benchmark table.
Runs in the environment of `make peers`, with stepscope installed there.
"""
import argparse
import array
import collections
import glob
import os
import tempfile
import time

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow.compat.v1 as tf

from stepscope import events


def write(folder, steps, tags):
  with tf.Graph().as_default():
    writer = tf.summary.FileWriter(folder)
    for step in range(steps):
      values = [tf.Summary.Value(tag='metrics/%d' % tag, simple_value=step / (tag + 1)) for tag in range(tags)]
      writer.add_summary(tf.Summary(value=values), step)
    writer.close()


def summaries(folder):
  for path in glob.glob(os.path.join(folder, 'events.out.tfevents.*')):
    yield from tf.train.summary_iterator(path)


def with_summary_iterator(folder):
  """Every event with scalars by its step, as programs do it by hand."""
  by_step = {}
  for event in summaries(folder):
    if not event.HasField('summary'):
      continue
    found = {}
    for value in event.summary.value:
      if value.HasField('simple_value'):
        found[value.tag] = value.simple_value
    if found:
      by_step[event.step] = found
  return collections.OrderedDict(sorted(by_step.items(), key=lambda item: item[0]))


def from_ready_numbers(arguments):
  """What the interpreter needs for such a result when the numbers are at hand: a floor under any reader of it."""
  names, steps, numbers = arguments
  tags = len(names)
  rows = (dict(zip(names, numbers[step * tags:(step + 1) * tags])) for step in range(steps))
  return collections.OrderedDict(enumerate(rows))


def cpu_seconds(call, argument):
  start = time.process_time()
  result = call(argument)
  return time.process_time() - start, result


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument('--steps', type=int, default=20000)
  parser.add_argument('--tags', type=int, default=10)
  parser.add_argument('--runs', type=int, default=10)
  args = parser.parse_args()
  with tempfile.TemporaryDirectory() as folder:
    write(folder, args.steps, args.tags)
    names = ['metrics/%d' % tag for tag in range(args.tags)]
    ready = names, args.steps, array.array('d', range(args.steps * args.tags))
    theirs = ours = floor = float('inf')
    for _ in range(args.runs):  # in turns, so that other work on the machine hits both alike
      seconds, wanted = cpu_seconds(with_summary_iterator, folder)
      theirs = min(theirs, seconds)
      seconds, got = cpu_seconds(events.read_eval_metrics, folder)
      ours = min(ours, seconds)
      floor = min(floor, cpu_seconds(from_ready_numbers, ready)[0])
      assert got == wanted, 'the results differ'
      del got, wanted
  ratio = theirs / ours
  work = 'Python: read_eval_metrics, %d steps of %d tags, CPU against %.0f ms' % (args.steps, args.tags, theirs * 1e3)
  print('| %-66s | %10s | %6s | %3s | %6.3f |' % (work, '%.1f x' % ratio, '>= 20', 'yes' if ratio >= 20 else 'NO', ours))
  print('| %-66s | %10s | %6s | %3s | %6.3f |' % ('  the interpreter\'s own dict(zip()) of numbers at hand', '%.1f x' % (theirs / floor), '', '', floor))


if __name__ == '__main__':
  main()
