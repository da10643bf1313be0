"""Compares `stepscope memory` with PyTorch's own reader of memory snapshots, torch.cuda._memory_viz.

usage: memory_viz.py STEPSCOPE [SNAPSHOT...]

Reserved, allocated and requested bytes, segments, entries of the history, for every line of Python that Stepscope names the
bytes that are live at the end, and those that no line of Python holds have to be the same. Needs no GPU. Without PyTorch the check is skipped, loudly. Snapshots are
files of our own: this script unpickles them with Python.
"""
import collections
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OWN = os.path.join(ROOT, 'tests', 'data', 'h200', 'leak_snapshot.pickle.zst')


def unpacked(path, folder):
  if not path.endswith('.zst'):
    return path
  plain = os.path.join(folder, os.path.basename(path)[:-len('.zst')])
  subprocess.run(['zstd', '-q', '-d', '-f', path, '-o', plain], check=True)
  return plain


def theirs(snapshot, sites):
  """What _memory_viz says: its flame graph has a line for every block, its text the number of segments and entries."""
  from torch.cuda import _memory_viz
  states = collections.Counter()
  requested = 0
  by_site = collections.Counter()
  for line in _memory_viz.memory(snapshot, format_flamegraph=lambda lines: lines).splitlines():
    stack, size = line.rsplit(' ', 1)
    state, *frames = stack.split(';')[1:]
    states[state] += int(size)
    if state != 'active_allocated' or frames == ['<gaps>']:
      continue
    requested += int(size)
    # Frames are outermost first, as file:line:function; the innermost that Stepscope calls a site holds the block.
    site = next((f for f in reversed(frames) if f in sites), None)
    if site is not None:
      by_site[site] += int(size)
  segments = int(re.search(r'segments: (\d+)', _memory_viz.segsum(snapshot)).group(1))
  entries = sum(int(n) for n in re.findall(r'^(\d+) entries$', _memory_viz.trace(snapshot), re.MULTILINE))
  return {'reserved': sum(states.values()), 'allocated': states['active_allocated'], 'requested': requested,
          'segments': segments, 'entries': entries, 'sites': dict(by_site),
          'outside of Python': requested - sum(by_site.values())}


def ours(program, path):
  report = json.loads(subprocess.run([program, 'memory', '--json', path], check=True, capture_output=True, text=True).stdout)
  devices = report['devices']
  total = lambda key: sum(device[key] for device in devices)
  sites, outside = collections.Counter(), 0
  for device in devices:
    for row in device['now']:
      # "train.py:20 step" is "train.py:20:step" there.
      site = ':'.join(row['site'].split(' ', 1))
      if re.search(r':\d+:', site):
        sites[site] += row['bytes']
      else:
        outside += row['bytes']
  return {'reserved': total('reserved_bytes'), 'allocated': total('allocated_bytes'), 'requested': total('requested_bytes'),
          'segments': total('segments'),
          'entries': sum(total(key) for key in ('allocations', 'frees', 'free_completions', 'segment_allocations')),
          'sites': dict(sites), 'outside of Python': outside}


def main():
  program, paths = sys.argv[1], sys.argv[2:] or [OWN]
  try:
    import torch.cuda._memory_viz  # noqa: F401
  except ImportError as error:
    print(f'SKIPPED: PyTorch is not here ({error})')
    return 0
  failed = False
  with tempfile.TemporaryDirectory() as folder:
    for path in paths:
      plain = unpacked(path, folder)
      with open(plain, 'rb') as file:
        snapshot = pickle.load(file)
      mine = ours(program, plain)
      peer = theirs(snapshot, mine['sites'])
      for key, value in peer.items():
        same = value == mine[key]
        failed |= not same
        print(f"{os.path.basename(path)} {key}: {'same' if same else 'DIFFERENT'}: {value} there, {mine[key]} here")
  return 1 if failed else 0


if __name__ == '__main__':
  sys.exit(main())
