import { signal } from '@preact/signals';
import type { SliceRef, TimelineInfo } from '../api';
import { CAUSES } from '../colors';
import { shortName } from '../short_name';
import type { Source } from '../source';
import type { Mark } from './choices';
import {
  type LayoutWords,
  type LineChoices,
  layout,
  PATH_LINE,
  pinnedHeight,
  type Row,
  STRIP,
  totalHeight,
  visibleRows,
} from './layout';
import { drawOverlay, drawScales } from './overlay';
import { Painter, type Theme, type Window } from './paint';
import { clamped, zoomed } from './steps_of_time';
import { TileCache } from './tile_cache';
import { type Block, BlockType, itemAt, type SpanBlock } from './tiles';

export interface Hover {
  x: number;
  y: number;
  row: Row;
  block: SpanBlock;
  item: number;
}

export interface CounterHover {
  x: number;
  y: number;
  row: Row;
  value: number;
}

export interface Arrow {
  from: { key: string; depth: number; time: number };
  to: { key: string; depth: number; time: number };
}

export interface Box {
  key: string;
  depth: number;
  from: number;
  to: number;
}

/** A stretch of time, on some lines or on all. */
export interface Area extends Window {
  keys?: string[];
}

/** What is drawn over the strips. Times are of the page, with the trace's offset added. */
export interface Overlay {
  selected: Box | null;
  range: Area | null;
  marks: Mark[];
  arrows: Arrow[];
  /** Names that a search found, by trace; all else is dimmed. */
  keep: Set<number>[] | null;
}

export interface ViewWords extends LayoutWords {
  causes: Record<string, string>;
}

const SNAP = 7; // pixels within which an edge of a span attracts

/**
 * The timeline without its surroundings: which time and rows are visible, what of them is loaded, and how they are
 * drawn. At most one frame per change. Knows nothing of the DOM except the canvas it draws on.
 */
export class TimelineView {
  readonly rows = signal<Row[]>([]);
  readonly window = signal<Window>({ from: 0, to: 1 });
  readonly scroll = signal(0);
  readonly overlay = signal<Overlay>({ selected: null, range: null, marks: [], arrows: [], keep: null });
  readonly loading = signal(false);
  /** The height of the lines in sight, for what is drawn beside them. */
  readonly shownHeight = signal(400);
  readonly limit: Window;
  width = 800;
  height = 400;
  scale = 1;
  /** Where the pointer is over the lines, in pixels; keys zoom around it. */
  pointer: number | null = null;
  /** Of steps, by trace: what their length consists of. */
  readonly paths = new Map<number, SpanBlock | null>(); // null: on its way
  /** Milliseconds of the last frames, for the benchmark. */
  readonly frames: number[] = [];

  private readonly caches: TileCache[];
  private painter: Painter | null = null;
  private canvas: HTMLCanvasElement | null = null;
  private theme: Theme | null = null;
  private scheduled = false;
  private target: Window | null = null;

  constructor(
    readonly infos: TimelineInfo[],
    source: Pick<Source, 'tiles'>,
    profile: number,
    readonly steps: Window[],
    readonly choices: LineChoices,
    private viewWords: ViewWords,
    onError: (error: unknown) => void,
  ) {
    const ends = infos.map((info) => info.offset_ns + info.span_ns);
    this.limit = { from: Math.min(0, ...infos.map((info) => info.offset_ns)), to: Math.max(1, ...ends) };
    this.window.value = { ...this.limit };
    this.caches = infos.map(
      (_, trace) =>
        new TileCache(
          { tiles: (lines, shift, first, last) => source.tiles(profile, trace, lines, shift, first, last) },
          () => this.redraw(),
          (96 << 20) / infos.length,
          onError,
        ),
    );
  }

  attach(canvas: HTMLCanvasElement | null, theme: Theme | null): void {
    this.canvas = canvas;
    this.theme = theme;
    this.painter = null;
    this.redraw();
  }

  resize(width: number, height: number, scale: number): void {
    this.width = Math.max(50, Math.floor(width));
    this.height = Math.max(50, Math.floor(height));
    this.scale = scale;
    this.painter = null;
    this.shownHeight.value = this.height;
    this.redraw();
  }

  relayout(filter: string, viewWords: ViewWords): void {
    this.viewWords = viewWords;
    this.rows.value = layout(this.infos, this.choices, filter, viewWords, new Set(this.paths.keys()));
    this.scrollTo(this.scroll.value);
  }

  /** The critical path of a trace, for the line that is kept for it. */
  addPath(trace: number, block: SpanBlock, names: Record<string, string>): void {
    this.paths.set(trace, block);
    for (const [id, name] of Object.entries(names)) this.remember(trace, Number(id), name);
    this.redraw();
  }

  /** Pixels at the top that pinned lines keep; none where they would leave no room for the others. */
  get pinned(): number {
    const wanted = pinnedHeight(this.rows.value);
    return wanted <= this.height * 0.6 ? wanted : 0;
  }

  /** Where a row is drawn. */
  topOf(row: Row): number {
    return row.pinned && this.pinned > 0 ? row.top : row.top - this.scroll.value;
  }

  rowAt(y: number): Row | undefined {
    const at = y < this.pinned ? y : y + this.scroll.value;
    return visibleRows(this.rows.value, at, at + 1)[0];
  }

  /** The rows in sight: pinned ones, and below them what the scroll has brought there. */
  inSight(): { pinned: Row[]; scrolled: Row[] } {
    const { pinned, rows } = this;
    const scrolled = visibleRows(rows.value, this.scroll.value + pinned, this.scroll.value + this.height);
    if (pinned === 0) return { pinned: [], scrolled };
    return {
      pinned: rows.value.filter((row) => row.pinned),
      scrolled: scrolled.filter((row) => !row.pinned),
    };
  }

  /** The time that zooming goes around: under the pointer, else the middle. */
  get focus(): number {
    const { from, to } = this.window.value;
    return this.pointer === null ? (from + to) / 2 : this.timeAt(this.pointer);
  }

  /** Moves to a window in a few frames, each half of what is left; at once where motion is unwanted. */
  glide(window: Window): void {
    const target = clamped(window, this.limit);
    const still = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches ?? true;
    if (still) {
      this.show(target);
      return;
    }
    const running = this.target !== null;
    this.target = target;
    if (!running) this.glideOn();
  }

  private glideOn(): void {
    const { target } = this;
    if (!target) return;
    const { from, to } = this.window.value;
    const near = Math.abs(target.from - from) + Math.abs(target.to - to) < (to - from) * 0.002;
    this.window.value = near
      ? target
      : { from: from + (target.from - from) * 0.5, to: to + (target.to - to) * 0.5 };
    if (near) this.target = null;
    this.redraw();
    if (!near) requestAnimationFrame(() => this.glideOn());
  }

  /** Zooms on from where a glide leads to. */
  glideZoom(factor: number, around: number): void {
    this.glide(zoomed(this.target ?? this.window.value, factor, around, this.limit));
  }

  get nsPerPixel(): number {
    return (this.window.value.to - this.window.value.from) / this.width;
  }

  show(window: Window): void {
    this.target = null;
    this.window.value = clamped(window, this.limit);
    this.redraw();
  }

  zoom(factor: number, around: number): void {
    this.target = null;
    this.window.value = zoomed(this.window.value, factor, around, this.limit);
    this.redraw();
  }

  pan(ns: number): void {
    const { from, to } = this.window.value;
    this.show({ from: from + ns, to: to + ns });
  }

  scrollTo(top: number): void {
    const most = Math.max(0, totalHeight(this.rows.value) - this.height + 20);
    this.scroll.value = Math.min(Math.max(0, top), most);
    this.redraw();
  }

  /** Brings a span into sight, with room around it. */
  reveal(slice: SliceRef, trace: number, zoomIn: boolean): void {
    const offset = this.infos[trace].offset_ns;
    const from = slice.start_ns + offset;
    const to = from + slice.duration_ns;
    const { from: a, to: b } = this.window.value;
    const width = b - a;
    const inSight = from >= a && to <= b && (to - from) / width > 0.002;
    if (zoomIn || !inSight) {
      const wide = zoomIn ? Math.max((to - from) * 1.6, 200) : Math.max((to - from) * 4, width / 64, 2000);
      const middle = (from + to) / 2;
      this.show({ from: middle - wide / 2, to: middle + wide / 2 });
    }
    const row = this.rowOf(`${trace}.${slice.line}`);
    if (row && !(row.pinned && this.pinned > 0)) {
      const y = row.top + Math.min(slice.depth, row.depths - 1) * STRIP;
      const top = this.scroll.value + this.pinned;
      if (y < top || y + STRIP > this.scroll.value + this.height) this.scrollTo(y - this.height / 3);
    }
  }

  bringIntoSight(row: Row): void {
    if (row.pinned && this.pinned > 0) return;
    const top = this.scroll.value + this.pinned;
    if (row.top < top) this.scrollTo(row.top - this.pinned);
    else if (row.top + row.height > this.scroll.value + this.height) {
      this.scrollTo(row.top + Math.min(row.height, this.height - this.pinned) - this.height);
    }
  }

  rowOf(key: string): Row | undefined {
    return this.rows.value.find((row) => row.key === key);
  }

  timeAt(x: number): number {
    return this.window.value.from + x * this.nsPerPixel;
  }

  xOf(time: number): number {
    return (time - this.window.value.from) / this.nsPerPixel;
  }

  nameOf(trace: number, id: number): string | undefined {
    return this.caches[trace].names.get(id);
  }

  remember(trace: number, id: number, name: string): void {
    this.caches[trace].names.set(id, name);
  }

  hit(x: number, y: number): Hover | null {
    const row = this.rowAt(y);
    if (!row || row.kind === 'group' || row.info?.kind === 'counter') return null;
    const depth = Math.floor((y - this.topOf(row) - 2) / STRIP);
    if (depth < 0 || depth >= row.depths) return null;
    const time = this.timeAt(x) - this.infos[row.trace].offset_ns;
    for (const block of this.blocksOf(row)) {
      if (block.type === BlockType.Counter) continue;
      const item = itemAt(block, depth, time, this.nsPerPixel * 2.5);
      if (item >= 0) return { x, y, row, block, item };
    }
    return null;
  }

  /** What is loaded of a row for the window. */
  private blocksOf(row: Row): Block[] {
    if (row.line === PATH_LINE) {
      const path = this.paths.get(row.trace);
      return path ? [path] : [];
    }
    const offset = this.infos[row.trace].offset_ns;
    const { from, to } = this.window.value;
    const inside = {
      from: Math.max(from - offset, 0),
      to: Math.min(to - offset, this.infos[row.trace].span_ns),
    };
    if (inside.to < inside.from) return [];
    return this.caches[row.trace].blocks(row.line, inside.from, inside.to, this.nsPerPixel);
  }

  /** The time at a point, drawn to the edge of a span of that line where one is near. */
  snap(x: number, y: number): { time: number; snapped: boolean } {
    const time = this.timeAt(x);
    const row = this.rowAt(y);
    const edges = row && row.kind === 'line' && row.info?.kind !== 'counter' ? this.edgesNear(row, time) : [];
    // Steps attract everywhere.
    for (const step of this.steps) edges.push(step.from, step.to);
    let best = time;
    let distance = SNAP * this.nsPerPixel;
    for (const edge of edges) {
      if (Math.abs(edge - time) >= distance) continue;
      distance = Math.abs(edge - time);
      best = edge;
    }
    return { time: best, snapped: best !== time };
  }

  private edgesNear(row: Row, time: number): number[] {
    const offset = this.infos[row.trace].offset_ns;
    const reach = SNAP * this.nsPerPixel;
    const edges: number[] = [];
    for (const block of this.blocksOf(row)) {
      if (block.type === BlockType.Counter) continue;
      for (let i = 0; i < block.items; ++i) {
        if (block.count[i] > 1) continue; // joined spans have no edges of their own
        const from = block.start[i] + offset;
        const to = from + block.extent[i];
        if (Math.abs(from - time) < reach) edges.push(from);
        if (Math.abs(to - time) < reach) edges.push(to);
      }
    }
    return edges;
  }

  /** The lines that a stretch of pixels touches. */
  linesBetween(y0: number, y1: number): string[] {
    const [top, bottom] = [Math.min(y0, y1), Math.max(y0, y1)];
    const { pinned, scrolled } = this.inSight();
    return [...pinned, ...scrolled]
      .filter((row) => row.kind === 'line')
      .filter((row) => this.topOf(row) < bottom && this.topOf(row) + row.height > top)
      .map((row) => row.key);
  }

  /** What a counter shows at a point, or null where there is none. */
  counterAt(x: number, y: number): CounterHover | null {
    const row = this.rowAt(y);
    if (row?.info?.kind !== 'counter') return null;
    const time = this.timeAt(x) - this.infos[row.trace].offset_ns;
    let value = Number.NaN;
    for (const block of this.blocksOf(row)) {
      if (block.type !== BlockType.Counter) continue;
      for (let i = 0; i < block.items && block.time[i] <= time; ++i) value = block.last[i];
    }
    return Number.isNaN(value) ? null : { x, y, row, value };
  }

  /** The first span of the topmost track in sight that the window holds: where keys begin. */
  firstInSight(): { trace: number; row: number } | null {
    const { from, to } = this.window.value;
    const { pinned, scrolled } = this.inSight();
    for (const row of [...pinned, ...scrolled]) {
      if (row.info?.kind !== 'track' || row.line === PATH_LINE) continue;
      const offset = this.infos[row.trace].offset_ns;
      for (const block of this.blocksOf(row)) {
        if (block.type !== BlockType.Spans) continue;
        for (let i = 0; i < block.items; ++i) {
          const start = block.start[i] + offset;
          if (start >= from && start < to) return { trace: row.trace, row: block.row[i] };
        }
      }
    }
    return null;
  }

  redraw(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.drawNow();
    });
  }

  /** One frame, at once. */
  drawNow(): void {
    const context = this.canvas?.getContext('2d', { alpha: false });
    if (!context || !this.canvas || !this.theme) return;
    const began = performance.now();
    const width = Math.round(this.width * this.scale);
    const height = Math.round(this.height * this.scale);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    if (!this.painter || this.painter.width !== width || this.painter.height !== height) {
      this.painter = new Painter(width, height, this.scale, this.theme);
    }
    const painter = this.painter;
    const window = this.window.value;
    const { pinned, scrolled } = this.inSight();
    this.ask([...pinned, ...scrolled], window);
    painter.begin(window, this.steps);
    painter.keepFree(Math.round(this.pinned * this.scale));
    for (const row of scrolled) this.paintRow(painter, row, window);
    painter.cover();
    for (const row of pinned) this.paintRow(painter, row, window);
    painter.finish(context);
    drawScales(this, context, this.theme, [...pinned, ...scrolled]);
    drawOverlay(this, context, this.theme);
    this.frames.push(performance.now() - began);
    if (this.frames.length > 2000) this.frames.shift();
  }

  private ask(rows: Row[], window: Window): void {
    this.caches.forEach((cache, trace) => {
      const lines = rows
        .filter((row) => row.kind === 'line' && row.trace === trace && row.line !== PATH_LINE)
        .map((row) => row.line);
      if (lines.length === 0) return;
      const offset = this.infos[trace].offset_ns;
      cache.want(
        lines,
        Math.max(window.from - offset, 0),
        Math.min(window.to - offset, this.infos[trace].span_ns),
        this.nsPerPixel,
      );
    });
    this.loading.value = this.caches.some((cache) => cache.busy);
  }

  private paintRow(painter: Painter, row: Row, window: Window): void {
    const top = Math.round(this.topOf(row) * this.scale);
    if (row.kind === 'group') {
      painter.group(top, Math.round(row.height * this.scale));
      return;
    }
    const cache = this.caches[row.trace];
    const offset = this.infos[row.trace].offset_ns;
    const local = { from: window.from - offset, to: window.to - offset };
    painter.row(
      row,
      top,
      this.blocksOf(row),
      local,
      (block, item) => {
        if (block.type === BlockType.Idle) return this.viewWords.causes[CAUSES[block.kind[item]]];
        const name = cache.names.get(block.name[item]);
        return name === undefined ? undefined : shortName(name);
      },
      this.overlay.value.keep?.[row.trace] ?? null,
    );
  }
}
