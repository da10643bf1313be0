import { GROUPINGS, type Grouping, type LineChoices, type Row } from './layout';
import type { Window } from './paint';

/** A marked stretch with what was noted about it. */
export interface Mark extends Window {
  note: string;
}

const list = (text: string | null): string[] => (text ? text.split('~') : []);

/** What the user did to the lines, as the address holds it. */
export function readChoices(params: URLSearchParams): LineChoices {
  return {
    pinned: new Set(list(params.get('pin'))),
    folded: new Set(list(params.get('fold'))),
    unfolded: new Set(list(params.get('open'))),
    hidden: new Set(list(params.get('hide'))),
    order: list(params.get('order')),
    grouping: GROUPINGS.find((one) => one === params.get('group')) ?? ('process' satisfies Grouping),
  };
}

export function writeChoices(choices: LineChoices): Record<string, string | null> {
  const join = (keys: Iterable<string>) => [...keys].join('~') || null;
  return {
    pin: join(choices.pinned),
    fold: join(choices.folded),
    open: join(choices.unfolded),
    hide: join(choices.hidden),
    order: join(choices.order),
    group: choices.grouping === 'process' ? null : choices.grouping,
  };
}

export function flip(set: Set<string>, key: string): void {
  if (!set.delete(key)) set.add(key);
}

/** A click on a fold mark: a line too deep to show whole opens first, then folds. */
export function fold(choices: LineChoices, row: Row): void {
  const { folded, unfolded } = choices;
  if (row.folded) {
    folded.delete(row.key);
    unfolded.add(row.key);
  } else if (row.kind === 'group') {
    unfolded.delete(row.key);
    folded.add(row.key);
  } else if (row.info && row.info.depths > row.depths && !unfolded.has(row.key)) unfolded.add(row.key);
  else {
    unfolded.delete(row.key);
    folded.add(row.key);
  }
}

/** Changes places with the line before or after; false where there is none. */
export function move(choices: LineChoices, rows: Row[], row: Row, by: -1 | 1): boolean {
  const keys = rows.filter((r) => r.kind === 'line' && !r.pinned).map((r) => r.key);
  const at = keys.indexOf(row.key);
  if (at < 0 || at + by < 0 || at + by >= keys.length) return false;
  [keys[at], keys[at + by]] = [keys[at + by], keys[at]];
  choices.order = keys;
  return true;
}

/** Marked stretches as they stand in the address: "from-to~from-to!note". */
export function readMarks(params: URLSearchParams): Mark[] {
  return list(params.get('marks')).flatMap((text) => {
    const [, from, to, note] = text.match(/^(-?\d+)-(-?\d+)(?:!(.*))?$/s) ?? [];
    if (from === undefined) return [];
    return [{ from: Number(from), to: Number(to), note: (note ?? '').replaceAll('\u223c', '~') }];
  });
}

export function writeMarks(marks: Mark[]): string | null {
  const text = ({ from, to, note }: Mark) =>
    `${Math.round(from)}-${Math.round(to)}${note ? `!${note.replaceAll('~', '\u223c')}` : ''}`;
  return marks.map(text).join('~') || null;
}
