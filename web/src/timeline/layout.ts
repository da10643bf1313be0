import type { Line, TimelineInfo } from '../api';

export const STRIP = 17; // pixels a depth takes, one of them a gap
export const COUNTER = 44;
export const HEADER = 24;
export const MAX_AUTO_DEPTHS = 12;
/** A group of lines with no more spans than this in all begins folded: mostly marks of the profiler itself. */
const FEW = 4;
/** The line that holds a step's critical path; no line of the file. */
export const PATH_LINE = -2;

/** What the user did to lines; kept in the address. Keys are "trace.line". */
export interface LineChoices {
  pinned: Set<string>;
  folded: Set<string>;
  unfolded: Set<string>;
  hidden: Set<string>;
  /** Lines moved by hand: key → place in its group. */
  order: string[];
  grouping: Grouping;
}

/** What lines stand together: those of a device or process, those of a kind, or all, the busiest first. */
export type Grouping = 'process' | 'kind' | 'none';
export const GROUPINGS: Grouping[] = ['process', 'kind', 'none'];

export interface LayoutWords {
  idle: string;
  pinned: string;
  criticalPath: string;
  /** Of the curves of memory: name, allocated, reserved. */
  memory: Record<string, string>;
  lineKinds: Record<'idle' | 'stream' | 'thread' | 'instants' | 'counter', string>;
  allLines: string;
}

export interface Row {
  kind: 'group' | 'line';
  key: string;
  trace: number;
  line: number; // index in TimelineInfo.lines, -1 for groups
  info: Line | null;
  title: string;
  subtitle: string;
  top: number;
  height: number;
  depths: number; // drawn
  folded: boolean;
  pinned: boolean;
}

const rank = (line: Line): number => {
  if (line.kind === 'idle') return 0;
  if (line.track_kind === 'stream' && line.kind === 'track') return 1;
  if (line.kind === 'track') return 2;
  return line.kind === 'instants' ? 3 : 4;
};

export function titleOf(line: Line, words: Pick<LayoutWords, 'idle' | 'memory'>): string {
  if (line.kind === 'idle') return `${line.device} ${words.idle}`;
  // The two curves that the engine makes out of allocations; all other counters have names of the file.
  const curve = line.kind === 'counter' && line.name.startsWith('memory ') && words.memory[line.series];
  if (curve) return `${words.memory.name} ${line.name.slice(7)} · ${curve}`;
  if (line.kind === 'counter') return line.series ? `${line.name} · ${line.series}` : line.name;
  const name = line.name.trim() || line.key;
  const lane = line.lane > 0 ? ` (+${line.lane})` : '';
  return `${name}${lane}`;
}

const sortOf = (line: Line): keyof LayoutWords['lineKinds'] => {
  if (line.kind !== 'track') return line.kind;
  return line.track_kind === 'stream' ? 'stream' : 'thread';
};
const SORTS: (keyof LayoutWords['lineKinds'])[] = ['idle', 'stream', 'thread', 'counter', 'instants'];

function groupOf(info: TimelineInfo, line: Line): string {
  if (line.device !== '') return `device ${line.device}`;
  return `process ${line.process} ${info.processes[line.process]?.key ?? ''}`;
}

function groupTitle(info: TimelineInfo, line: Line): [string, string] {
  if (line.device !== '') return [line.device, ''];
  const process = info.processes[line.process];
  if (!process) return ['', ''];
  return [process.name || process.key, [process.labels, process.key].filter(Boolean).join(' · ')];
}

/**
 * Rows of the timeline from top to bottom: pinned lines, then by trace and group (devices first), idle causes above the
 * streams of their device. Lines with nothing in them are left out by the server.
 */
export function layout(
  infos: TimelineInfo[],
  choices: LineChoices,
  filter: string,
  words: LayoutWords,
  /** Traces whose critical path is known. */
  paths: Set<number> = new Set(),
): Row[] {
  const rows: Row[] = [];
  const wanted = filter.trim().toLowerCase();
  const all: { key: string; trace: number; index: number; line: Line; group: string; order: number }[] = [];
  const groupKey = (trace: number, info: TimelineInfo, line: Line) =>
    choices.grouping === 'process'
      ? `${trace} ${groupOf(info, line)}`
      : choices.grouping === 'kind'
        ? sortOf(line)
        : 'all';
  infos.forEach((info, trace) => {
    info.lines.forEach((line, index) => {
      const key = `${trace}.${index}`;
      if (choices.hidden.has(key) || line.spans === 0) return;
      const [groupName] = groupTitle(info, line);
      const title = `${titleOf(line, words)} ${groupName}`.toLowerCase();
      if (wanted && !title.includes(wanted)) return;
      all.push({ key, trace, index, line, group: groupKey(trace, info, line), order: rank(line) });
    });
  });
  const grouping = choices.grouping;
  const byHand = new Map(choices.order.map((key, place) => [key, place]));
  const deviceFirst = (line: Line) => (line.device !== '' ? 0 : 1);
  type Item = (typeof all)[number];
  const byKind = (a: Item, b: Item) =>
    SORTS.indexOf(sortOf(a.line)) - SORTS.indexOf(sortOf(b.line)) ||
    (byHand.get(a.key) ?? -1) - (byHand.get(b.key) ?? -1) ||
    busiest(b.line) - busiest(a.line) ||
    a.trace - b.trace ||
    a.index - b.index;
  const byBusiness = (a: Item, b: Item) =>
    (byHand.get(a.key) ?? -1) - (byHand.get(b.key) ?? -1) ||
    b.line.spans - a.line.spans ||
    a.trace - b.trace ||
    a.index - b.index;
  const byProcessOrDevice = (a: Item, b: Item) =>
    a.trace - b.trace ||
    deviceFirst(a.line) - deviceFirst(b.line) ||
    (a.line.device < b.line.device ? -1 : a.line.device > b.line.device ? 1 : 0) ||
    (a.line.device === '' ? byProcess(infos[a.trace], a.line, b.line) : 0) ||
    (byHand.get(a.key) ?? -1) - (byHand.get(b.key) ?? -1) ||
    a.order - b.order ||
    a.line.sort - b.line.sort ||
    busiest(b.line) - busiest(a.line) ||
    a.index - b.index;
  all.sort(grouping === 'process' ? byProcessOrDevice : grouping === 'kind' ? byKind : byBusiness);
  let top = 0;
  const push = (row: Omit<Row, 'top'>) => {
    rows.push({ ...row, top });
    top += row.height;
  };
  const many = infos.length > 1;
  const rankName = (trace: number) => (many ? `${infos[trace].rank ?? trace}: ` : '');
  const pushPath = (trace: number, pinned: boolean) =>
    push({
      kind: 'line',
      key: `${trace}.path`,
      trace,
      line: PATH_LINE,
      info: pathLine,
      title: rankName(trace) + words.criticalPath,
      subtitle: '',
      height: STRIP + 5,
      depths: 1,
      folded: false,
      pinned,
    });
  const pushLine = (item: Item, pinned: boolean) => {
    const { line, key } = item;
    const folded =
      choices.folded.has(key) || (!choices.unfolded.has(key) && line.kind === 'track' && line.depths > 40);
    const limit = choices.unfolded.has(key) ? 400 : MAX_AUTO_DEPTHS;
    const depths = folded ? 1 : Math.min(line.depths, limit);
    push({
      kind: 'line',
      key,
      trace: item.trace,
      line: item.index,
      info: line,
      // Out of its group, a line says whose it is.
      title: (pinned || grouping !== 'process' ? rankName(item.trace) : '') + titleOf(line, words),
      subtitle: subtitleOf(line, depths),
      height: line.kind === 'counter' ? (folded ? STRIP + 3 : COUNTER) : depths * STRIP + 5,
      depths,
      folded,
      pinned,
    });
  };
  const pinned = all.filter((item) => choices.pinned.has(item.key));
  const pathsShown = [...paths].filter(
    (trace) =>
      !choices.hidden.has(`${trace}.path`) && (!wanted || words.criticalPath.toLowerCase().includes(wanted)),
  );
  const pathPinned = (trace: number) => choices.pinned.has(`${trace}.path`);
  if (pinned.length > 0 || pathsShown.some(pathPinned)) {
    push({ ...emptyGroup, key: 'pinned', title: words.pinned, height: HEADER, pinned: true });
    for (const trace of pathsShown.filter(pathPinned)) pushPath(trace, true);
    for (const item of pinned) pushLine(item, true);
  }
  for (const trace of pathsShown) if (!pathPinned(trace)) pushPath(trace, false);
  const spansOf = new Map<string, number>();
  for (const { group, line } of all) spansOf.set(group, (spansOf.get(group) ?? 0) + line.spans);
  const foldsItself = (group: string) =>
    grouping === 'process' && wanted === '' && spansOf.get(group)! <= FEW && spansOf.size > 1;
  let group = '';
  let open = true;
  for (const item of all) {
    if (item.group !== group) {
      group = item.group;
      const key = `g${group}`;
      const [name, subtitle] = groupTitle(infos[item.trace], item.line);
      const title =
        grouping === 'process'
          ? rankName(item.trace) + name
          : grouping === 'kind'
            ? words.lineKinds[sortOf(item.line)]
            : words.allLines;
      open = !(choices.folded.has(key) || (foldsItself(group) && !choices.unfolded.has(key)));
      push({
        ...emptyGroup,
        key,
        trace: item.trace,
        title,
        subtitle: grouping === 'process' ? subtitle : '',
        height: HEADER,
        folded: !open,
      });
    }
    if (open && !choices.pinned.has(item.key)) pushLine(item, false);
  }
  return rows;
}

const pathLine: Line = {
  kind: 'track',
  name: '',
  series: '',
  process: 0,
  track: -1,
  track_kind: 'other',
  key: '',
  lane: 0,
  device: '',
  stream: -1,
  sort: 0,
  depths: 1,
  spans: 1,
  min: 0,
  max: 0,
  unit: '',
};

const emptyGroup = {
  kind: 'group' as const,
  trace: 0,
  line: -1,
  info: null,
  subtitle: '',
  depths: 0,
  folded: false,
  pinned: false,
};

function subtitleOf(line: Line, drawn: number): string {
  return line.kind === 'track' && line.depths > drawn ? `${drawn}/${line.depths}` : '';
}

const byProcess = (info: TimelineInfo, a: Line, b: Line): number =>
  (info.processes[a.process]?.sort ?? 0) - (info.processes[b.process]?.sort ?? 0) || a.process - b.process;
const busiest = (line: Line): number => (line.kind === 'track' ? line.spans : 0);

/** Height of the pinned lines: they come first and stay in sight. */
export function pinnedHeight(rows: Row[]): number {
  const last = rows.findLast((row) => row.pinned);
  return last ? last.top + last.height : 0;
}

export function totalHeight(rows: Row[]): number {
  const last = rows[rows.length - 1];
  return last ? last.top + last.height : 0;
}

/** The rows that touch a stretch of pixels, by binary search. */
export function visibleRows(rows: Row[], from: number, to: number): Row[] {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].top + rows[middle].height <= from) low = middle + 1;
    else high = middle;
  }
  const seen: Row[] = [];
  for (let i = low; i < rows.length && rows[i].top < to; ++i) seen.push(rows[i]);
  return seen;
}
