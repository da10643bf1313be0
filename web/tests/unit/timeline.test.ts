import { describe, expect, it } from 'vitest';
import type { Line, TimelineInfo } from '../../src/api';
import { fold, readChoices } from '../../src/timeline/choices';
import {
  type Grouping,
  layout,
  PATH_LINE,
  pinnedHeight,
  titleOf,
  totalHeight,
  visibleRows,
} from '../../src/timeline/layout';
import { axisStep, clamped, zoomed } from '../../src/timeline/steps_of_time';

describe('time', () => {
  it('zooms around the pointer and stays in sight', () => {
    const limit = { from: 0, to: 1000 };
    const near = zoomed({ from: 0, to: 1000 }, 0.5, 250, limit);
    expect(near).toEqual({ from: 125, to: 625 });
    expect(zoomed({ from: 0, to: 100 }, 1e9, 50, limit).to).toBeLessThan(2000);
    const width = zoomed({ from: 0, to: 100 }, 1e-9, 50, limit);
    expect(width.to - width.from).toBeCloseTo(50);
    expect(clamped({ from: 5000, to: 5100 }, limit).from).toBeLessThan(1000);
    expect(axisStep(10, 100)).toBe(1000);
    expect(axisStep(15, 100)).toBe(2000);
  });
});

const line = (part: Partial<Line>): Line => ({
  kind: 'track',
  name: 't',
  series: '',
  process: 0,
  track: 0,
  track_kind: 'thread',
  key: '1',
  lane: 0,
  device: '',
  stream: -1,
  sort: 0,
  depths: 2,
  spans: 10,
  min: 0,
  max: 0,
  unit: '',
  ...part,
});

describe('layout', () => {
  const info: TimelineInfo = {
    span_ns: 100,
    offset_ns: 0,
    host: '',
    rank: null,
    processes: [{ key: '7', name: 'python', labels: '', sort: 0 }],
    lines: [
      line({ name: 'main' }),
      line({ name: 'stream 7', track_kind: 'stream', device: 'gpu:0' }),
      line({ kind: 'idle', device: 'gpu:0', depths: 1 }),
      line({ name: 'empty', spans: 0 }),
    ],
    facts: { shapes: false, stacks: false, modules: false, memory: false, graph: false },
  };
  const none = () => ({
    pinned: new Set<string>(),
    folded: new Set<string>(),
    unfolded: new Set<string>(),
    hidden: new Set<string>(),
    order: [],
    grouping: 'process' as Grouping,
  });
  const names = {
    idle: 'idle',
    pinned: 'Pinned',
    criticalPath: 'path',
    memory: { name: 'RAM', allocated: 'used', reserved: 'kept' },
    lineKinds: { idle: 'Idle', stream: 'Streams', thread: 'Threads', instants: 'Marks', counter: 'Counters' },
    allLines: 'All',
  };
  it('puts devices first, idle above their streams, and leaves empty lines out', () => {
    const rows = layout([info], none(), '', names);
    expect(rows.map((row) => row.title)).toEqual(['gpu:0', 'gpu:0 idle', 'stream 7', 'python', 'main']);
    expect(totalHeight(rows)).toBe(rows[4].top + rows[4].height);
    expect(visibleRows(rows, rows[2].top, rows[2].top + 1)).toEqual([rows[2]]);
  });
  it('names the curves of memory in the language of the page, and other counters as the file does', () => {
    const curve = (name: string, series: string) =>
      titleOf(line({ kind: 'counter', name, series }), { idle: '', memory: names.memory });
    expect(curve('memory gpu:0', 'allocated')).toBe('RAM gpu:0 · used');
    expect(curve('memory gpu:0', 'other')).toBe('memory gpu:0 · other');
    expect(curve('power', '')).toBe('power');
  });
  it('pins, folds, hides and filters', () => {
    const choices = none();
    choices.pinned.add('0.0');
    choices.hidden.add('0.2');
    choices.folded.add('0.1');
    const rows = layout([info], choices, '', names);
    expect(rows[0].title).toBe('Pinned');
    expect(rows[1]).toMatchObject({ title: 'main', pinned: true });
    expect(rows.some((row) => row.title === 'gpu:0 idle')).toBe(false);
    expect(rows.find((row) => row.title === 'stream 7')!.depths).toBe(1);
    expect(layout([info], none(), 'main', names).map((row) => row.title)).toEqual(['python', 'main']);
  });
  it('keeps pinned lines on top and says whose they are', () => {
    const choices = none();
    choices.pinned.add('1.1');
    const rows = layout(
      [
        { ...info, rank: 3 },
        { ...info, rank: 5 },
      ],
      choices,
      '',
      names,
    );
    expect(rows[1]).toMatchObject({ title: '5: stream 7', pinned: true });
    expect(pinnedHeight(rows)).toBe(rows[1].top + rows[1].height);
    expect(rows.filter((row) => row.pinned).length).toBe(2);
  });
  it('folds groups with next to nothing in them until they are opened', () => {
    const sparse = {
      ...info,
      processes: [...info.processes, { key: '-1', name: '', labels: '', sort: 1 }],
      lines: [...info.lines, line({ name: '-1', process: 1, spans: 1, depths: 1 })],
    };
    const rows = layout([sparse], none(), '', names);
    expect(rows.at(-1)).toMatchObject({ kind: 'group', folded: true });
    const choices = none();
    fold(choices, rows.at(-1)!);
    expect(layout([sparse], choices, '', names).at(-1)).toMatchObject({ kind: 'line', title: '-1' });
    fold(choices, rows.at(-1)!);
  });
  it('groups by kind, or not at all', () => {
    const choices = none();
    choices.grouping = 'kind';
    expect(layout([info], choices, '', names).map((row) => row.title)).toEqual([
      'Idle',
      'gpu:0 idle',
      'Streams',
      'stream 7',
      'Threads',
      'main',
    ]);
    choices.grouping = 'none';
    expect(layout([info], choices, '', names).filter((row) => row.kind === 'group').length).toBe(1);
    expect(readChoices(new URLSearchParams({ group: 'kind' })).grouping).toBe('kind');
    expect(readChoices(new URLSearchParams({ group: 'nonsense' })).grouping).toBe('process');
  });
  it('has the critical path as a line that can be pinned', () => {
    const rows = layout([info], none(), '', names, new Set([0]));
    expect(rows[0]).toMatchObject({ title: 'path', line: PATH_LINE });
    const choices = none();
    choices.pinned.add('0.path');
    expect(layout([info], choices, '', names, new Set([0]))[1]).toMatchObject({
      title: 'path',
      pinned: true,
    });
  });
});
