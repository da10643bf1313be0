import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { axisTime, bytes, count, duration } from '../format';
import { fill, words } from '../i18n';
import { dark } from '../theme';
import type { Window } from './paint';
import { axisStep } from './steps_of_time';
import { darkTheme, lightTheme } from './themes';
import { BlockType } from './tiles';
import type { Area, CounterHover, Hover, TimelineView } from './view';

interface Props {
  view: TimelineView;
  steps: NamedStep[];
  onPick: (hover: Hover | null) => void;
  onZoomTo: (hover: Hover) => void;
  onRange: (range: Area | null) => void;
  nameOf: (hover: Hover) => string;
}

export interface NamedStep extends Window {
  name: string;
  number: number;
}

type Drag =
  | { kind: 'pan'; x: number; y: number; window: Window; scroll: number; moved: boolean }
  | { kind: 'range'; from: number; y: number; moved: boolean };

/** The canvas and all that a pointer does on it. Keys are the page's. */
export function TimelineCanvas({ view, steps, onPick, onZoomTo, onRange, nameOf }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const hover = useSignal<Hover | null>(null);
  const counter = useSignal<CounterHover | null>(null);
  const drag = useRef<Drag | null>(null);
  const fingers = useRef(new Map<number, { x: number; y: number }>());
  const isDark = dark.value;

  useEffect(() => {
    view.attach(canvas.current, isDark ? darkTheme : lightTheme);
    const element = host.current!;
    const adapt = () => view.resize(element.clientWidth, element.clientHeight, devicePixelRatio || 1);
    const resize = new ResizeObserver(adapt);
    resize.observe(element);
    adapt();
    return () => {
      resize.disconnect();
      view.attach(null, null);
    };
  }, [view, isDark]);

  useSignalEffect(() => {
    view.overlay.value;
    view.redraw();
  });

  const place = (event: PointerEvent) => {
    const rect = host.current!.getBoundingClientRect();
    return { x: event.clientX - rect.left, y: event.clientY - rect.top };
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    host.current!.setPointerCapture(event.pointerId);
    const { x, y } = place(event);
    if (event.pointerType === 'touch') fingers.current.set(event.pointerId, { x, y });
    drag.current = event.shiftKey
      ? { kind: 'range', from: event.altKey ? view.timeAt(x) : view.snap(x, y).time, y, moved: false }
      : { kind: 'pan', x, y, window: view.window.value, scroll: view.scroll.value, moved: false };
    hover.value = null;
    counter.value = null;
  };
  const move = (event: PointerEvent) => {
    const { x, y } = place(event);
    view.pointer = x;
    const now = drag.current;
    if (fingers.current.size === 2 && fingers.current.has(event.pointerId)) {
      pinch(event.pointerId, x, y);
      return;
    }
    if (!now) {
      hover.value = view.hit(x, y);
      counter.value = view.counterAt(x, y);
    } else if (now.kind === 'range') {
      now.moved = true;
      // Edges of spans attract; Alt holds them off.
      const at = event.altKey ? view.timeAt(x) : view.snap(x, y).time;
      const keys = view.linesBetween(now.y, y);
      onRange({ from: Math.min(now.from, at), to: Math.max(now.from, at), keys });
    } else {
      if (Math.abs(x - now.x) + Math.abs(y - now.y) < 4 && !now.moved) return;
      now.moved = true;
      const by = (now.x - x) * view.nsPerPixel;
      view.show({ from: now.window.from + by, to: now.window.to + by });
      view.scrollTo(now.scroll + now.y - y);
    }
  };
  const pinch = (id: number, x: number, y: number) => {
    const others = [...fingers.current].filter(([other]) => other !== id);
    const before = fingers.current.get(id)!;
    const anchor = others[0][1];
    const spread = (a: { x: number }, b: { x: number }) => Math.max(20, Math.abs(a.x - b.x));
    view.zoom(spread(before, anchor) / spread({ x }, anchor), view.timeAt(anchor.x));
    fingers.current.set(id, { x, y });
    drag.current = null;
  };
  const up = (event: PointerEvent) => {
    const { x, y } = place(event);
    fingers.current.delete(event.pointerId);
    const done = drag.current;
    drag.current = null;
    if (!done || done.moved) return;
    if (done.kind === 'pan') onPick(view.hit(x, y));
  };

  const seen = hover.value;
  return (
    <div class="canvas-column">
      <Axis view={view} steps={steps} onRange={onRange} />
      <div
        class="canvas-host"
        ref={host}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={() => {
          drag.current = null;
          fingers.current.clear();
        }}
        onPointerLeave={() => {
          view.pointer = null;
          hover.value = null;
          counter.value = null;
        }}
        onDblClick={(event) => {
          const rect = host.current!.getBoundingClientRect();
          const at = view.hit(event.clientX - rect.left, event.clientY - rect.top);
          if (at) onZoomTo(at);
        }}
      >
        <canvas ref={canvas} data-testid="timeline-canvas" aria-hidden="true" />
        {seen && <Tip hover={seen} width={view.width} name={nameOf(seen)} />}
        {counter.value && <CounterTip hover={counter.value} width={view.width} />}
      </div>
    </div>
  );
}

const leftOf = (x: number, width: number) => `${Math.max(0, Math.min(x + 14, width - 330))}px`;

function CounterTip({ hover, width }: { hover: CounterHover; width: number }) {
  const { row, value } = hover;
  return (
    <div class="tip" style={{ left: leftOf(hover.x, width), top: `${hover.y + 18}px` }}>
      <strong>{row.title}</strong>
      <span>
        {row.info?.unit === 'bytes'
          ? bytes(value)
          : value.toLocaleString('en-US', { maximumSignificantDigits: 6 })}
      </span>
    </div>
  );
}

function Tip({ hover, width, name }: { hover: Hover; width: number; name: string }) {
  const { block, item } = hover;
  const merged = block.count[item] > 1;
  return (
    <div class="tip" style={{ left: leftOf(hover.x, width), top: `${hover.y + 18}px` }}>
      <strong>{name}</strong>
      <span>
        {block.type === BlockType.Instants ? '' : duration(block.extent[item])}
        {merged ? ` · ${fill(words().merged, count(block.count[item]))}` : ''}
      </span>
    </div>
  );
}

/** The end that stays when somebody takes a selection by its other end; null where neither is near. */
export function otherEdge(range: { from: number; to: number }, time: number, near: number): number | null {
  if (Math.abs(range.to - time) <= near) return range.from;
  return Math.abs(range.from - time) <= near ? range.to : null;
}

/** Time axis with step bands: dragging selects a stretch, or moves the edge it began at, a click on a step selects the step, two zoom to it. */
function Axis({
  view,
  steps,
  onRange,
}: {
  view: TimelineView;
  steps: NamedStep[];
  onRange: (range: Area | null) => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const from = useRef<number | null>(null);
  // The tracks of a selection whose edge is dragged.
  const keys = useRef<string[] | undefined>(undefined);
  const moved = useRef(false);
  const window = view.window.value;
  const width = view.width;
  const perPixel = (window.to - window.from) / width;
  const step = axisStep(perPixel, 110);
  const ticks: number[] = [];
  for (let t = Math.ceil(window.from / step) * step; t < window.to && ticks.length < 200; t += step)
    ticks.push(t);
  const x = (time: number) => (time - window.from) / perPixel;
  const at = (event: PointerEvent) => {
    const left = event.clientX - host.current!.getBoundingClientRect().left;
    return event.altKey ? view.timeAt(left) : view.snap(left, -1).time;
  };
  const stepAt = (event: Event) => {
    const number = (event.target as HTMLElement).closest<HTMLElement>('[data-step]')?.dataset.step;
    return number === undefined ? undefined : steps[Number(number)];
  };
  return (
    <div
      class="axis"
      ref={host}
      onPointerDown={(event) => {
        host.current!.setPointerCapture(event.pointerId);
        const range = view.overlay.value.range;
        const left = event.clientX - host.current!.getBoundingClientRect().left;
        const other = range ? otherEdge(range, view.timeAt(left), 5 * perPixel) : null;
        from.current = other ?? at(event);
        keys.current = other === null ? undefined : range?.keys;
        moved.current = false;
      }}
      onPointerMove={(event) => {
        if (from.current === null) return;
        const to = at(event);
        if (Math.abs(to - from.current) < 3 * perPixel) return;
        moved.current = true;
        onRange({
          from: Math.min(from.current, to),
          to: Math.max(from.current, to),
          ...(keys.current ? { keys: keys.current } : {}),
        });
      }}
      onPointerUp={(event) => {
        from.current = null;
        if (moved.current) return;
        // A captured pointer reports the axis as its target; what lies under it says which step.
        const under = document.elementFromPoint(event.clientX, event.clientY);
        const index = under?.closest<HTMLElement>('[data-step]')?.dataset.step;
        const step = index === undefined ? undefined : steps[Number(index)];
        onRange(step ? { from: step.from, to: step.to } : null);
      }}
      onDblClick={(event) => {
        const step = stepAt(event) ?? view.overlay.value.range;
        if (!step) return;
        const room = (step.to - step.from) * 0.02;
        view.show({ from: step.from - room, to: step.to + room });
      }}
    >
      {ticks.map((t) => (
        <span key={t} class="tick" style={{ left: `${x(t)}px` }}>
          {axisTime(t, step)}
        </span>
      ))}
      {steps
        .map((s, index) => ({ ...s, index }))
        .filter((s) => s.to > window.from && s.from < window.to)
        .slice(0, 400)
        .map((s) => {
          const left = Math.max(0, x(s.from));
          const right = Math.min(width, x(s.to));
          return (
            <span
              key={s.from}
              data-step={s.index}
              class="axis-step"
              style={{ left: `${left}px`, width: `${Math.max(1, right - left - 1)}px` }}
              title={`${s.name} · ${duration(s.to - s.from)}`}
            >
              {bandLabel(s, right - left)}
            </span>
          );
        })}
    </div>
  );
}

/** What fits into the band of a step: its name and length, its name, its number, nothing. */
export function bandLabel(
  { name, number, from, to }: { name: string; number: number; from: number; to: number },
  pixels: number,
): string {
  const labels = [`${name} · ${duration(to - from)}`, name, `#${number}`];
  return labels.find((label) => label.length * 6.6 + 6 <= pixels) ?? '';
}
