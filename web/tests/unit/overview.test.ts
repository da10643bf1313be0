import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../src/api';
import { evidenceLink, traceOf } from '../../src/pages/findings';
import { moodOf } from '../../src/pages/overview';
import { binsOf } from '../../src/ui/histogram';

describe('the Overview page', () => {
  it('judge verdict and findings as one', () => {
    const of = (bound: string, ...severities: string[]) =>
      moodOf({
        verdict: { bound_by: bound, sentence: '' },
        findings: severities.map((severity) => ({ severity })),
      } as never);
    expect(of('compute')).toBe('good');
    expect(of('compute', 'low')).toBe('good');
    expect(of('compute', 'high')).toBe('bad');
    expect(of('input')).toBe('fair');
  });
  it('count every value once', () => {
    const bins = binsOf([1, 2, 2, 3, 10], 40);
    expect(bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(5);
    expect(bins[0].from).toBe(1);
    expect(bins.at(-1)!.to).toBe(10);
    expect(binsOf([4, 4], 40)).toEqual([{ from: 4, to: 4, count: 2 }]);
    expect(binsOf([], 40)).toEqual([]);
  });
  it('evidence shows its stretch and picks its event, on the trace of its rank', () => {
    const evidence: Evidence = { device: 'gpu:0', step: 4, start_ns: 10_000, ns: 2000, events: [77, 78] };
    const params = (of: Evidence, trace: number) =>
      Object.fromEntries(new URLSearchParams(evidenceLink(of, 2, trace).split('?')[1]));
    expect(evidenceLink(evidence, 2, 0)).toMatch(/^#\/2\/timeline\?/);
    expect(params(evidence, 0)).toEqual({ from: '9500', to: '12500', event: '77' });
    expect(params({ ...evidence, events: [] }, 0)).toEqual({
      from: '9500',
      to: '12500',
      a: '10000',
      b: '12000',
    });
    expect(params(evidence, 3)).toMatchObject({ trace: '3', of: '3' });
    expect(traceOf({ ...evidence, rank: 7 }, 0, [4, 5, 7])).toBe(2);
    expect(traceOf({ ...evidence, rank: 9 }, 1, [4, 5, 7])).toBe(1);
    expect(traceOf(evidence, 1, [null, null])).toBe(1);
  });
});
