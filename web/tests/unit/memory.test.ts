import { describe, expect, it } from 'vitest';
import { aligned } from '../../src/ui/memory_curve';

describe('the curve of memory', () => {
  it('gives curves one axis', () => {
    expect(
      aligned([
        { time: [1, 3], value: [10, 30] },
        { time: [2], value: [5] },
      ]),
    ).toEqual([
      [1, 2, 3],
      [10, 10, 30],
      [null, 5, 5],
    ]);
  });
});
