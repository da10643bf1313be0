import { type Block, decodeTiles, shiftFor, type Tile, tileOf } from './tiles';

export interface TileSource {
  tiles(lines: number[], shift: number, first: number, last: number): Promise<ArrayBuffer>;
}

const keyOf = (line: number, shift: number, tile: number) => `${line}/${shift}/${tile}`;

interface Entry {
  tile: Tile;
  used: number;
  bytes: number;
}

/**
 * Tiles of one trace, asked for when they become visible, together with their neighbours, and kept up to a fixed
 * number of bytes. While a tile is on its way, what is there at another resolution is drawn in its place.
 */
export class TileCache {
  readonly names = new Map<number, string>();
  private readonly entries = new Map<string, Entry>();
  private readonly pending = new Set<string>();
  private clock = 0;
  private bytes = 0;
  private inFlight = 0;
  private wanted: { lines: number[]; from: number; to: number; nsPerPixel: number } | null = null;

  constructor(
    private readonly source: TileSource,
    private readonly onChange: () => void,
    private readonly capacity = 96 << 20,
    private readonly onError: (error: unknown) => void = () => {},
  ) {}

  get busy(): boolean {
    return this.inFlight > 0;
  }

  /** Says what is visible. Requests follow; the newest view wins over older ones not yet sent. */
  want(lines: number[], from: number, to: number, nsPerPixel: number): void {
    this.wanted = { lines, from, to, nsPerPixel };
    this.pump();
  }

  /** Blocks that cover the window for a line: of the wanted resolution where they are there, else of the nearest other. */
  blocks(line: number, from: number, to: number, nsPerPixel: number): Block[] {
    const shift = shiftFor(nsPerPixel);
    const exact = this.covering(line, shift, from, to);
    if (exact) return exact;
    for (let off = 1; off <= 12; ++off) {
      for (const other of [shift + off, shift - off]) {
        if (other < 0 || (other < shift && off > 3)) continue;
        const found = this.covering(line, other, from, to);
        if (found) return found;
      }
    }
    const parts: Block[] = [];
    for (let tile = tileOf(from, shift); tile <= tileOf(to, shift); ++tile) {
      const entry = this.entries.get(keyOf(line, shift, tile));
      if (entry) parts.push(entry.tile.block);
    }
    return parts;
  }

  private covering(line: number, shift: number, from: number, to: number): Block[] | null {
    const found: Block[] = [];
    for (let tile = tileOf(from, shift); tile <= tileOf(to, shift); ++tile) {
      const entry = this.entries.get(keyOf(line, shift, tile));
      if (!entry) return null;
      entry.used = ++this.clock;
      found.push(entry.tile.block);
    }
    return found;
  }

  private pump(): void {
    if (this.inFlight >= 2 || !this.wanted) return;
    const { lines, from, to, nsPerPixel } = this.wanted;
    const shift = shiftFor(nsPerPixel);
    const first = Math.max(0, tileOf(from, shift));
    const last = Math.max(first, tileOf(to, shift));
    const request =
      this.missing(lines, shift, first, last) ??
      this.missing(lines, shift, Math.max(0, first - 1), last + 1) ??
      null;
    if (request) void this.fetch(request.lines, shift, request.first, request.last);
  }

  /** The lines that lack a tile of the range, with the range narrowed to what is lacking. */
  private missing(
    lines: number[],
    shift: number,
    first: number,
    last: number,
  ): { lines: number[]; first: number; last: number } | null {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    const lacking: number[] = [];
    for (const line of lines) {
      let lacks = false;
      for (let tile = first; tile <= last; ++tile) {
        const key = keyOf(line, shift, tile);
        if (this.entries.has(key) || this.pending.has(key)) continue;
        lacks = true;
        low = Math.min(low, tile);
        high = Math.max(high, tile);
      }
      if (lacks) lacking.push(line);
    }
    return lacking.length === 0 ? null : { lines: lacking, first: low, last: high };
  }

  private async fetch(lines: number[], shift: number, first: number, last: number): Promise<void> {
    const keys: string[] = [];
    for (const line of lines) {
      for (let tile = first; tile <= last; ++tile) keys.push(keyOf(line, shift, tile));
    }
    for (const key of keys) this.pending.add(key);
    ++this.inFlight;
    try {
      this.add(await this.source.tiles(lines, shift, first, last));
    } catch (error) {
      this.wanted = null;
      this.onError(error);
    } finally {
      --this.inFlight;
      for (const key of keys) this.pending.delete(key);
      this.onChange();
      this.pump();
    }
  }

  private add(buffer: ArrayBuffer): void {
    const answer = decodeTiles(buffer);
    for (const [id, name] of answer.names) this.names.set(id, name);
    for (const tile of answer.tiles) {
      const bytes = 200 + tile.block.items * 36;
      this.entries.set(keyOf(tile.line, tile.shift, tile.tile), { tile, used: ++this.clock, bytes });
      this.bytes += bytes;
    }
    this.evict();
  }

  private evict(): void {
    if (this.bytes <= this.capacity) return;
    const oldest = [...this.entries].sort((a, b) => a[1].used - b[1].used);
    for (const [key, entry] of oldest) {
      if (this.bytes <= this.capacity * 0.75) break;
      this.entries.delete(key);
      this.bytes -= entry.bytes;
    }
  }
}
