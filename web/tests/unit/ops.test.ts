import { describe, expect, it } from 'vitest';
import type { Flame } from '../../src/api';
import { flameBoxes } from '../../src/ui/flame';
import { hotPath, treeRows } from '../../src/ui/tree';

describe('flame graph and tree', () => {
  it('lays flames out by time', () => {
    const flame: Flame = {
      names: ['', 'a', 'b', 'c'],
      name: [0, 1, 2, 3],
      parent: [-1, 0, 0, 1],
      value: [100, 60, 40, 30],
      calls: [0, 1, 1, 1],
      kind: ['other', 'framework_op', 'framework_op', 'framework_op'],
      left_out: 0,
    };
    const boxes = flameBoxes(flame, 0, 0.001);
    expect(boxes.map((b) => [b.node, b.depth, b.from, b.to])).toEqual([
      [0, 0, 0, 1],
      [1, 1, 0, 0.6],
      [3, 2, 0, 0.3],
      [2, 1, 0.6, 1],
    ]);
    expect(flameBoxes(flame, 1, 0.001)[1].to).toBeCloseTo(0.5);
    expect(treeRows(flame, new Set()).map((r) => [r.name, r.depth, r.self])).toEqual([
      ['a', 0, 30],
      ['b', 0, 40],
    ]);
    expect(treeRows(flame, hotPath(flame)).map((r) => r.name)).toEqual(['a', 'c', 'b']);
  });
});
