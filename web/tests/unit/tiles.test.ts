import { describe, expect, it } from 'vitest';
import { BlockType, decodeTiles, itemAt, type SpanBlock, shiftFor, tileOf } from '../../src/timeline/tiles';

/** Writes the bytes as docs/serve.md lays them out. */
export function encode(
  items: {
    start: number;
    extent: number;
    row: number;
    count: number;
    name: number;
    depth: number;
    kind: number;
  }[],
  names: [number, string][] = [],
): ArrayBuffer {
  const pad = (bytes: number) => Math.ceil(bytes / 8) * 8;
  const n = items.length;
  const text = names.map(([id, name]) => [id, new TextEncoder().encode(name)] as const);
  const size =
    8 +
    24 +
    2 * pad(8 * n) +
    4 * pad(4 * n) +
    pad(2 * n) +
    2 * pad(n) +
    4 +
    text.reduce((s, [, b]) => s + 8 + b.length, 0);
  const view = new DataView(new ArrayBuffer(size));
  view.setUint32(0, 0x31545353, true);
  view.setUint32(4, 1, true);
  view.setUint32(8, 3, true);
  view.setUint32(12, 0, true);
  view.setInt32(16, 5, true);
  view.setUint32(20, n, true);
  view.setFloat64(24, 7, true);
  let at = 32;
  const column = (bytes: number, put: (at: number, item: (typeof items)[number]) => void) => {
    items.forEach((item, i) => {
      put(at + i * bytes, item);
    });
    at += pad(bytes * n);
  };
  column(8, (p, i) => view.setFloat64(p, i.start, true));
  column(8, (p, i) => view.setFloat64(p, i.extent, true));
  column(4, (p) => view.setFloat32(p, 0.5, true));
  column(4, (p, i) => view.setUint32(p, i.row, true));
  column(4, (p, i) => view.setUint32(p, i.count, true));
  column(4, (p, i) => view.setUint32(p, i.name, true));
  column(2, (p, i) => view.setUint16(p, i.depth, true));
  column(1, (p, i) => view.setUint8(p, i.kind));
  column(1, (p) => view.setUint8(p, 0));
  view.setUint32(at, text.length, true);
  at += 4;
  for (const [id, bytes] of text) {
    view.setUint32(at, id, true);
    view.setUint32(at + 4, bytes.length, true);
    new Uint8Array(view.buffer, at + 8).set(bytes);
    at += 8 + bytes.length;
  }
  return view.buffer as ArrayBuffer;
}

const item = (start: number, extent: number, depth: number, row = 0) => ({
  start,
  extent,
  depth,
  row,
  count: 1,
  name: 9,
  kind: 5,
});

describe('decodeTiles', () => {
  it('reads columns and names', () => {
    const buffer = encode([item(10, 5, 0, 1), item(20, 5, 0, 2), item(12, 2, 1, 3)], [[9, 'aten::mm <é>']]);
    const { tiles, names } = decodeTiles(buffer);
    expect(tiles).toHaveLength(1);
    expect(tiles[0]).toMatchObject({ line: 3, shift: 5, tile: 7 });
    const block = tiles[0].block as SpanBlock;
    expect(block.type).toBe(BlockType.Spans);
    expect([...block.start]).toEqual([10, 20, 12]);
    expect([...block.row]).toEqual([1, 2, 3]);
    expect([...block.first]).toEqual([0, 2, 3]);
    expect(names.get(9)).toBe('aten::mm <é>');
  });
  it('refuses other bytes', () => {
    expect(() => decodeTiles(new ArrayBuffer(4))).toThrow(RangeError);
    expect(() => decodeTiles(new ArrayBuffer(64))).toThrow(RangeError);
    expect(() => decodeTiles(encode([item(1, 1, 0)]).slice(0, 60))).toThrow(RangeError);
  });
});

describe('itemAt', () => {
  const block = decodeTiles(encode([item(10, 5, 0), item(20, 5, 0), item(12, 2, 1)])).tiles[0]
    .block as SpanBlock;
  it('finds what covers the time, else what is nearest within reach', () => {
    expect(itemAt(block, 0, 12, 0)).toBe(0);
    expect(itemAt(block, 0, 22, 0)).toBe(1);
    expect(itemAt(block, 0, 16, 0)).toBe(-1);
    expect(itemAt(block, 0, 16, 2)).toBe(0);
    expect(itemAt(block, 0, 19, 2)).toBe(1);
    expect(itemAt(block, 1, 13, 0)).toBe(2);
    expect(itemAt(block, 2, 13, 0)).toBe(-1);
  });
});

describe('tile grid', () => {
  it('asks for buckets of about a pixel', () => {
    expect(shiftFor(0.1)).toBe(0);
    expect(shiftFor(1024)).toBe(10);
    expect(shiftFor(1500)).toBe(11);
    expect(tileOf(0, 3)).toBe(0);
    expect(tileOf(8192, 3)).toBe(1);
  });
});
