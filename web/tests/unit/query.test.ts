import { describe, expect, it } from 'vitest';
import { completions, placeOfSlice, sliceColumn, usualHeight } from '../../src/pages/query';

describe('the Query page', () => {
  it('a row number of SQL is a row of one trace', () => {
    expect(placeOfSlice(0, [3, 2])).toEqual({ trace: 0, row: 0 });
    expect(placeOfSlice(4, [3, 2])).toEqual({ trace: 1, row: 1 });
    expect(placeOfSlice(5, [3, 2])).toBeNull();
    expect(placeOfSlice(-1, [3, 2])).toBeNull();
  });

  it('the column that leads to a slice', () => {
    expect(sliceColumn(['name', 'slice_id'])).toBe(1);
    expect(sliceColumn(['op_slice_id', 'name'])).toBe(0);
    expect(sliceColumn(['id', 'ts', 'dur'])).toBe(0);
    expect(sliceColumn(['id', 'name'])).toBe(-1);
  });

  it('draws a length of time unless told otherwise', () => {
    expect(usualHeight(['slice_id', 'ts', 'dur', 'name', 'device', 'tensor_core'], [0, 1, 2, 4, 5])).toBe(2);
    expect(usualHeight(['name', 'calls'], [1])).toBe(1);
    expect(usualHeight(['id'], [0])).toBe(0);
    expect(usualHeight(['name'], [])).toBe(-1);
  });

  it('completes the word at the cursor, columns of named tables first', () => {
    const schema = {
      tables: [
        { name: 'slice', meaning: '', columns: ['id', 'dur'] },
        { name: 'step', meaning: '', columns: ['duration_of_it'] },
      ],
      views: [],
      functions: [{ call: 'median(x)', meaning: '' }],
      library: [],
    };
    const text = 'SELECT du FROM slice';
    expect(completions(text, 9, schema)).toEqual({ from: 7, words: ['dur', 'duration_of_it'] });
    expect(completions('SELECT med', 10, schema).words).toEqual(['median']);
    expect(completions('SELECT ', 7, schema).words).toEqual([]);
  });
});
