import type { Window } from './paint';

const UNITS: Record<string, number> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  min: 60e9,
};

/** Nanoseconds of "1.25 s", "350ms", "12 us"; a bare number is milliseconds. Null for anything else. */
export function parseTime(text: string): number | null {
  const [, number, unit] =
    text
      .trim()
      .toLowerCase()
      .match(/^(-?\d+(?:[.,]\d+)?)\s*([a-zµμ]*)$/) ?? [];
  if (number === undefined) return null;
  const scale = unit === '' ? 1e6 : UNITS[unit];
  return scale === undefined ? null : Number(number.replace(',', '.')) * scale;
}

interface NamedStep extends Window {
  name: string;
  number: number;
}

/**
 * Where a text leads: "step 4" or "#4" to that step with a little room, "1.2s-1.4s" to a stretch, a time to the same
 * width around it. Null when it says neither.
 */
export function jumpTo(text: string, now: Window, steps: NamedStep[]): Window | null {
  const step = text.trim().match(/^(?:step|第|步)?\s*#?\s*(\d+)\s*步?$/i);
  const asStep = step && /[a-z#第步]/i.test(text) ? steps.find((s) => s.number === Number(step[1])) : null;
  const named = asStep ?? steps.find((s) => s.name.toLowerCase() === text.trim().toLowerCase());
  if (named) {
    const room = (named.to - named.from) * 0.02;
    return { from: named.from - room, to: named.to + room };
  }
  const ends = text.split(/\s*(?:–|\.\.|-(?=\s*\d))\s*/).map(parseTime);
  if (ends.length === 2 && ends[0] !== null && ends[1] !== null && ends[1] > ends[0]) {
    return { from: ends[0], to: ends[1] };
  }
  const time = parseTime(text);
  if (time === null) return null;
  const half = (now.to - now.from) / 2;
  return { from: time - half, to: time + half };
}
