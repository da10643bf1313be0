import { expect, it } from 'vitest';
import { TileCache } from '../../src/timeline/tile_cache';

/** An answer with empty tiles for everything that is asked. */
function empty(lines: number[], shift: number, first: number, last: number): ArrayBuffer {
  const tiles = lines.length * (last - first + 1);
  const view = new DataView(new ArrayBuffer(8 + tiles * 24 + 4));
  view.setUint32(0, 0x31545353, true);
  view.setUint32(4, tiles, true);
  let at = 8;
  for (const line of lines) {
    for (let tile = first; tile <= last; ++tile) {
      view.setUint32(at, line, true);
      view.setInt32(at + 8, shift, true);
      view.setFloat64(at + 16, tile, true);
      at += 24;
    }
  }
  return view.buffer as ArrayBuffer;
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

it('asks once for what is visible, then for its neighbours, then for nothing', async () => {
  const asked: string[] = [];
  const cache = new TileCache(
    {
      tiles: async (lines, shift, first, last) => {
        asked.push(`${lines}/${shift}/${first}-${last}`);
        return empty(lines, shift, first, last);
      },
    },
    () => {},
  );
  cache.want([0, 1], 4096 * 10, 4096 * 12 - 1, 4);
  await settled();
  expect(asked[0]).toBe('0,1/2/10-11');
  expect(asked).toHaveLength(2);
  expect(asked[1]).toBe('0,1/2/9-12');
  cache.want([0, 1], 4096 * 10, 4096 * 12 - 1, 4);
  await settled();
  expect(asked).toHaveLength(2);
  expect(cache.blocks(0, 4096 * 10, 4096 * 11, 4)).toHaveLength(2);
});

it('draws another resolution while the wanted one is on its way', async () => {
  const cache = new TileCache({ tiles: async (...ask) => empty(...ask) }, () => {});
  cache.want([0], 0, 4095, 4);
  await settled();
  expect(cache.blocks(0, 0, 1000, 8).length).toBeGreaterThan(0);
});

it('stops asking after a failure until the view moves', async () => {
  let asked = 0;
  let told = 0;
  const cache = new TileCache(
    {
      tiles: () => {
        ++asked;
        return Promise.reject(new Error('gone'));
      },
    },
    () => {},
    1 << 20,
    () => ++told,
  );
  cache.want([0], 0, 4095, 4);
  await settled();
  expect([asked, told]).toEqual([1, 1]);
});
