import { describe, expect, it } from 'vitest';
import { fitting } from '../../src/http_source';
import { callsOf, callsOfAll, formatRoute, parseRoute } from '../../src/route';
import { readMarks, writeMarks } from '../../src/timeline/choices';
import { placeOf } from '../../src/timeline/search';

describe('address', () => {
  it('holds the view', () => {
    const text = '#/2/timeline?from=10&to=20&row=5';
    expect(formatRoute(parseRoute(text))).toBe(text);
    expect(parseRoute('').profile).toBeNull();
    expect(parseRoute('#/0').page).toBe('overview');
  });
});

describe('questions', () => {
  it('fit into an address', () => {
    expect(fitting('aten::mm')).toBe('aten::mm');
    const long = '<cutlass::Kernel, '.repeat(1000);
    const fits = fitting(long);
    expect(long.startsWith(fits)).toBe(true);
    expect(encodeURIComponent(fits).length).toBeLessThanOrEqual(6000);
    expect(encodeURIComponent(fits).length).toBeGreaterThan(5000);
    expect(() => encodeURIComponent(fitting('😀'.repeat(900)))).not.toThrow();
  });
  it('count hits over all traces', () => {
    expect(placeOf([3, 0, 5], 2)).toEqual({ trace: 0, index: 2 });
    expect(placeOf([3, 0, 5], 3)).toEqual({ trace: 2, index: 0 });
    expect(placeOf([3, 0, 5], 7)).toEqual({ trace: 2, index: 4 });
  });
});

describe('marks', () => {
  it('stand in the address', () => {
    const marks = [
      { from: 1, to: 20, note: '' },
      { from: -5, to: 7, note: 'here ~ the gap! 等待' },
    ];
    expect(readMarks(new URLSearchParams({ marks: writeMarks(marks)! }))).toEqual(marks);
    expect(readMarks(new URLSearchParams({ marks: '1-20' }))).toEqual([marks[0]]);
    expect(readMarks(new URLSearchParams({ marks: '<b>~1-x' }))).toEqual([]);
    expect(writeMarks([])).toBeNull();
  });
});

describe('links to the timeline', () => {
  it('calls of a name, and of nothing that only contains it', () => {
    const matches = (name: string, other: string) => new RegExp(callsOf(name).q).test(other);
    for (const name of ['aten::add', 'void f<(int)4, a*>(x[2], $y|z) + 1.5?', 'back\\slash ^ {3}']) {
      expect(matches(name, name)).toBe(true);
      expect(matches(name, `${name}_`)).toBe(false);
      expect(matches(name, `x${name}`)).toBe(false);
    }
    expect(matches('k'.repeat(5000), 'k'.repeat(5000))).toBe(true);
    expect(callsOf('k'.repeat(5000)).q.length).toBeLessThan(2000);
    const steps = new RegExp(callsOf('ProfilerStep', 'step').q);
    expect(['ProfilerStep#3', 'ProfilerStep', 'ProfilerSteps'].map((n) => steps.test(n))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('chosen rows', () => {
  it('lead to the calls of all their names, and no others', () => {
    const { q, re } = callsOfAll(['aten::mm', 'f<int>(a)']);
    expect(re).toBe('1');
    const expression = new RegExp(q);
    expect(['aten::mm', 'f<int>(a)', 'aten::mms'].map((name) => expression.test(name))).toEqual([
      true,
      true,
      false,
    ]);
    expect(callsOfAll(['one'])).toEqual(callsOf('one'));
  });
});
