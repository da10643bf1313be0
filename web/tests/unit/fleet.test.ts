import { describe, expect, it } from 'vitest';
import { type FleetData, linkTo, rowsOf, trendOf } from '../../src/fleet/fleet_data';

const fleet = {
  days: ['2026-11-01', '2026-11-02', '2026-11-04'],
  trends: { a: [1, [1000, 1100]], b: [0, [5, null, 7]] },
  changes: {
    job_id: ['a'],
    verdict: ['slower'],
    delta_rel: [0.1],
    before_ns: [1e6],
    after_ns: [1.1e6],
    since_run: ['r7'],
    since_day: ['2026-11-04'],
    q: [0.01],
  },
} as unknown as FleetData['fleet'];

describe('the fleet', () => {
  it('has rows of columns', () => {
    expect(rowsOf<{ a: number; b: string }>({ a: [1, 2], b: ['x', 'y'] })).toEqual([
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ]);
    expect(rowsOf({})).toEqual([]);
  });
  it('draws the trend of a job and where it changed', () => {
    expect(trendOf(fleet, 'a')).toEqual({ days: [1, 2], steps: [1e6, 1.1e6], changes: [null, 1.1e6] });
    expect(trendOf(fleet, 'b')).toEqual({ days: [0, 2], steps: [5000, 7000], changes: [null, null] });
    expect(trendOf(fleet, 'none').days).toEqual([]);
  });
  it('follows only addresses that open profiles', () => {
    expect(linkTo('https://p.example/{path}', 'a b/c.json')).toBe('https://p.example/a%20b/c.json');
    expect(linkTo('{path}', 'javascript:alert(1)')).toBeNull();
    expect(linkTo(null, 'a')).toBeNull();
  });
});
