import { describe, expect, it } from 'vitest';
import { feeds } from '../../src/pages/input_graph';

describe('the graph of input stages', () => {
  it('connect input stages along their paths', () => {
    const stages = ['root', 'root/batch', 'root/batch/map', 'root/batch/map/read', 'other'].map((path) => ({
      path,
    }));
    expect(feeds(stages)).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
    ]);
  });
});
