import { signal } from '@preact/signals';
import type { SliceRef, TimelineInfo } from '../api';
import { CAUSES } from '../colors';
import type { Source } from '../source';
import { type LineChoices, layout, type Row, STRIP, totalHeight, visibleRows } from './layout';
import { Painter, type Theme, type Window } from './paint';
import { clamped, zoomed } from './steps_of_time';
import { TileCache } from './tile_cache';
import { BlockType, itemAt, type SpanBlock } from './tiles';

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

/** What is drawn over the strips. Times are of the page, with the trace's offset added. */
export interface Overlay {
  selected: Box | null;
  range: Window | null;
  marks: Window[];
  arrows: Arrow[];
  /** Names that a search found, by trace; all else is dimmed. */
  keep: Set<number>[] | null;
}

export interface ViewWords {
  idle: string;
  pinned: string;
  causes: Record<string, string>;
}

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
  readonly limit: Window;
  width = 800;
  height = 400;
  scale = 1;
  /** Milliseconds of the last frames, for the benchmark. */
  readonly frames: number[] = [];

  private readonly caches: TileCache[];
  private painter: Painter | null = null;
  private canvas: HTMLCanvasElement | null = null;
  private theme: Theme | null = null;
  private scheduled = false;

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
    this.redraw();
  }

  relayout(filter: string, viewWords: ViewWords): void {
    this.viewWords = viewWords;
    this.rows.value = layout(this.infos, this.choices, filter, viewWords);
    this.scrollTo(this.scroll.value);
  }

  get nsPerPixel(): number {
    return (this.window.value.to - this.window.value.from) / this.width;
  }

  show(window: Window): void {
    this.window.value = clamped(window, this.limit);
    this.redraw();
  }

  zoom(factor: number, around: number): void {
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
    if (row) {
      const y = row.top + Math.min(slice.depth, row.depths - 1) * STRIP;
      if (y < this.scroll.value || y + STRIP > this.scroll.value + this.height) {
        this.scrollTo(y - this.height / 3);
      }
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
    const at = y + this.scroll.value;
    const row = visibleRows(this.rows.value, at, at + 1)[0];
    if (!row || row.kind === 'group' || row.info?.kind === 'counter') return null;
    const depth = Math.floor((at - row.top - 2) / STRIP);
    if (depth < 0 || depth >= row.depths) return null;
    const offset = this.infos[row.trace].offset_ns;
    const time = this.timeAt(x) - offset;
    const { from, to } = this.window.value;
    for (const block of this.caches[row.trace].blocks(
      row.line,
      from - offset,
      to - offset,
      this.nsPerPixel,
    )) {
      if (block.type === BlockType.Counter) continue;
      const item = itemAt(block, depth, time, this.nsPerPixel * 2.5);
      if (item >= 0) return { x, y, row, block, item };
    }
    return null;
  }

  /** What a counter shows at a point, or null where there is none. */
  counterAt(x: number, y: number): CounterHover | null {
    const at = y + this.scroll.value;
    const row = visibleRows(this.rows.value, at, at + 1)[0];
    if (row?.info?.kind !== 'counter') return null;
    const offset = this.infos[row.trace].offset_ns;
    const { from, to } = this.window.value;
    const time = this.timeAt(x) - offset;
    let value = Number.NaN;
    const blocks = this.caches[row.trace].blocks(row.line, from - offset, to - offset, this.nsPerPixel);
    for (const block of blocks) {
      if (block.type !== BlockType.Counter) continue;
      for (let i = 0; i < block.items && block.time[i] <= time; ++i) value = block.last[i];
    }
    return Number.isNaN(value) ? null : { x, y, row, value };
  }

  /** The first span of the topmost track in sight that the window holds: where keys begin. */
  firstInSight(): { trace: number; row: number } | null {
    const { from, to } = this.window.value;
    for (const row of visibleRows(this.rows.value, this.scroll.value, this.scroll.value + this.height)) {
      if (row.info?.kind !== 'track') continue;
      const offset = this.infos[row.trace].offset_ns;
      const blocks = this.caches[row.trace].blocks(row.line, from - offset, to - offset, this.nsPerPixel);
      for (const block of blocks) {
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
    const rows = visibleRows(this.rows.value, this.scroll.value, this.scroll.value + this.height);
    this.ask(rows, window);
    painter.begin(window, this.steps);
    for (const row of rows) this.paintRow(painter, row, window);
    painter.finish(context);
    this.drawOverlay(context);
    this.frames.push(performance.now() - began);
    if (this.frames.length > 2000) this.frames.shift();
  }

  private ask(rows: Row[], window: Window): void {
    this.caches.forEach((cache, trace) => {
      const lines = rows.filter((row) => row.kind === 'line' && row.trace === trace).map((row) => row.line);
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
    const top = Math.round((row.top - this.scroll.value) * this.scale);
    if (row.kind === 'group') {
      painter.group(top, Math.round(row.height * this.scale));
      return;
    }
    const cache = this.caches[row.trace];
    const offset = this.infos[row.trace].offset_ns;
    const local = { from: window.from - offset, to: window.to - offset };
    const inside = { from: Math.max(local.from, 0), to: Math.min(local.to, this.infos[row.trace].span_ns) };
    if (inside.to < inside.from) return;
    const blocks = cache.blocks(row.line, inside.from, inside.to, this.nsPerPixel);
    painter.row(
      row,
      top,
      blocks,
      local,
      (block, item) =>
        block.type === BlockType.Idle
          ? this.viewWords.causes[CAUSES[block.kind[item]]]
          : cache.names.get(block.name[item]),
      this.overlay.value.keep?.[row.trace] ?? null,
    );
  }

  private boxOf(box: Box): { x0: number; x1: number; y: number } | null {
    const row = this.rowOf(box.key);
    if (!row) return null;
    const depth = Math.min(box.depth, row.depths - 1);
    return {
      x0: this.xOf(box.from),
      x1: this.xOf(box.to),
      y: row.top + 2 + depth * STRIP - this.scroll.value,
    };
  }

  private drawOverlay(context: CanvasRenderingContext2D): void {
    const { selected, range, marks, arrows } = this.overlay.value;
    context.save();
    context.scale(this.scale, this.scale);
    const stretch = (window: Window, fillStyle: string, line: string) => {
      const x0 = this.xOf(window.from);
      const x1 = this.xOf(window.to);
      context.fillStyle = fillStyle;
      context.fillRect(x0, 0, x1 - x0, this.height);
      context.strokeStyle = line;
      context.lineWidth = 1;
      context.beginPath();
      for (const x of [x0, x1]) {
        context.moveTo(Math.round(x) + 0.5, 0);
        context.lineTo(Math.round(x) + 0.5, this.height);
      }
      context.stroke();
    };
    for (const mark of marks) stretch(mark, 'rgb(230 159 0 / 10%)', 'rgb(230 159 0)');
    if (range) stretch(range, 'rgb(0 114 178 / 14%)', 'rgb(0 114 178)');
    const box = selected && this.boxOf(selected);
    if (box) {
      context.strokeStyle = this.theme!.text;
      context.lineWidth = 2;
      context.strokeRect(box.x0, box.y - 0.5, Math.max(box.x1 - box.x0, 2), STRIP);
    }
    for (const arrow of arrows) this.drawArrow(context, arrow);
    context.restore();
  }

  private drawArrow(context: CanvasRenderingContext2D, arrow: Arrow): void {
    const from = this.boxOf({ ...arrow.from, from: arrow.from.time, to: arrow.from.time });
    const to = this.boxOf({ ...arrow.to, from: arrow.to.time, to: arrow.to.time });
    if (!from || !to) return;
    const y0 = from.y + STRIP / 2;
    const y1 = to.y + STRIP / 2;
    const bend = Math.max(30, Math.abs(to.x0 - from.x0) / 3);
    for (const [color, width] of [
      [this.theme!.textOnDark, 4],
      ['rgb(213 94 0)', 2],
    ] as const) {
      context.strokeStyle = color;
      context.fillStyle = color;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(from.x0, y0);
      context.bezierCurveTo(from.x0 + bend, y0, to.x0 - bend, y1, to.x0 - 4, y1);
      context.stroke();
      context.beginPath();
      context.moveTo(to.x0 + 1, y1);
      context.lineTo(to.x0 - 8, y1 - 5);
      context.lineTo(to.x0 - 8, y1 + 5);
      context.fill();
    }
  }
}
