import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { IdleDetails, Report, Selection, SliceDetails, SliceRef, TimelineInfo } from '../api';
import { CAUSES } from '../colors';
import { count } from '../format';
import { fill, words } from '../i18n';
import { note, route } from '../route';
import type { Source } from '../source';
import { TimelineCanvas } from '../timeline/canvas';
import { readChoices, writeChoices } from '../timeline/choices';
import { IdlePane, type Picked, RangePane, SlicePane } from '../timeline/details';
import { Gutter } from '../timeline/gutter';
import type { Row } from '../timeline/layout';
import { Minimap } from '../timeline/minimap';
import type { Window } from '../timeline/paint';
import { useSearch } from '../timeline/search';
import { BlockType } from '../timeline/tiles';
import { Help, Measure, SearchBox } from '../timeline/tools';
import { type Arrow, type Hover, TimelineView } from '../timeline/view';
import { Failed, Working } from '../ui/empty';

interface Props {
  source: Source;
  profile: number;
  infos: TimelineInfo[];
  reports: Report[];
}

const numbers = (params: URLSearchParams, ...keys: string[]): number[] | null => {
  const values = keys.map((key) => params.get(key));
  return values.some((value) => value === null || !/^-?\d+(\.\d+)?$/.test(value)) ? null : values.map(Number);
};

export function TimelinePage({ source, profile, infos, reports }: Props) {
  const w = words();
  const [failure, setFailure] = useState<unknown>(null);
  const steps = useMemo(
    () =>
      reports.flatMap((report, trace) =>
        trace > 0 && reports.length > 1
          ? []
          : report.steps.items.map((step) => ({
              from: step.start_ns + (infos[trace]?.offset_ns ?? 0),
              to: step.start_ns + step.duration_ns + (infos[trace]?.offset_ns ?? 0),
              name: step.name,
            })),
      ),
    [reports, infos],
  );
  const viewWords = { idle: w.idle, pinned: w.pinned, causes: w.causes };
  const view = useMemo(
    () =>
      new TimelineView(infos, source, profile, steps, readChoices(route.value.params), viewWords, setFailure),
    [infos, source, profile, steps],
  );
  const [filter, setFilter] = useState(route.value.params.get('tracks') ?? '');
  const [picked, setPicked] = useState<Picked | null>(null);
  const [details, setDetails] = useState<SliceDetails | null>(null);
  const [idle, setIdle] = useState<IdleDetails | null>(null);
  const [selection, setSelection] = useState<Selection | null>(null);
  const [help, setHelp] = useState(false);
  const search = useSearch(view, source, profile, (trace, slice) => open(trace, slice, false));
  const root = useRef<HTMLDivElement>(null);

  useEffect(() => {
    view.relayout(filter, viewWords);
  }, [view, filter, w]);

  // The address as it is when the page opens, and whenever the user goes back or forward in history.
  const place = route.value;
  useEffect(() => {
    const { params } = place;
    const window = numbers(params, 'from', 'to');
    if (window && window[1] > window[0]) view.show({ from: window[0], to: window[1] });
    const slice = numbers(params, 'row');
    const trace = numbers(params, 'trace')?.[0] ?? 0;
    if (slice) void pick({ kind: 'slice', trace, row: slice[0], merged: 1 }, window === null);
    const event = numbers(params, 'event');
    if (event && source.live) {
      void source.event(profile, trace, event[0]).then((found) => {
        if (found) void pick({ kind: 'slice', trace, row: found.row, merged: 1 }, window === null);
      }, setFailure);
    }
    const range = numbers(params, 'a', 'b');
    if (range) void pickRange({ from: range[0], to: range[1] });
    const scroll = numbers(params, 'y');
    if (scroll) view.scrollTo(scroll[0]);
  }, [view, place]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = [view.window, view.scroll].map((signal) =>
      signal.subscribe(() => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          const { from, to } = view.window.peek();
          note({
            from: from.toFixed(0),
            to: to.toFixed(0),
            y: view.scroll.peek() > 0 ? view.scroll.peek().toFixed(0) : null,
          });
        }, 250);
      }),
    );
    return () => {
      clearTimeout(timer);
      for (const end of stop) end();
    };
  }, [view]);

  const keyOf = (trace: number, slice: SliceRef) => `${trace}.${slice.line}`;
  const boxOf = (trace: number, slice: SliceRef) => {
    const offset = infos[trace].offset_ns;
    return {
      key: keyOf(trace, slice),
      depth: slice.depth,
      from: slice.start_ns + offset,
      to: slice.start_ns + slice.duration_ns + offset,
    };
  };
  const arrowsOf = (trace: number, from: SliceDetails): Arrow[] =>
    from.links
      .filter((link) => link.relation !== 'op')
      .slice(0, 40)
      .map((link) => {
        const here = { ...boxOf(trace, from) };
        const there = { ...boxOf(trace, link.slice) };
        const backward = ['launched_by', 'forward', 'flow_from'].includes(link.relation);
        const [a, b] = backward ? [there, here] : [here, there];
        return {
          from: { key: a.key, depth: a.depth, time: a.from },
          to: { key: b.key, depth: b.depth, time: b.from },
        };
      });

  const asked = useRef(0);
  const pick = async (next: Picked | null, reveal = false, zoom = false) => {
    const mine = ++asked.current;
    setPicked(next);
    setDetails(null);
    setIdle(null);
    setSelection(null);
    setFailure(null);
    if (!next) {
      view.overlay.value = { ...view.overlay.value, selected: null, range: null, arrows: [] };
      note({ row: null, event: null, a: null, b: null });
      return;
    }
    if (!source.live) return;
    try {
      if (next.kind === 'slice') {
        const found = await source.slice(profile, next.trace, next.row);
        if (mine !== asked.current) return;
        view.remember(next.trace, found.name_id, found.name);
        setDetails(found);
        if (reveal) view.reveal(found, next.trace, zoom);
        view.overlay.value = {
          ...view.overlay.value,
          selected: boxOf(next.trace, found),
          range: null,
          arrows: arrowsOf(next.trace, found),
        };
        note({
          row: String(next.row),
          trace: next.trace ? String(next.trace) : null,
          event: null,
          a: null,
          b: null,
        });
      } else if (next.kind === 'idle') {
        const gap = await source.idle(profile, next.trace, next.line, next.gap);
        if (mine === asked.current) setIdle(gap);
      }
    } catch (error) {
      if (mine === asked.current) setFailure(error);
    }
  };
  const open = (trace: number, slice: SliceRef, zoom: boolean) =>
    void pick({ kind: 'slice', trace, row: slice.row, merged: 1 }, true, zoom);

  const rangeTimer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const pickRange = async (range: Window | null) => {
    view.overlay.value = { ...view.overlay.value, range, selected: null, arrows: [] };
    clearTimeout(rangeTimer.current);
    if (!range) return;
    rangeTimer.current = setTimeout(async () => {
      const mine = ++asked.current;
      setPicked({ kind: 'range', ...range });
      setDetails(null);
      setIdle(null);
      note({ a: range.from.toFixed(0), b: range.to.toFixed(0), row: null, event: null });
      if (!source.live) return;
      try {
        const offset = infos[0].offset_ns;
        const found = await source.selection(profile, 0, range.from - offset, range.to - offset);
        if (mine === asked.current) setSelection(found);
      } catch (error) {
        if (mine === asked.current) setFailure(error);
      }
    }, 60);
  };

  const pickHover = (hover: Hover | null, zoom = false) => {
    if (!hover) return void pick(null);
    const { block, item, row } = hover;
    if (block.type === BlockType.Idle) {
      const offset = infos[row.trace].offset_ns;
      view.overlay.value = {
        ...view.overlay.value,
        arrows: [],
        range: null,
        selected: {
          key: row.key,
          depth: 0,
          from: block.start[item] + offset,
          to: block.start[item] + block.extent[item] + offset,
        },
      };
      return void pick({ kind: 'idle', trace: row.trace, line: row.line, gap: block.row[item] });
    }
    if (block.type === BlockType.Instants) return;
    void pick(
      { kind: 'slice', trace: row.trace, row: block.row[item], merged: block.count[item] },
      zoom,
      zoom,
    );
  };

  const unknown = useRef(new Set<string>());
  const version = useSignal(0);
  const nameOf = (hover: Hover): string => {
    version.value;
    const { block, item, row } = hover;
    if (block.type === BlockType.Idle) return w.causes[CAUSES[block.kind[item]]];
    const id = block.name[item];
    const name = view.nameOf(row.trace, id);
    if (name !== undefined) return name;
    const key = `${row.trace}/${id}`;
    if (!unknown.current.has(key) && source.live) {
      unknown.current.add(key);
      void source.namesOf(profile, row.trace, [id]).then((names) => {
        for (const [found, text] of Object.entries(names)) view.remember(row.trace, Number(found), text);
        ++version.value;
      });
    }
    return '…';
  };

  const choicesChanged = () => {
    note(writeChoices(view.choices));
    view.relayout(filter, viewWords);
  };
  const flip = (set: Set<string>, key: string) => {
    if (!set.delete(key)) set.add(key);
  };
  const fold = (row: Row) => {
    const { folded, unfolded } = view.choices;
    if (row.kind === 'group') flip(folded, row.key);
    else if (row.folded) {
      folded.delete(row.key);
      unfolded.add(row.key);
    } else if (row.info && row.info.depths > row.depths && !unfolded.has(row.key)) unfolded.add(row.key);
    else {
      unfolded.delete(row.key);
      folded.add(row.key);
    }
    choicesChanged();
  };
  const move = (row: Row, by: -1 | 1) => {
    const group = view.rows.value.filter((r) => r.kind === 'line' && !r.pinned);
    const keys = group.map((r) => r.key);
    const at = keys.indexOf(row.key);
    if (at < 0 || at + by < 0 || at + by >= keys.length) return;
    [keys[at], keys[at + by]] = [keys[at + by], keys[at]];
    view.choices.order = keys;
    choicesChanged();
  };

  const mark = () => {
    const overlay = view.overlay.value;
    const from = overlay.range ?? overlay.selected;
    if (!from) return;
    const stretch = { from: from.from, to: from.to };
    const same = (m: Window) => m.from === stretch.from && m.to === stretch.to;
    const marks = overlay.marks.some(same)
      ? overlay.marks.filter((m) => !same(m))
      : [...overlay.marks, stretch];
    view.overlay.value = { ...overlay, marks };
  };
  const fit = () => {
    const { selected, range } = view.overlay.value;
    const target = range ?? selected;
    const now = view.window.value;
    const pad = target ? (target.to - target.from) * 0.1 : 0;
    const wanted = target ? { from: target.from - pad, to: target.to + pad } : view.limit;
    const there = Math.abs(now.from - wanted.from) < 1 && Math.abs(now.to - wanted.to) < 1;
    view.show(there ? view.limit : wanted);
  };
  const follow = (forward: boolean) => {
    if (!details || picked?.kind !== 'slice') return;
    const relations = forward ? ['launches', 'backward', 'flow_to'] : ['launched_by', 'forward', 'flow_from'];
    const link = details.links.find((l) => relations.includes(l.relation));
    if (link) open(picked.trace, link.slice, false);
  };
  const neighbour = (row: number | null | undefined) => {
    if (row === null || row === undefined || picked?.kind !== 'slice') return;
    void pick({ kind: 'slice', trace: picked.trace, row, merged: 1 }, true);
  };

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.key === 'Escape') {
        if (help) setHelp(false);
        else if (target.tagName === 'INPUT') target.blur();
        else void pick(null);
        return;
      }
      if (
        ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey
      )
        return;
      const { from, to } = view.window.value;
      const middle = (from + to) / 2;
      const width = to - from;
      const inTable = target.closest('.table-scroll') !== null;
      const actions: Record<string, () => void> = {
        w: () => view.zoom(0.7, middle),
        s: () => view.zoom(1 / 0.7, middle),
        a: () => view.pan(-width / 5),
        d: () => view.pan(width / 5),
        f: fit,
        m: mark,
        '/': () => root.current!.querySelector<HTMLInputElement>('.search input')!.focus(),
        '?': () => setHelp((now) => !now),
        '[': () => follow(false),
        ']': () => follow(true),
        ',': () => neighbour(details?.previous),
        '.': () => neighbour(details?.next),
        n: () => search.step(1),
        N: () => search.step(-1),
        ...(inTable
          ? {}
          : {
              ArrowUp: () => view.zoom(0.7, middle),
              ArrowDown: () => view.zoom(1 / 0.7, middle),
              ArrowLeft: () => view.pan(-width / 5),
              ArrowRight: () => view.pan(width / 5),
              PageDown: () => view.scrollTo(view.scroll.value + view.height * 0.8),
              PageUp: () => view.scrollTo(view.scroll.value - view.height * 0.8),
              Home: () => view.show({ ...view.limit }),
            }),
      };
      const action =
        actions[event.key.length === 1 && event.key !== 'N' ? event.key.toLowerCase() : event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });

  useEffect(() => {
    (globalThis as Record<string, unknown>).stepscopeTimeline = view;
    return () => {
      (globalThis as Record<string, unknown>).stepscopeTimeline = undefined;
    };
  }, [view]);

  return (
    <div class="timeline-page" ref={root}>
      <div class="timeline-tools">
        <SearchBox search={search} live={source.live} />
        <input
          type="search"
          class="track-filter"
          placeholder={w.filterTracks}
          aria-label={w.filterTracks}
          value={filter}
          onInput={(event) => {
            setFilter(event.currentTarget.value);
            note({ tracks: event.currentTarget.value || null });
          }}
        />
        {view.choices.hidden.size > 0 && (
          <button
            type="button"
            onClick={() => {
              view.choices.hidden.clear();
              choicesChanged();
            }}
          >
            {fill(w.showHidden, view.choices.hidden.size)}
          </button>
        )}
        <span class="spring" />
        <Measure view={view} />
        {!source.live && <span class="muted">{w.reduced}</span>}
        <button type="button" onClick={fit}>
          {w.fit}
        </button>
        <button type="button" aria-pressed={help} onClick={() => setHelp(!help)}>
          ?<span class="visually-hidden"> {w.help}</span>
        </button>
      </div>
      <Minimap view={view} source={source} profile={profile} />
      <div class="timeline-body">
        <div class="gutter-column">
          <div class="axis-corner">
            {view.loading.value ? <span class="spinner" aria-hidden="true" /> : null}
          </div>
          <Gutter
            view={view}
            onFold={fold}
            onPin={(row) => {
              flip(view.choices.pinned, row.key);
              choicesChanged();
            }}
            onMove={move}
            onHide={(row) => {
              view.choices.hidden.add(row.key);
              choicesChanged();
            }}
          />
        </div>
        <TimelineCanvas
          view={view}
          steps={steps}
          onPick={pickHover}
          onZoomTo={(hover) => pickHover(hover, true)}
          onRange={pickRange}
          nameOf={nameOf}
        />
      </div>
      <aside class={`pane${picked || failure !== null ? ' open' : ''}`} aria-label={w.details}>
        {failure !== null && <Failed error={failure} />}
        {!picked && failure === null && <p class="muted">{w.nothingSelected}</p>}
        {picked && !source.live && <p class="muted">{w.onlyLive}</p>}
        {picked?.kind === 'slice' && picked.merged > 1 && (
          <p class="muted">{fill(w.oneOf, count(picked.merged))}</p>
        )}
        {source.live && picked?.kind === 'slice' && (
          <SlicePane source={source} profile={profile} picked={picked} details={details} onOpen={open} />
        )}
        {picked?.kind === 'idle' && idle && <IdlePane gap={idle} trace={picked.trace} onOpen={open} />}
        {source.live && picked?.kind === 'range' && !selection && <Working text={w.loading} />}
        {selection && (
          <RangePane
            selection={selection}
            onRow={(row) => void pick({ kind: 'slice', trace: 0, row: row.longest, merged: 1 }, true)}
          />
        )}
      </aside>
      {help && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}
