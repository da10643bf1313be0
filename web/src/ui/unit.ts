import { bytes, count, duration, milliseconds } from '../format';

/** The unit of a numeric column. Values are in ns, bytes or percent; the heading and the CSV name the unit they show. */
export type Unit = 'ms' | 'us' | 'percent' | 'bytes' | 'duration';

const divisor: Record<Unit, number> = { ms: 1e6, us: 1e3, percent: 1, bytes: 1, duration: 1 };

/** The number that goes under a heading with this unit. */
export const inUnit = (value: number, unit: Unit): number => value / divisor[unit];

/** A number as a cell shows it. */
export function cellText(value: number, unit?: Unit): string {
  switch (unit) {
    case 'ms':
      return milliseconds(value);
    case 'us':
      return milliseconds(value * 1e3, 1);
    case 'percent':
      return value.toFixed(1);
    case 'bytes':
      return bytes(value);
    case 'duration':
      return duration(value);
    case undefined:
      return count(value);
  }
}
