import { describe, expect, it } from 'vitest';
import { en } from '../../src/i18n/en';
import { partsOfRank } from '../../src/pages/ranks';
import { type ReportsAnswer, withRanks } from '../../src/reports_answer';

describe('the Ranks page', () => {
  it('gives the first report what all ranks say together', () => {
    const answer = { reports: [{ schema: 'a' }, { schema: 'b' }], ranks: { name: 'job' } };
    const [first, second] = withRanks(answer as unknown as ReportsAnswer);
    expect(first.ranks?.name).toBe('job');
    expect(second.ranks).toBeUndefined();
    const one = { schema: 'stepscope.report/1' } as ReportsAnswer;
    expect(withRanks(one)).toEqual([one]);
  });
  it('draws parts that add up to the mean step', () => {
    const row = {
      rank: 2,
      path: 'rank2.json',
      steps: 8,
      step_ns: 72,
      own_ns: 38,
      compute_ns: 2,
      exposed_transfer_ns: 34,
      exposed_wait_ns: 0,
      copy_ns: 1,
      input_ns: 30,
      idle_ns: 5,
      wait_ns: 0,
      last: 16,
      first: 0,
      z: null,
    };
    const parts = partsOfRank(row, en);
    expect(parts.reduce((sum, part) => sum + part.ns, 0)).toBe(72);
    expect(new Set(parts.map((part) => `${part.color}${part.hatched}`)).size).toBe(parts.length);
  });
});
