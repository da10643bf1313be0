import { useRef, useState } from 'preact/hooks';
import type { IdleDetails, Selection, SliceDetails, SliceRef } from '../api';
import { note } from '../route';
import type { Source } from '../source';
import type { Window } from './paint';
import { BlockType } from './tiles';
import type { Arrow, Box, Hover, TimelineView } from './view';

export type Picked =
  | { kind: 'slice'; trace: number; row: number; merged: number }
  | { kind: 'idle'; trace: number; line: number; gap: number }
  | { kind: 'range'; from: number; to: number };

/** The parameters of the address that hold what is picked. */
const NOTHING = { row: null, event: null, idle: null, a: null, b: null };
const BACKWARD = ['launched_by', 'forward', 'flow_from'];
const FORWARD = ['launches', 'backward', 'flow_to'];

/** What the user picked on the timeline, what the server says of it, and how it is drawn and kept in the address. */
export function usePicking(view: TimelineView, source: Source, profile: number) {
  const [failure, setFailure] = useState<unknown>(null);
  const [picked, setPicked] = useState<Picked | null>(null);
  const [details, setDetails] = useState<SliceDetails | null>(null);
  const [idle, setIdle] = useState<IdleDetails | null>(null);
  const [selections, setSelections] = useState<Selection[] | null>(null);
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
    if (!source.live) return;
    void answer(mine, source.slice(profile, trace, row), (found) => {
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
  const pickRange = (range: Window | null) => {
    view.overlay.value = { ...view.overlay.value, range, selected: null, arrows: [] };
    clearTimeout(timer.current);
    if (!range) return;
    timer.current = setTimeout(() => {
      const mine = clear({ kind: 'range', ...range });
      note({ ...NOTHING, a: range.from.toFixed(0), b: range.to.toFixed(0) });
      if (!source.live) return;
      const questions = view.infos.map((info, trace) =>
        source.selection(profile, trace, range.from - info.offset_ns, range.to - info.offset_ns),
      );
      void answer(mine, Promise.all(questions), setSelections);
    }, 60);
  };
  const pickHover = (hover: Hover | null, zoom = false) => {
    if (!hover) return drop();
    const { block, item, row } = hover;
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
    pickHover,
    follow,
    neighbour,
  };
}
