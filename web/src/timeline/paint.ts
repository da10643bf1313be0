import { causePixels, isDark, kindPixels, mix, shadeOf } from '../colors';
import { type Row, STRIP } from './layout';
import { type Block, BlockType, type CounterBlock, type SpanBlock } from './tiles';

export interface Theme {
  background: number;
  band: number;
  counter: number;
  instant: number;
  text: string;
  textOnDark: string;
  textOnLight: string;
  header: number;
  /** Behind the numbers of a counter's scale. */
  scale: string;
}

export interface Window {
  from: number;
  to: number;
}

/** A piece of text to write once the pixels are in place. */
interface Label {
  text: string;
  x: number;
  y: number;
  width: number;
  dark: boolean;
}

/**
 * Draws the strips of a timeline into pixels: one line of colours per strip, copied down its height, so that the cost of
 * a frame follows the pixels and not the number of spans. Labels are collected on the way.
 */
export class Painter {
  private image: ImageData;
  private pixels: Uint32Array;
  private line: Uint32Array;
  private bands: Uint32Array;
  readonly labels: Label[] = [];
  private labelled = -1;
  private readonly widths = new Map<string, number>();
  private free = 0;

  constructor(
    readonly width: number,
    readonly height: number,
    readonly scale: number,
    private readonly theme: Theme,
  ) {
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.line = new Uint32Array(width);
    this.bands = new Uint32Array(width);
  }

  /** Clears to the background, with every other step shaded. */
  begin(window: Window, steps: Window[]): void {
    const { background, band } = this.theme;
    this.bands.fill(background);
    const perPixel = (window.to - window.from) / this.width;
    steps.forEach((step, index) => {
      if (index % 2 === 0) return;
      const first = Math.max(0, Math.round((step.from - window.from) / perPixel));
      const last = Math.min(this.width, Math.round((step.to - window.from) / perPixel));
      if (last > first) this.bands.fill(band, first, last);
    });
    for (let y = 0; y < this.height; ++y) this.pixels.set(this.bands, y * this.width);
    this.labels.length = 0;
  }

  /** Rows that follow leave the first pixels to the pinned ones. */
  keepFree(pixels: number): void {
    this.free = pixels;
  }

  /** Clears what rows have drawn there after all; the rows that follow are the pinned ones. */
  cover(): void {
    for (let y = 0; y < this.free; ++y) this.pixels.set(this.bands, y * this.width);
    this.free = 0;
  }

  group(top: number, height: number): void {
    const first = Math.max(this.free, top);
    const last = Math.min(this.height, top + height);
    if (last > first) this.pixels.fill(this.theme.header, first * this.width, last * this.width);
  }

  row(
    row: Row,
    top: number,
    blocks: Block[],
    window: Window,
    nameOf: (block: SpanBlock, item: number) => string | undefined,
    keep: Set<number> | null,
  ): void {
    const strip = Math.round(STRIP * this.scale);
    const bar = strip - Math.max(1, Math.round(this.scale));
    if (row.info?.kind === 'counter') {
      this.counter(row, top, blocks as CounterBlock[], window);
      return;
    }
    for (let depth = 0; depth < row.depths; ++depth) {
      const y = top + Math.round(2 * this.scale) + depth * strip;
      if (y + bar <= this.free || y >= this.height) continue;
      this.line.set(this.bands);
      let any = false;
      this.labelled = -1;
      for (const block of blocks) {
        if (block.type === BlockType.Counter) continue;
        any = this.strip(block, depth, window, y, bar, nameOf, keep) || any;
      }
      if (!any) continue;
      const last = Math.min(this.height, y + bar);
      for (let at = Math.max(0, y); at < last; ++at) this.pixels.set(this.line, at * this.width);
    }
  }

  private strip(
    block: SpanBlock,
    depth: number,
    window: Window,
    y: number,
    bar: number,
    nameOf: (block: SpanBlock, item: number) => string | undefined,
    keep: Set<number> | null,
  ): boolean {
    const first = depth + 1 < block.first.length ? block.first[depth] : block.items;
    const last = depth + 1 < block.first.length ? block.first[depth + 1] : block.items;
    const { line, width, scale } = this;
    const perNs = width / (window.to - window.from);
    const labelWidth = 28 * scale;
    const background = this.theme.background;
    let any = false;
    for (let i = first; i < last; ++i) {
      const x0 = (block.start[i] - window.from) * perNs;
      if (x0 >= width) break;
      const x1 = x0 + block.extent[i] * perNs;
      if (x1 < 0) continue;
      any = true;
      let color: number;
      if (block.type === BlockType.Spans) {
        color = kindPixels[block.kind[i]][shadeOf(block.name[i])];
        if (keep && !keep.has(block.name[i])) color = mix(color, background, 60);
      } else {
        color = block.type === BlockType.Idle ? causePixels[block.kind[i]] : this.theme.instant;
      }
      if (x1 - x0 < 1) {
        const at = x0 < 0 ? 0 : Math.floor(x0);
        const weight = Math.max(96, Math.round(256 * block.busy[i] * Math.min(1, (x1 - x0) * 2)));
        line[at] = mix(color, line[at], Math.min(256, weight));
        continue;
      }
      const from = Math.max(0, Math.round(x0));
      const to = Math.min(width, Math.max(Math.round(x1), from + 1));
      const joined = block.count[i] > 1;
      line.fill(joined ? mix(color, background, (128 + 128 * block.busy[i]) | 0) : color, from, to);
      if (to - from >= 3 && to < width && !joined) line[to - 1] = mix(background, color, 150);
      if (to - from < labelWidth) continue;
      // A span that crosses tiles is in both, but gets only one label.
      if (block.row[i] === this.labelled) continue;
      this.labelled = block.row[i];
      const text = joined ? `× ${block.count[i]}` : nameOf(block, i);
      const seen = y + bar / 2 > this.free;
      if (text && seen)
        this.labels.push({ text, x: from, y: y + bar / 2, width: to - from, dark: isDark(color) });
    }
    return any;
  }

  private counter(row: Row, top: number, blocks: CounterBlock[], window: Window): void {
    const { width, pixels, height } = this;
    const pad = Math.round(3 * this.scale);
    const bottom = top + Math.round(row.height * this.scale) - pad;
    const tall = bottom - top - pad;
    const low = Math.min(0, row.info!.min);
    const range = Math.max(row.info!.max - low, 1e-30);
    const perNs = width / (window.to - window.from);
    const heightOf = (value: number) => Math.round(((value - low) / range) * tall);
    const fill = (x: number, peak: number, level: number) => {
      for (let y = Math.max(this.free, bottom - peak); y < Math.min(height, bottom); ++y) {
        const weight = y <= bottom - level + this.scale ? 256 : 110;
        pixels[y * width + x] = mix(this.theme.counter, pixels[y * width + x], weight);
      }
    };
    let value = Number.NaN;
    let x = 0;
    let peak = Number.NaN;
    for (const block of blocks) {
      for (let i = 0; i < block.items; ++i) {
        const at = Math.floor((block.time[i] - window.from) * perNs);
        if (at >= 0) {
          for (; x < Math.min(at, width); ++x) {
            if (!Number.isNaN(value)) fill(x, heightOf(Number.isNaN(peak) ? value : peak), heightOf(value));
            peak = Number.NaN;
          }
        }
        peak = Number.isNaN(peak) || block.max[i] > peak ? block.max[i] : peak;
        value = block.last[i];
      }
    }
    for (; x < width; ++x) {
      if (!Number.isNaN(value)) fill(x, heightOf(Number.isNaN(peak) ? value : peak), heightOf(value));
      peak = Number.NaN;
    }
  }

  /** Puts the pixels onto the canvas and writes the labels over them. */
  finish(context: CanvasRenderingContext2D): void {
    context.putImageData(this.image, 0, 0);
    context.font = `${Math.round(11 * this.scale)}px system-ui, sans-serif`;
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    const pad = 4 * this.scale;
    for (const onDark of [true, false]) {
      context.fillStyle = onDark ? this.theme.textOnDark : this.theme.textOnLight;
      for (const label of this.labels) {
        if (label.dark !== onDark) continue;
        const text = this.fit(context, label.text, label.width - 2 * pad);
        if (text) context.fillText(text, label.x + pad, label.y + 0.5);
      }
    }
  }

  private fit(context: CanvasRenderingContext2D, text: string, room: number): string {
    let width = this.widths.get(text);
    if (width === undefined) {
      if (this.widths.size > 20000) this.widths.clear();
      width = context.measureText(text).width;
      this.widths.set(text, width);
    }
    if (width <= room) return text;
    const fits = Math.floor((text.length * room) / width) - 1;
    return fits < 3 ? '' : `${text.slice(0, fits)}…`;
  }
}
