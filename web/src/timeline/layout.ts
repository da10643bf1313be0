import type { Line, TimelineInfo } from '../api';

export const STRIP = 17; // pixels a depth takes, one of them a gap
export const COUNTER = 44;
export const HEADER = 24;
export const MAX_AUTO_DEPTHS = 12;

/** What the user did to lines; kept in the address. Keys are "trace.line". */
export interface LineChoices {
  pinned: Set<string>;
  folded: Set<string>;
  unfolded: Set<string>;
  hidden: Set<string>;
  /** Lines moved by hand: key → place in its group. */
  order: string[];
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

export function titleOf(line: Line, idleTitle: string): string {
  if (line.kind === 'idle') return `${line.device} ${idleTitle}`;
  if (line.kind === 'counter') return line.series ? `${line.name} · ${line.series}` : line.name;
  const name = line.name.trim() || line.key;
  const lane = line.lane > 0 ? ` (+${line.lane})` : '';
  return `${name}${lane}`;
}

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
  words: { idle: string; pinned: string },
): Row[] {
  const rows: Row[] = [];
  const wanted = filter.trim().toLowerCase();
  const all: { key: string; trace: number; index: number; line: Line; group: string; order: number }[] = [];
  infos.forEach((info, trace) => {
    info.lines.forEach((line, index) => {
      const key = `${trace}.${index}`;
      if (choices.hidden.has(key) || line.spans === 0) return;
      const [groupName] = groupTitle(info, line);
      const title = `${titleOf(line, words.idle)} ${groupName}`.toLowerCase();
      if (wanted && !title.includes(wanted)) return;
      all.push({ key, trace, index, line, group: `${trace} ${groupOf(info, line)}`, order: rank(line) });
    });
  });
  const byHand = new Map(choices.order.map((key, place) => [key, place]));
  const deviceFirst = (line: Line) => (line.device !== '' ? 0 : 1);
  all.sort(
    (a, b) =>
      a.trace - b.trace ||
      deviceFirst(a.line) - deviceFirst(b.line) ||
      (a.line.device < b.line.device ? -1 : a.line.device > b.line.device ? 1 : 0) ||
      (a.line.device === '' ? byProcess(infos[a.trace], a.line, b.line) : 0) ||
      (byHand.get(a.key) ?? -1) - (byHand.get(b.key) ?? -1) ||
      a.order - b.order ||
      a.line.sort - b.line.sort ||
      busiest(b.line) - busiest(a.line) ||
      a.index - b.index,
  );
  let top = 0;
  const push = (row: Omit<Row, 'top'>) => {
    rows.push({ ...row, top });
    top += row.height;
  };
  const pushLine = (item: (typeof all)[number], pinned: boolean) => {
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
      title: titleOf(line, words.idle),
      subtitle: subtitleOf(line, depths),
      height: line.kind === 'counter' ? (folded ? STRIP + 3 : COUNTER) : depths * STRIP + 5,
      depths,
      folded,
      pinned,
    });
  };
  const pinned = all.filter((item) => choices.pinned.has(item.key));
  if (pinned.length > 0) {
    push({ ...emptyGroup, key: 'pinned', title: words.pinned, height: HEADER });
    for (const item of pinned) pushLine(item, true);
  }
  let group = '';
  let open = true;
  for (const item of all) {
    if (item.group !== group) {
      group = item.group;
      const [title, subtitle] = groupTitle(infos[item.trace], item.line);
      const rankName = infos.length > 1 ? `${infos[item.trace].rank ?? item.trace}: ` : '';
      open = !choices.folded.has(`g${group}`);
      push({
        ...emptyGroup,
        key: `g${group}`,
        trace: item.trace,
        title: rankName + title,
        subtitle,
        height: HEADER,
        folded: !open,
      });
    }
    if (open && !choices.pinned.has(item.key)) pushLine(item, false);
  }
  return rows;
}

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
