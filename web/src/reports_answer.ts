import type { Ranks, Report } from './api';

/** What `report --json` prints: one report, or several with what they say together. */
export type ReportsAnswer = Report & { reports?: Report[]; ranks?: Ranks };

/** The reports; the first of several has what is known of all. */
export function withRanks(answer: ReportsAnswer): Report[] {
  const { reports, ranks } = answer;
  if (!reports) return [answer];
  return reports.map((report, index) => (index === 0 && ranks ? { ...report, ranks } : report));
}
