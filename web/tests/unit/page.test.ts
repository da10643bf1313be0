import { describe, expect, it } from 'vitest';
import type { Evidence, Flame, Graph, Line, TimelineInfo } from '../../src/api';
import { isDark, KINDS, mix } from '../../src/colors';
import { axisTime, bytes, count, duration, percent } from '../../src/format';
import { declared } from '../../src/generated/tables';
import { fitting } from '../../src/http_source';
import { en } from '../../src/i18n/en';
import { languageFrom } from '../../src/i18n/index';
import { zh } from '../../src/i18n/zh';
import { kernelColumns, opColumns } from '../../src/pages/columns';
import { pairs } from '../../src/pages/compare';
import { evidenceLink, traceOf } from '../../src/pages/findings';
import { folded } from '../../src/pages/graph';
import { callsOf, formatRoute, parseRoute } from '../../src/route';
import { readMarks, writeMarks } from '../../src/timeline/choices';
import { layout, totalHeight, visibleRows } from '../../src/timeline/layout';
import { placeOf } from '../../src/timeline/search';
import { axisStep, clamped, zoomed } from '../../src/timeline/steps_of_time';
import { flameBoxes } from '../../src/ui/flame';
import { aligned } from '../../src/ui/memory_curve';
import { type Column, sorted, toCsv } from '../../src/ui/table';
import { hotPath, treeRows } from '../../src/ui/tree';

describe('words', () => {
  it('has every key in every language', () => {
    const keys = (value: object, at = ''): string[] =>
      Object.entries(value).flatMap(([key, part]) =>
        typeof part === 'object' ? keys(part, `${at}${key}.`) : [`${at}${key}`],
      );
    expect(keys(zh)).toEqual(keys(en));
  });
  it('follows the address, then the browser', () => {
    expect(languageFrom('?lang=zh', ['en-US'])).toBe('zh');
    expect(languageFrom('', ['zh-CN', 'en'])).toBe('zh');
    expect(languageFrom('?lang=fr', ['de'])).toBe('en');
  });
});

describe('numbers', () => {
  it('are worded as in the terminal', () => {
    expect(duration(850)).toBe('850 ns');
    expect(duration(12_345)).toBe('12.35 µs');
    expect(duration(196_400_000)).toBe('196.4 ms');
    expect(duration(205e9)).toBe('3 m 25 s');
    expect(bytes(33_554_432)).toBe('32.00 MiB');
    expect(bytes(512)).toBe('512 B');
    expect(count(61_234)).toBe('61,234');
    expect(percent(1, 8)).toBe('12.5 %');
    expect(percent(1, 0)).toBe('–');
    expect(axisTime(1_500_000, 500_000)).toBe('1,500 µs');
  });
});

describe('address', () => {
  it('holds the view', () => {
    const text = '#/2/timeline?from=10&to=20&row=5';
    expect(formatRoute(parseRoute(text))).toBe(text);
    expect(parseRoute('').profile).toBeNull();
    expect(parseRoute('#/0').page).toBe('overview');
  });
});

describe('questions', () => {
  it('fit into an address', () => {
    expect(fitting('aten::mm')).toBe('aten::mm');
    const long = '<cutlass::Kernel, '.repeat(1000);
    const fits = fitting(long);
    expect(long.startsWith(fits)).toBe(true);
    expect(encodeURIComponent(fits).length).toBeLessThanOrEqual(6000);
    expect(encodeURIComponent(fits).length).toBeGreaterThan(5000);
    expect(() => encodeURIComponent(fitting('😀'.repeat(900)))).not.toThrow();
  });
  it('count hits over all traces', () => {
    expect(placeOf([3, 0, 5], 2)).toEqual({ trace: 0, index: 2 });
    expect(placeOf([3, 0, 5], 3)).toEqual({ trace: 2, index: 0 });
    expect(placeOf([3, 0, 5], 7)).toEqual({ trace: 2, index: 4 });
  });
});

describe('marks', () => {
  it('stand in the address', () => {
    const marks = [
      { from: 1, to: 20 },
      { from: -5, to: 7 },
    ];
    expect(readMarks(new URLSearchParams({ marks: writeMarks(marks)! }))).toEqual(marks);
    expect(readMarks(new URLSearchParams({ marks: '<b>~1-x' }))).toEqual([]);
    expect(writeMarks([])).toBeNull();
  });
});

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
  });
  const names = { idle: 'idle', pinned: 'Pinned' };
  it('puts devices first, idle above their streams, and leaves empty lines out', () => {
    const rows = layout([info], none(), '', names);
    expect(rows.map((row) => row.title)).toEqual(['gpu:0', 'gpu:0 idle', 'stream 7', 'python', 'main']);
    expect(totalHeight(rows)).toBe(rows[4].top + rows[4].height);
    expect(visibleRows(rows, rows[2].top, rows[2].top + 1)).toEqual([rows[2]]);
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
});

describe('tables', () => {
  const columns: Column<{ name: string; n: number | null }>[] = [
    { key: 'name', title: 'Name', value: (r) => r.name },
    { key: 'n', title: 'N', value: (r) => r.n, numeric: true },
  ];
  it('sorts with unknowns last', () => {
    const rows = [
      { name: 'a', n: 1 },
      { name: 'b', n: null },
      { name: 'c', n: 3 },
    ];
    expect(sorted(rows, columns[1], true).map((r) => r.name)).toEqual(['c', 'a', 'b']);
    expect(sorted(rows, columns[1], false).map((r) => r.name)).toEqual(['a', 'c', 'b']);
  });
  it('copies CSV in the unit that its heading names', () => {
    const times: Column<{ ns: number | null }>[] = [
      { key: 'ms', title: 'Total', value: (r) => r.ns, numeric: true, unit: 'ms' },
      { key: 'us', title: 'Mean', value: (r) => r.ns, numeric: true, unit: 'us' },
      { key: 'longest', title: 'Longest', value: (r) => r.ns, numeric: true, unit: 'duration' },
    ];
    expect(toCsv(times, [{ ns: 2_500_000 }, { ns: null }], en)).toBe(
      '"Total, ms","Mean, µs","Longest, ns"\n2.5,2500,2500000\n,,\n',
    );
  });
  it('shows the declared columns in both languages', () => {
    for (const columns of Object.values(declared)) {
      for (const column of columns) {
        expect(column.title.en).not.toBe('');
        expect(column.title.zh).not.toBe('');
      }
    }
    const headings = opColumns(en, true).map((column) => column.title);
    expect(headings.slice(0, 4)).toEqual(['Name', 'Kind', 'Calls', 'Device self']);
    expect(kernelColumns(en, false).map((column) => column.key)).toContain('mean');
  });
  it('copies CSV that no spreadsheet runs', () => {
    expect(toCsv(columns, [{ name: '=cmd()|"x", y', n: -5 }])).toBe('Name,N\n"\'=cmd()|""x"", y",-5\n');
  });
});

describe('pictures', () => {
  it('lays flames out by time', () => {
    const flame: Flame = {
      names: ['', 'a', 'b', 'c'],
      name: [0, 1, 2, 3],
      parent: [-1, 0, 0, 1],
      value: [100, 60, 40, 30],
      calls: [0, 1, 1, 1],
      kind: ['other', 'framework_op', 'framework_op', 'framework_op'],
      left_out: 0,
    };
    const boxes = flameBoxes(flame, 0, 0.001);
    expect(boxes.map((b) => [b.node, b.depth, b.from, b.to])).toEqual([
      [0, 0, 0, 1],
      [1, 1, 0, 0.6],
      [3, 2, 0, 0.3],
      [2, 1, 0.6, 1],
    ]);
    expect(flameBoxes(flame, 1, 0.001)[1].to).toBeCloseTo(0.5);
    expect(treeRows(flame, new Set()).map((r) => [r.name, r.depth, r.self])).toEqual([
      ['a', 0, 30],
      ['b', 0, 40],
    ]);
    expect(treeRows(flame, hotPath(flame)).map((r) => r.name)).toEqual(['a', 'c', 'b']);
  });
  it('folds a graph by scope', () => {
    const node = (name: string, inputs: number[]) => ({
      name,
      op: 'X',
      device: '',
      shape: '',
      host_ns: 1,
      device_ns: 2,
      inputs,
    });
    const graph: Graph = {
      nodes: [node('in', []), node('l1/a', [0]), node('l1/b/c', [1]), node('out', [2])],
    };
    const closed = folded(graph, new Set());
    expect([...closed.drawn.keys()]).toEqual(['in', 'l1', 'out']);
    expect(closed.drawn.get('l1')).toMatchObject({ scope: true, host_ns: 2, device_ns: 4 });
    expect([...closed.edges.keys()]).toEqual(['in\nl1', 'l1\nout']);
    const open = folded(graph, new Set(['l1']));
    expect([...open.drawn.keys()]).toEqual(['in', 'l1/a', 'l1/b', 'out']);
  });
  it('gives curves one axis', () => {
    expect(
      aligned([
        { time: [1, 3], value: [10, 30] },
        { time: [2], value: [5] },
      ]),
    ).toEqual([
      [1, 2, 3],
      [10, 10, 30],
      [null, 5, 5],
    ]);
  });
  it('pairs rows by name, per step', () => {
    const rows = pairs(
      [{ name: 'mm', calls: 4, ns: 40 }],
      [
        { name: 'mm', calls: 2, ns: 60 },
        { name: 'new', calls: 1, ns: 5 },
      ],
      (r) => r.ns,
      4,
      2,
    );
    expect(rows[0]).toMatchObject({ name: 'mm', base: 10, other: 30 });
    expect(rows[1]).toMatchObject({ name: 'new', base: 0, other: 2.5 });
  });
  it('mixes colours and knows dark from light', () => {
    expect(mix(0xffffffff, 0xff000000, 256)).toBe(0xffffffff);
    expect(mix(0xffffffff, 0xff000000, 0)).toBe(0xff000000);
    expect(isDark(0xff000000)).toBe(true);
    expect(isDark(0xffffffff)).toBe(false);
    expect(KINDS).toHaveLength(18);
  });
});

describe('links to the timeline', () => {
  it('calls of a name, and of nothing that only contains it', () => {
    const matches = (name: string, other: string) => new RegExp(callsOf(name).q).test(other);
    for (const name of ['aten::add', 'void f<(int)4, a*>(x[2], $y|z) + 1.5?', 'back\\slash ^ {3}']) {
      expect(matches(name, name)).toBe(true);
      expect(matches(name, `${name}_`)).toBe(false);
      expect(matches(name, `x${name}`)).toBe(false);
    }
    expect(matches('k'.repeat(5000), 'k'.repeat(5000))).toBe(true);
    expect(callsOf('k'.repeat(5000)).q.length).toBeLessThan(2000);
    const steps = new RegExp(callsOf('ProfilerStep', 'step').q);
    expect(['ProfilerStep#3', 'ProfilerStep', 'ProfilerSteps'].map((n) => steps.test(n))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('evidence shows its stretch and picks its event, on the trace of its rank', () => {
    const evidence: Evidence = { device: 'gpu:0', step: 4, start_ns: 10_000, ns: 2000, events: [77, 78] };
    const params = (of: Evidence, trace: number) =>
      Object.fromEntries(new URLSearchParams(evidenceLink(of, 2, trace).split('?')[1]));
    expect(evidenceLink(evidence, 2, 0)).toMatch(/^#\/2\/timeline\?/);
    expect(params(evidence, 0)).toEqual({ from: '9500', to: '12500', event: '77' });
    expect(params({ ...evidence, events: [] }, 0)).toEqual({
      from: '9500',
      to: '12500',
      a: '10000',
      b: '12000',
    });
    expect(params(evidence, 3)).toMatchObject({ trace: '3', of: '3' });
    expect(traceOf({ ...evidence, rank: 7 }, 0, [4, 5, 7])).toBe(2);
    expect(traceOf({ ...evidence, rank: 9 }, 1, [4, 5, 7])).toBe(1);
    expect(traceOf(evidence, 1, [null, null])).toBe(1);
  });
});
