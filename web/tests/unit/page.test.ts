import { describe, expect, it } from 'vitest';
import type { Evidence, Flame, Graph, Line, TimelineInfo } from '../../src/api';
import { isDark, KINDS, mix } from '../../src/colors';
import { type DiffNode, signedBoxes } from '../../src/diff';
import { axisTime, bytes, count, duration, percent } from '../../src/format';
import { declared } from '../../src/generated/tables';
import { fitting } from '../../src/http_source';
import { en } from '../../src/i18n/en';
import { fillEach, languageFrom } from '../../src/i18n/index';
import { zh } from '../../src/i18n/zh';
import { kernelColumns, opColumns } from '../../src/pages/columns';
import { signed, tellingNames } from '../../src/pages/compare';
import { evidenceLink, traceOf } from '../../src/pages/findings';
import { folded, found, scopesOf } from '../../src/pages/graph';
import { feeds } from '../../src/pages/input_graph';
import { moodOf } from '../../src/pages/overview';
import { completions, placeOfSlice, sliceColumn } from '../../src/pages/query';
import { partsOfRank } from '../../src/pages/ranks';
import { type ReportsAnswer, withRanks } from '../../src/reports_answer';
import { callsOf, callsOfAll, formatRoute, parseRoute } from '../../src/route';
import { fold, readChoices, readMarks, writeMarks } from '../../src/timeline/choices';
import {
  type Grouping,
  layout,
  PATH_LINE,
  pinnedHeight,
  totalHeight,
  visibleRows,
} from '../../src/timeline/layout';
import { placeOf } from '../../src/timeline/search';
import { axisStep, clamped, zoomed } from '../../src/timeline/steps_of_time';
import { flameBoxes } from '../../src/ui/flame';
import { binsOf } from '../../src/ui/histogram';
import { aligned } from '../../src/ui/memory_curve';
import { fitted, zoomedAt } from '../../src/ui/pan_zoom';
import { type Column, toCsv } from '../../src/ui/table';
import { clicked, filtered, readState, sortedBy, writeState } from '../../src/ui/table_model';
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
      { from: 1, to: 20, note: '' },
      { from: -5, to: 7, note: 'here ~ the gap! 等待' },
    ];
    expect(readMarks(new URLSearchParams({ marks: writeMarks(marks)! }))).toEqual(marks);
    expect(readMarks(new URLSearchParams({ marks: '1-20' }))).toEqual([marks[0]]);
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
    grouping: 'process' as Grouping,
  });
  const names = {
    idle: 'idle',
    pinned: 'Pinned',
    criticalPath: 'path',
    lineKinds: { idle: 'Idle', stream: 'Streams', thread: 'Threads', instants: 'Marks', counter: 'Counters' },
    allLines: 'All',
  };
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
    const by = (descending: boolean) =>
      sortedBy(rows, columns, [{ key: 'n', descending }]).map((r) => r.name);
    expect(by(true)).toEqual(['c', 'a', 'b']);
    expect(by(false)).toEqual(['a', 'c', 'b']);
  });
  it('sorts by several columns, in the order of the clicks', () => {
    const rows = [
      { name: 'b', n: 1 },
      { name: 'a', n: 2 },
      { name: 'a', n: 3 },
    ];
    let sorts = clicked([], 'name', false, false);
    sorts = clicked(sorts, 'n', true, true);
    expect(sortedBy(rows, columns, sorts).map((r) => r.n)).toEqual([3, 2, 1]);
    expect(clicked(sorts, 'n', true, true)[1]).toEqual({ key: 'n', descending: false });
    expect(clicked(sorts, 'n', true, false)).toEqual([{ key: 'n', descending: false }]);
  });
  it('filters on what is shown, not on hidden nanoseconds', () => {
    const times: Column<{ name: string; ns: number }>[] = [
      { key: 'name', title: 'Name', value: (r) => r.name, cell: (r) => r.name.slice(5) },
      { key: 'ns', title: 'Total', value: (r) => r.ns, numeric: true, unit: 'ms' },
    ];
    const rows = [
      { name: 'void a', ns: 35_600_001 },
      { name: 'void b', ns: 12_640_000 },
    ];
    const found = (text: string) => filtered(rows, times, text).map((r) => r.name);
    expect(found('35.6')).toEqual(['void a']);
    expect(found('35600')).toEqual([]);
    expect(found('12.64')).toEqual(['void b']);
    expect(found('void')).toEqual(['void a', 'void b']);
  });
  it('keeps what was done to it in the address', () => {
    const usual = [{ key: 'n', descending: true }];
    const state = {
      sorts: [
        { key: 'name', descending: false },
        { key: 'n', descending: true },
      ],
      hidden: ['x'],
      widths: { name: 300 },
      filter: 'a&b=c',
    };
    expect(readState(writeState(state, usual), usual)).toEqual(state);
    expect(writeState(readState(null, usual), usual)).toBeNull();
    expect(readState('w=name:-3,n:abc', usual).widths).toEqual({});
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
  it('finds nodes by any part of their names, the most costly first, and knows all scopes', () => {
    const node = (name: string, host_ns: number) => ({
      name,
      op: 'X',
      device: '',
      shape: '',
      host_ns,
      device_ns: 0,
      inputs: [],
    });
    const small = { nodes: [node('a/conv', 1), node('a/b/Conv2', 5), node('c', 9)] };
    expect(found(small, 'CONV')).toEqual([1, 0]);
    expect(found(small, ' ')).toEqual([]);
    expect(found(small, 'a/conv')).toEqual([0]);
    expect(found({ nodes: [node('g/x', 9), node('x', 1)] }, 'x')).toEqual([1, 0]);
    expect(scopesOf(small)).toEqual(['a', 'a/b']);
  });
  it('zooms around a point that stays, and fits a drawing into its window', () => {
    const next = zoomedAt({ k: 1, x: 10, y: 20 }, 2, 110, 70);
    expect(next).toEqual({ k: 2, x: -90, y: -30 });
    const fit = fitted({ width: 2000, height: 400 }, { width: 1020, height: 620 });
    expect(fit.k).toBe(0.5);
    expect(fit.x).toBe(10);
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
  it('tells profiles of one name apart', () => {
    const profile = (id: number, path: string) => ({ id, name: 'trace.json', paths: [path] });
    expect([...tellingNames([profile(0, 'a/trace.json'), profile(1, 'b/trace.json')]).values()]).toEqual([
      'trace.json (a)',
      'trace.json (b)',
    ]);
    expect([...tellingNames([profile(0, 'a/trace.json'), profile(1, 'a/trace.json')]).values()]).toEqual([
      'trace.json (1)',
      'trace.json (2)',
    ]);
    expect(tellingNames([profile(4, 'a/trace.json')]).get(4)).toBe('trace.json');
  });
  it('signs differences', () => {
    expect(signed(1500)).toContain('+1.500');
    expect(signed(-2048, 'bytes')).toContain('−2.00');
    expect(signed(0, 'count')).toBe('0');
  });
  it('draws what went away as wide as it was', () => {
    const node = (module: string, op: string, base: number, now: number) =>
      ({
        key: { kind: 'op', module, op, shapes: null, line: null, kernel: null, pass: null },
        base: { device_ns: base, host_ns: 0 },
        new: { device_ns: now, host_ns: 0 },
      }) as unknown as DiffNode;
    const boxes = signedBoxes([node('Net > A', 'mm', 60, 0), node('Net', 'add', 20, 40)], 'all');
    const of = (title: string) => boxes.find((box) => box.title === title)!;
    expect(of('all')).toMatchObject({ depth: 0, from: 0, to: 1, base: 80, now: 40 });
    expect(of('mm')).toMatchObject({ depth: 3, from: 0, to: 0.6, base: 60, now: 0 });
    expect(of('add')).toMatchObject({ depth: 2, from: 0.6, to: 1, base: 20, now: 40 });
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

describe('chosen rows', () => {
  it('lead to the calls of all their names, and no others', () => {
    const { q, re } = callsOfAll(['aten::mm', 'f<int>(a)']);
    expect(re).toBe('1');
    const expression = new RegExp(q);
    expect(['aten::mm', 'f<int>(a)', 'aten::mms'].map((name) => expression.test(name))).toEqual([
      true,
      true,
      false,
    ]);
    expect(callsOfAll(['one'])).toEqual(callsOf('one'));
  });
});

describe('charts', () => {
  it('count every value once', () => {
    const bins = binsOf([1, 2, 2, 3, 10], 40);
    expect(bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(5);
    expect(bins[0].from).toBe(1);
    expect(bins.at(-1)!.to).toBe(10);
    expect(binsOf([4, 4], 40)).toEqual([{ from: 4, to: 4, count: 2 }]);
    expect(binsOf([], 40)).toEqual([]);
  });
  it('connect input stages along their paths', () => {
    const stages = ['root', 'root/batch', 'root/batch/map', 'root/batch/map/read', 'other'].map((path) => ({
      path,
    }));
    expect(feeds(stages)).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
    ]);
  });
  it('judge verdict and findings as one', () => {
    const of = (bound: string, ...severities: string[]) =>
      moodOf({
        verdict: { bound_by: bound, sentence: '' },
        findings: severities.map((severity) => ({ severity })),
      } as never);
    expect(of('compute')).toBe('good');
    expect(of('compute', 'low')).toBe('good');
    expect(of('compute', 'high')).toBe('bad');
    expect(of('input')).toBe('fair');
  });
});

describe('ranks', () => {
  it('gives the first report what all ranks say together', () => {
    const answer = { reports: [{ schema: 'a' }, { schema: 'b' }], ranks: { name: 'job' } };
    const [first, second] = withRanks(answer as unknown as ReportsAnswer);
    expect(first.ranks?.name).toBe('job');
    expect(second.ranks).toBeUndefined();
    const one = { schema: 'stepscope.report/1' } as ReportsAnswer;
    expect(withRanks(one)).toEqual([one]);
  });
  it('draws parts that add up to the mean step', () => {
    const row = {
      rank: 2,
      path: 'rank2.json',
      steps: 8,
      step_ns: 72,
      own_ns: 38,
      compute_ns: 2,
      exposed_transfer_ns: 34,
      exposed_wait_ns: 0,
      copy_ns: 1,
      input_ns: 30,
      idle_ns: 5,
      wait_ns: 0,
      last: 16,
      first: 0,
      z: null,
    };
    const parts = partsOfRank(row, en);
    expect(parts.reduce((sum, part) => sum + part.ns, 0)).toBe(72);
    expect(new Set(parts.map((part) => `${part.color}${part.hatched}`)).size).toBe(parts.length);
  });
  it('fills several places', () => {
    expect(fillEach('{1} of {0}', 4, 'x')).toBe('x of 4');
  });
});

describe('the Query page', () => {
  it('a row number of SQL is a row of one trace', () => {
    expect(placeOfSlice(0, [3, 2])).toEqual({ trace: 0, row: 0 });
    expect(placeOfSlice(4, [3, 2])).toEqual({ trace: 1, row: 1 });
    expect(placeOfSlice(5, [3, 2])).toBeNull();
    expect(placeOfSlice(-1, [3, 2])).toBeNull();
  });

  it('the column that leads to a slice', () => {
    expect(sliceColumn(['name', 'slice_id'])).toBe(1);
    expect(sliceColumn(['op_slice_id', 'name'])).toBe(0);
    expect(sliceColumn(['id', 'ts', 'dur'])).toBe(0);
    expect(sliceColumn(['id', 'name'])).toBe(-1);
  });

  it('completes the word at the cursor, columns of named tables first', () => {
    const schema = {
      tables: [
        { name: 'slice', meaning: '', columns: ['id', 'dur'] },
        { name: 'step', meaning: '', columns: ['duration_of_it'] },
      ],
      views: [],
      functions: [{ call: 'median(x)', meaning: '' }],
      library: [],
    };
    const text = 'SELECT du FROM slice';
    expect(completions(text, 9, schema)).toEqual({ from: 7, words: ['dur', 'duration_of_it'] });
    expect(completions('SELECT med', 10, schema).words).toEqual(['median']);
    expect(completions('SELECT ', 7, schema).words).toEqual([]);
  });
});
