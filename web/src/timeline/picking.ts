import { useRef, useState } from 'preact/hooks';
import type { IdleDetails, Selection, SelectionBy, SliceDetails, SliceRef } from '../api';
import { note, route } from '../route';
import type { Source } from '../source';
import { PATH_LINE } from './layout';
import { BlockType } from './tiles';
import type { Area, Arrow, Box, Hover, TimelineView } from './view';

export type Picked =
  | { kind: 'slice'; trace: number; row: number; merged: number }
  | { kind: 'idle'; trace: number; line: number; gap: number }
  | { kind: 'range'; from: number; to: number; keys?: string[] };

/** The parameters of the address that hold what is picked. */
const NOTHING = { row: null, event: null, idle: null, a: null, b: null, on: null };
const BACKWARD = ['launched_by', 'forward', 'flow_from'];
const FORWARD = ['launches', 'backward', 'flow_to'];

/** The lines of one trace among keys of rows; undefined stands for all. */
export function linesOf(keys: string[] | undefined, trace: number): number[] | undefined {
  return keys?.flatMap((key) => {
    const [of, line] = key.split('.');
    return Number(of) === trace && /^\d+$/.test(line) ? [Number(line)] : [];
  });
}

/** A stretch of the critical path in which nothing runs. */
export const NO_ROW = 0xffffffff;

const BY: SelectionBy[] = ['name', 'kind', 'op'];

/** What the user picked on the timeline, what the server says of it, and how it is drawn and kept in the address. */
export function usePicking(view: TimelineView, source: Source, profile: number) {
  const [failure, setFailure] = useState<unknown>(null);
  const [picked, setPicked] = useState<Picked | null>(null);
  const [details, setDetails] = useState<SliceDetails | null>(null);
  const [idle, setIdle] = useState<IdleDetails | null>(null);
  const [selections, setSelections] = useState<(Selection & { trace: number })[] | null>(null);
  const [by, setBy] = useState<SelectionBy>(BY.find((one) => one === route.value.params.get('by')) ?? 'name');
  const asked = useRef(0);
  // Where keys continue from, even if the page has not been drawn since.
  const latest = useRef<{ trace: number; details: SliceDetails | null } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const boxOf = (trace: number, slice: SliceRef): Box => {
    const from = slice.start_ns + view.infos[trace].offset_ns;
    return { key: `${trace}.${slice.line}`, depth: slice.depth, from, to: from + slice.duration_ns };
  };
  const arrowsOf = (trace: number, from: SliceDetails): Arrow[] =>
    from.links
      .filter((link) => link.relation !== 'op')
      .slice(0, 40)
      .map((link) => {
        const here = boxOf(trace, from);
        const there = boxOf(trace, link.slice);
        const [a, b] = BACKWARD.includes(link.relation) ? [there, here] : [here, there];
        return {
          from: { key: a.key, depth: a.depth, time: a.from },
          to: { key: b.key, depth: b.depth, time: b.from },
        };
      });
  /** A stretch that is being drawn keeps the last answer in sight: the pane must not flicker. */
  const clear = (next: Picked | null): number => {
    clearTimeout(timer.current);
    latest.current = next?.kind === 'slice' ? { trace: next.trace, details: null } : null;
    setPicked(next);
    setDetails(null);
    setIdle(null);
    if (next?.kind !== 'range') setSelections(null);
    setFailure(null);
    return ++asked.current;
  };
  /** Asks, and takes the answer only when nothing else was picked meanwhile. */
  const answer = async <T>(mine: number, question: Promise<T>, take: (value: T) => void) => {
    try {
      const value = await question;
      if (mine === asked.current) take(value);
    } catch (error) {
      if (mine === asked.current) setFailure(error);
    }
  };

  const drop = () => {
    clear(null);
    view.overlay.value = { ...view.overlay.value, selected: null, range: null, arrows: [] };
    note(NOTHING);
  };
  const pickSlice = (trace: number, row: number, merged: number, reveal: boolean, zoom: boolean) => {
    const mine = clear({ kind: 'slice', trace, row, merged });
    // A one-file report knows those spans that stand alone in it.
    const asked = source.slice(profile, trace, row);
    void answer(mine, source.live ? asked : asked.catch(() => null), (found) => {
      if (!found) return;
      view.remember(trace, found.name_id, found.name);
      latest.current = { trace, details: found };
      setDetails(found);
      if (reveal) view.reveal(found, trace, zoom);
      const arrows = arrowsOf(trace, found);
      view.overlay.value = { ...view.overlay.value, selected: boxOf(trace, found), range: null, arrows };
      note({ ...NOTHING, row: String(row), trace: trace ? String(trace) : null });
    });
  };
  const pickIdle = (trace: number, line: number, gap: number) => {
    const mine = clear({ kind: 'idle', trace, line, gap });
    if (!source.live) return;
    void answer(mine, source.idle(profile, trace, line, gap), (found) => {
      setIdle(found);
      const from = found.start_ns + view.infos[trace].offset_ns;
      const selected = { key: `${trace}.${line}`, depth: 0, from, to: from + found.duration_ns };
      view.overlay.value = { ...view.overlay.value, selected, range: null, arrows: [] };
      note({ ...NOTHING, idle: `${line}.${gap}`, trace: trace ? String(trace) : null });
    });
  };
  /** Drawn at once; added up over all traces when the pointer rests. */
  const pickRange = (range: Area | null, how: SelectionBy = by) => {
    view.overlay.value = { ...view.overlay.value, range, selected: null, arrows: [] };
    clearTimeout(timer.current);
    if (!range) return;
    timer.current = setTimeout(() => {
      const mine = clear({ kind: 'range', ...range });
      note({
        ...NOTHING,
        a: range.from.toFixed(0),
        b: range.to.toFixed(0),
        on: range.keys?.join('~') || null,
        by: how === 'name' ? null : how,
      });
      if (!source.live) return;
      const questions = view.infos.flatMap((info, trace) => {
        const lines = linesOf(range.keys, trace);
        // A trace with none of the chosen lines has nothing to add.
        if (lines?.length === 0 && range.keys!.length > 0) return [];
        const [from, to] = [range.from - info.offset_ns, range.to - info.offset_ns];
        return source.selection(profile, trace, from, to, lines, how).then((found) => ({ ...found, trace }));
      });
      void answer(mine, Promise.all(questions), setSelections);
    }, 60);
  };
  const groupBy = (how: SelectionBy) => {
    setBy(how);
    const { range } = view.overlay.value;
    if (range) pickRange(range, how);
  };
  const pickHover = (hover: Hover | null, zoom = false) => {
    if (!hover) return drop();
    const { block, item, row } = hover;
    if (row.line === PATH_LINE && block.row[item] === NO_ROW) return drop();
    if (block.type === BlockType.Idle) pickIdle(row.trace, row.line, block.row[item]);
    else if (block.type === BlockType.Spans)
      pickSlice(row.trace, block.row[item], block.count[item], zoom, zoom);
  };
  /** Along an arrow of the picked span. */
  const follow = (forward: boolean) => {
    const now = latest.current;
    const relations = forward ? FORWARD : BACKWARD;
    const link = now?.details?.links.find((l) => relations.includes(l.relation));
    if (now && link) pickSlice(now.trace, link.slice.row, 1, true, false);
  };
  /** The span before or after on the same line and depth; with none picked, the first in sight. */
  const neighbour = (by: -1 | 1) => {
    const now = latest.current;
    if (!now) {
      const first = view.firstInSight();
      if (first) pickSlice(first.trace, first.row, 1, true, false);
      return;
    }
    const row = by > 0 ? now.details?.next : now.details?.previous;
    if (row !== null && row !== undefined) pickSlice(now.trace, row, 1, true, false);
  };
  return {
    picked,
    details,
    idle,
    selections,
    failure,
    setFailure,
    drop,
    pickSlice,
    pickIdle,
    pickRange,
    by,
    groupBy,
    pickHover,
    follow,
    neighbour,
  };
}
