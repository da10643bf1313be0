import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { CriticalPath, Report, SliceRef, TimelineInfo } from '../api';
import { CAUSES, KINDS } from '../colors';
import { count, duration } from '../format';
import { fill, words } from '../i18n';
import { note, route } from '../route';
import type { Source } from '../source';
import { stepNames } from '../steps';
import { TimelineCanvas } from '../timeline/canvas';
import {
  flip,
  fold,
  type Mark,
  move,
  readChoices,
  readMarks,
  writeChoices,
  writeMarks,
} from '../timeline/choices';
import { IdlePane, RangePane, SlicePane } from '../timeline/details';
import { Gutter } from '../timeline/gutter';
import { useTimelineKeys } from '../timeline/keys';
import { GROUPINGS, type Grouping } from '../timeline/layout';
import { Minimap } from '../timeline/minimap';
import type { Window } from '../timeline/paint';
import { NO_ROW, usePicking } from '../timeline/picking';
import { LinesScrollbar } from '../timeline/scrollbar';
import { useSearch } from '../timeline/search';
import { BlockType, type SpanBlock } from '../timeline/tiles';
import { Help, JumpBox, Measure, SearchBox } from '../timeline/tools';
import { type Hover, TimelineView } from '../timeline/view';
import { useWheel } from '../timeline/wheel';
import { Failed, Working } from '../ui/empty';
import { keptSize, Splitter } from '../ui/splitter';
import type { PageProps } from './page';

const numbers = (params: URLSearchParams, ...keys: string[]): number[] | null => {
  const values = keys.map((key) => params.get(key));
  return values.some((value) => value === null || !/^-?\d+(\.\d+)?$/.test(value)) ? null : values.map(Number);
};

/** The steps of the first trace; ranks of a job step together. */
function useSteps(infos: TimelineInfo[], reports: Report[]) {
  return useMemo(() => {
    const { items } = reports[0].steps;
    const names = stepNames(items);
    return items.map((step, index) => {
      const from = step.start_ns + (infos[0]?.offset_ns ?? 0);
      return { from, to: from + step.duration_ns, name: names[index], number: step.number };
    });
  }, [reports, infos]);
}

const gutter = keptSize('gutter', 220);
const pane = keptSize('pane', 290);

/** The spans of a critical path, as tiles hold them. */
function blockOf(path: CriticalPath): SpanBlock {
  const items = path.ns.length;
  return {
    type: BlockType.Spans,
    items,
    start: Float64Array.from(path.start_ns),
    extent: Float64Array.from(path.ns),
    busy: new Float32Array(items).fill(1),
    row: Uint32Array.from(path.row, (row) => (row < 0 ? NO_ROW : row)),
    count: new Uint32Array(items).fill(1),
    name: Uint32Array.from(path.name, (name) => (name < 0 ? NO_ROW : name)),
    depth: new Uint16Array(items),
    kind: Uint8Array.from(path.kind, (kind) => Math.max(0, KINDS.indexOf(kind as (typeof KINDS)[number]))),
    flags: new Uint8Array(items),
    first: Uint32Array.from([0, items]),
  };
}

/** Asks for the critical path of each trace, once its lines are there. */
function useCriticalPaths(view: TimelineView, source: Source, profile: number, delay: string): void {
  useEffect(() => {
    let wanted = true;
    for (const trace of view.paths.keys()) {
      source.criticalPath(profile, trace).then(
        (path) => {
          if (wanted && path.ns.length > 0)
            view.addPath(trace, blockOf(path), { ...path.names, [NO_ROW]: delay });
        },
        () => {}, // the timeline does without
      );
    }
    return () => {
      wanted = false;
    };
  }, [view]);
}

/** Writes the visible part into the address once the view rests. */
function useWindowInAddress(view: TimelineView): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = () => {
      const { from, to } = view.window.peek();
      const y = view.scroll.peek();
      note({ from: from.toFixed(0), to: to.toFixed(0), y: y > 0 ? y.toFixed(0) : null });
    };
    const stop = [view.window, view.scroll].map((signal) =>
      signal.subscribe(() => {
        clearTimeout(timer);
        timer = setTimeout(write, 250);
      }),
    );
    return () => {
      clearTimeout(timer);
      for (const end of stop) end();
    };
  }, [view]);
}

/** Asks for names that no tile contained when the pointer is on their span. */
function useNames(view: TimelineView, source: Source, profile: number): (hover: Hover) => string {
  const w = words();
  const unknown = useRef(new Set<string>());
  const version = useSignal(0);
  return ({ block, item, row }) => {
    version.value;
    if (block.type === BlockType.Idle) return w.causes[CAUSES[block.kind[item]]];
    const id = block.name[item];
    const name = view.nameOf(row.trace, id);
    if (name !== undefined) return name;
    const key = `${row.trace}/${id}`;
    if (!unknown.current.has(key) && source.live) {
      unknown.current.add(key);
      const take = (names: Record<string, string>) => {
        for (const [found, text] of Object.entries(names)) view.remember(row.trace, Number(found), text);
        ++version.value;
      };
      source.namesOf(profile, row.trace, [id]).then(take, () => unknown.current.delete(key));
    }
    return '…';
  };
}

export function TimelinePage({ source, profile, infos, reports }: PageProps) {
  const w = words();
  const [trouble, setTrouble] = useState<unknown>(null);
  const steps = useSteps(infos, reports);
  const viewWords = {
    idle: w.idle,
    pinned: w.pinned,
    causes: w.causes,
    criticalPath: w.criticalPath,
    memory: w.memoryLines,
    lineKinds: w.lineKinds,
    allLines: w.allLines,
  };
  const view = useMemo(() => {
    const choices = readChoices(route.value.params);
    const made = new TimelineView(infos, source, profile, steps, choices, viewWords, setTrouble);
    made.overlay.value = { ...made.overlay.value, marks: readMarks(route.value.params) };
    // Lines for paths are there from the start, so that nothing moves when a path arrives.
    reports.slice(0, 16).forEach((report, trace) => {
      if (report.critical_path) made.paths.set(trace, null);
    });
    return made;
  }, [infos, source, profile, steps]);
  const [filter, setFilter] = useState(route.value.params.get('tracks') ?? '');
  const [help, setHelp] = useState(false);
  const pick = usePicking(view, source, profile);
  const open = (trace: number, slice: SliceRef, zoom: boolean) =>
    pick.pickSlice(trace, slice.row, 1, true, zoom);
  const search = useSearch(view, source, profile, (trace, slice) => open(trace, slice, false));
  const root = useRef<HTMLDivElement>(null);
  const nameOf = useNames(view, source, profile);
  const body = useRef<HTMLDivElement>(null);
  useWindowInAddress(view);
  useWheel(view, body);
  useCriticalPaths(view, source, profile, w.launchDelay);

  useEffect(() => {
    view.relayout(filter, viewWords);
  }, [view, filter, w]);

  // The address as it is when the page opens, and whenever the user goes back or forward in
  // history.
  const place = route.value;
  useEffect(() => {
    const { params } = place;
    // Links from pages of one trace give times on its own clock.
    const clock = infos[numbers(params, 'of')?.[0] ?? -1]?.offset_ns ?? 0;
    const times = (a: string, b: string): Window | null => {
      const pair = numbers(params, a, b);
      return pair && pair[1] > pair[0] ? { from: pair[0] + clock, to: pair[1] + clock } : null;
    };
    const window = times('from', 'to');
    const range = times('a', 'b');
    if (window) view.show(window);
    const slice = numbers(params, 'row');
    const trace = Math.min(numbers(params, 'trace')?.[0] ?? 0, infos.length - 1);
    if (slice) pick.pickSlice(trace, slice[0], 1, window === null, false);
    const event = numbers(params, 'event');
    if (event && source.live) {
      source.event(profile, trace, event[0]).then((found) => {
        if (found) pick.pickSlice(trace, found.row, 1, window === null, false);
      }, setTrouble);
    }
    const gap = params.get('idle')?.match(/^(\d+)\.(\d+)$/);
    if (gap) pick.pickIdle(trace, Number(gap[1]), Number(gap[2]));
    const on = params.get('on')?.split('~');
    if (range) pick.pickRange(on ? { ...range, keys: on } : range);
    const scroll = numbers(params, 'y');
    if (scroll) view.scrollTo(scroll[0]);
    note({ of: null });
  }, [view, place]);

  const choicesChanged = () => {
    note(writeChoices(view.choices));
    view.relayout(filter, viewWords);
  };
  const setMarks = (marks: Mark[]) => {
    view.overlay.value = { ...view.overlay.value, marks };
    note({ marks: writeMarks(marks) });
  };
  const mark = () => {
    const overlay = view.overlay.value;
    const stretch = overlay.range ?? overlay.selected;
    if (!stretch) return;
    const { from, to } = stretch;
    const others = overlay.marks.filter((m) => m.from !== from || m.to !== to);
    setMarks(others.length < overlay.marks.length ? others : [...others, { from, to, note: '' }]);
  };
  /** The step before, at or after the middle of the window, whole. */
  const wholeStep = (by: -1 | 0 | 1) => {
    const { from, to } = view.window.value;
    const middle = (from + to) / 2;
    const here = steps.findIndex((step) => step.to > middle);
    const step = steps[Math.max(0, Math.min(steps.length - 1, (here < 0 ? steps.length - 1 : here) + by))];
    if (!step) return;
    const room = (step.to - step.from) * 0.02;
    view.show({ from: step.from - room, to: step.to + room });
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
  useTimelineKeys(view, {
    escape: (target) => {
      if (help) setHelp(false);
      else if (target.tagName === 'INPUT') target.blur();
      else pick.drop();
    },
    fit,
    mark,
    selectInSight: () => pick.pickRange({ ...view.window.value }),
    search: () => root.current!.querySelector<HTMLInputElement>('.search input')!.focus(),
    help: () => setHelp((now) => !now),
    follow: pick.follow,
    neighbour: pick.neighbour,
    hit: (by) => void search.step(by),
    jump: () => root.current!.querySelector<HTMLInputElement>('.jump input')!.focus(),
    wholeStep,
  });

  useEffect(() => {
    (globalThis as Record<string, unknown>).stepscopeTimeline = view;
    return () => {
      (globalThis as Record<string, unknown>).stepscopeTimeline = undefined;
    };
  }, [view]);

  const { picked, details, idle, selections } = pick;
  const failure = trouble ?? pick.failure;
  const box = view.overlay.value.selected;
  const crowded =
    picked?.kind === 'slice' &&
    picked.merged > 1 &&
    box !== null &&
    view.xOf(box.to) - view.xOf(box.from) < 3;
  view.window.value; // how wide the picked span is drawn
  const said = details
    ? `${details.name}, ${duration(details.duration_ns)}`
    : picked?.kind === 'range'
      ? `${duration(picked.to - picked.from)} ${w.selected}`
      : '';
  return (
    <div
      class="timeline-page"
      ref={root}
      style={{ '--gutter': `${gutter.value}px`, '--pane': `${pane.value}px` }}
    >
      <p class="visually-hidden" role="status" data-testid="said">
        {said}
      </p>
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
        <JumpBox view={view} steps={steps} />
        <select
          aria-label={w.groupLines}
          title={w.groupLines}
          value={view.choices.grouping}
          onChange={(event) => {
            view.choices.grouping = event.currentTarget.value as Grouping;
            choicesChanged();
          }}
        >
          {GROUPINGS.map((one) => (
            <option key={one} value={one}>
              {w.groupings[one]}
            </option>
          ))}
        </select>
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
        <Measure view={view} onMarks={setMarks} />
        {!source.live && <span class="muted">{w.reduced}</span>}
        <button type="button" onClick={fit}>
          {w.fit}
        </button>
        <button type="button" aria-pressed={help} onClick={() => setHelp(!help)}>
          ?<span class="visually-hidden"> {w.help}</span>
        </button>
      </div>
      <div class="timeline-wheel" ref={body}>
        <Minimap view={view} steps={steps} source={source} profile={profile} />
        <div class="timeline-body">
          <div class="gutter-column">
            <div class="axis-corner">
              {view.loading.value ? <span class="spinner" aria-hidden="true" /> : null}
            </div>
            <Gutter
              view={view}
              onFold={(row) => {
                fold(view.choices, row);
                choicesChanged();
              }}
              onPin={(row) => {
                flip(view.choices.pinned, row.key);
                choicesChanged();
              }}
              onMove={(row, by) => {
                if (move(view.choices, view.rows.value, row, by)) choicesChanged();
              }}
              onHide={(row) => {
                view.choices.hidden.add(row.key);
                choicesChanged();
              }}
            />
          </div>
          <Splitter label={w.sizeOfNames} size={gutter} min={90} max={600} upright grows={1} />
          <TimelineCanvas
            view={view}
            steps={steps}
            onPick={pick.pickHover}
            onZoomTo={(hover) => pick.pickHover(hover, true)}
            onRange={pick.pickRange}
            nameOf={nameOf}
          />
          <LinesScrollbar view={view} />
        </div>
      </div>
      <Splitter label={w.sizeOfPane} size={pane} min={80} max={800} upright={false} grows={-1} />
      <aside class={`pane${picked || failure ? ' open' : ''}`} aria-label={w.details}>
        <h2 class="visually-hidden">{w.details}</h2>
        {failure !== null && <Failed error={failure} />}
        {!picked && failure === null && <p class="muted">{w.nothingSelected}</p>}
        {picked && !source.live && !details && <p class="muted">{w.onlyLive}</p>}
        {crowded && <p class="muted">{fill(w.oneOf, count(picked.merged))}</p>}
        {picked?.kind === 'slice' && (source.live || details) && (
          <SlicePane source={source} profile={profile} picked={picked} details={details} onOpen={open} />
        )}
        {picked?.kind === 'idle' && idle && <IdlePane gap={idle} trace={picked.trace} onOpen={open} />}
        {source.live && picked?.kind === 'range' && !selections && <Working text={w.loading} />}
        {selections && (
          <RangePane
            selections={selections}
            by={pick.by}
            lines={picked?.kind === 'range' ? picked.keys?.length : undefined}
            onBy={pick.groupBy}
            ranks={infos.map((info, trace) => info.rank ?? trace)}
            onRow={(trace, row) => pick.pickSlice(trace, row, 1, true, false)}
          />
        )}
      </aside>
      {help && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}
