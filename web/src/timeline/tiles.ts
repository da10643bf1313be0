// Binary column blocks as the server writes them (docs/serve.md): typed-array views, nothing is copied.

export const TILE_BUCKETS_LOG2 = 10;
export const MAGIC = 0x31545353;

export enum BlockType {
  Spans = 0,
  Instants = 1,
  Idle = 2,
  Counter = 3,
}

export interface SpanBlock {
  type: BlockType.Spans | BlockType.Instants | BlockType.Idle;
  items: number;
  start: Float64Array;
  extent: Float64Array;
  busy: Float32Array;
  row: Uint32Array;
  count: Uint32Array;
  name: Uint32Array;
  depth: Uint16Array;
  kind: Uint8Array;
  flags: Uint8Array;
  /** Items of depth d are first[d] up to first[d + 1]. */
  first: Uint32Array;
}

export interface CounterBlock {
  type: BlockType.Counter;
  items: number;
  time: Float64Array;
  min: Float32Array;
  max: Float32Array;
  last: Float32Array;
  count: Uint32Array;
}

export type Block = SpanBlock | CounterBlock;

export interface Tile {
  line: number;
  shift: number;
  tile: number;
  block: Block;
}

export interface TileAnswer {
  tiles: Tile[];
  names: Map<number, string>;
}

/** Throws RangeError on bytes that are no answer of ours. */
export function decodeTiles(buffer: ArrayBuffer): TileAnswer {
  const view = new DataView(buffer);
  if (buffer.byteLength < 12 || view.getUint32(0, true) !== MAGIC) throw new RangeError('not a tile block');
  let at = 8;
  const column = <T>(
    make: new (buffer: ArrayBuffer, offset: number, length: number) => T,
    bytes: number,
    items: number,
  ): T => {
    const values = new make(buffer, at, items);
    at += Math.ceil((items * bytes) / 8) * 8;
    return values;
  };
  const tiles: Tile[] = [];
  const blocks = view.getUint32(4, true);
  for (let i = 0; i < blocks; ++i) {
    const line = view.getUint32(at, true);
    const type: BlockType = view.getUint32(at + 4, true);
    const shift = view.getInt32(at + 8, true);
    const items = view.getUint32(at + 12, true);
    const tile = view.getFloat64(at + 16, true);
    at += 24;
    let block: Block;
    if (type === BlockType.Counter) {
      block = {
        type,
        items,
        time: column(Float64Array, 8, items),
        min: column(Float32Array, 4, items),
        max: column(Float32Array, 4, items),
        last: column(Float32Array, 4, items),
        count: column(Uint32Array, 4, items),
      };
    } else {
      const spans = {
        type,
        items,
        start: column(Float64Array, 8, items),
        extent: column(Float64Array, 8, items),
        busy: column(Float32Array, 4, items),
        row: column(Uint32Array, 4, items),
        count: column(Uint32Array, 4, items),
        name: column(Uint32Array, 4, items),
        depth: column(Uint16Array, 2, items),
        kind: column(Uint8Array, 1, items),
        flags: column(Uint8Array, 1, items),
      };
      block = { ...spans, first: firstOfDepths(spans.depth) };
    }
    tiles.push({ line, shift, tile, block });
  }
  const names = new Map<number, string>();
  const text = new TextDecoder();
  const count = view.getUint32(at, true);
  at += 4;
  for (let i = 0; i < count; ++i) {
    const id = view.getUint32(at, true);
    const bytes = view.getUint32(at + 4, true);
    at += 8;
    names.set(id, text.decode(new Uint8Array(buffer, at, bytes)));
    at += bytes;
  }
  return { tiles, names };
}

function firstOfDepths(depth: Uint16Array): Uint32Array {
  const depths = depth.length === 0 ? 0 : depth[depth.length - 1] + 1;
  const first = new Uint32Array(depths + 1);
  for (let i = 0; i < depth.length; ++i) ++first[depth[i] + 1];
  for (let d = 0; d < depths; ++d) first[d + 1] += first[d];
  return first;
}

/** The item of a depth that covers the time, within `slack` ns to either side; -1 for none. */
export function itemAt(block: SpanBlock, depth: number, time: number, slack: number): number {
  if (depth + 1 >= block.first.length) return -1;
  let low = block.first[depth];
  let high = block.first[depth + 1];
  const begin = low;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (block.start[middle] <= time) low = middle + 1;
    else high = middle;
  }
  if (low > begin && block.start[low - 1] + block.extent[low - 1] > time) return low - 1;
  const after = low < block.first[depth + 1] ? block.start[low] - time : Number.POSITIVE_INFINITY;
  const before = low > begin ? time - block.start[low - 1] - block.extent[low - 1] : Number.POSITIVE_INFINITY;
  if (Math.min(after, before) > slack) return -1;
  return after < before ? low : low - 1;
}

/** The resolution to ask for: buckets of about a pixel. */
export function shiftFor(nsPerPixel: number): number {
  return Math.max(0, Math.min(50, Math.round(Math.log2(Math.max(nsPerPixel, 1)))));
}

export function tileOf(ns: number, shift: number): number {
  return Math.floor(ns / 2 ** (shift + TILE_BUCKETS_LOG2));
}
