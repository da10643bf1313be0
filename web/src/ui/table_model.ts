import type { Column } from './table';
import { cellText, inUnit } from './unit';

// What a table does to its rows, without any of its looks. TanStack table-core was weighed for this: it brings 15 KB to the
// page and still leaves resizing, the menu of columns, the address and the virtual rows to be written here.

export interface Sort {
  key: string;
  descending: boolean;
}

/** What a person did to a table; kept in the address. */
export interface TableState {
  sorts: Sort[];
  hidden: string[];
  widths: Record<string, number>;
  filter: string;
}

/** As it stands in the address: "s=-total_ns,calls&h=min_ns&w=name:300&f=text". */
export function readState(text: string | null, usual: Sort[]): TableState {
  const params = new URLSearchParams(text ?? '');
  const list = (key: string) => (params.get(key) ?? '').split(',').filter(Boolean);
  const sorts = list('s').map((part) => ({ key: part.replace(/^-/, ''), descending: part.startsWith('-') }));
  const widths: Record<string, number> = {};
  for (const part of list('w')) {
    const [key, width] = part.split(':');
    if (Number(width) > 0) widths[key] = Number(width);
  }
  return { sorts: params.has('s') ? sorts : usual, hidden: list('h'), widths, filter: params.get('f') ?? '' };
}

export function writeState(state: TableState, usual: Sort[]): string | null {
  const params = new URLSearchParams();
  const sorts = state.sorts.map(({ key, descending }) => (descending ? `-${key}` : key)).join(',');
  const asUsual = usual.map(({ key, descending }) => (descending ? `-${key}` : key)).join(',');
  if (sorts !== asUsual) params.set('s', sorts);
  if (state.hidden.length > 0) params.set('h', state.hidden.join(','));
  const widths = Object.entries(state.widths).map(([key, width]) => `${key}:${width}`);
  if (widths.length > 0) params.set('w', widths.join(','));
  if (state.filter) params.set('f', state.filter);
  return params.toString() || null;
}

/** The text that a cell shows: what a filter is compared with. */
export function shownText<T>(column: Column<T>, row: T): string {
  const made = column.cell?.(row);
  if (typeof made === 'string') return made;
  const value = column.value(row);
  if (value === null) return '–';
  return column.numeric && typeof value === 'number' ? cellText(value, column.unit) : String(value);
}

/** Rows of which some visible column shows the text; names are found by their full spelling, too. */
export function filtered<T>(rows: T[], columns: Column<T>[], filter: string): T[] {
  const wanted = filter.trim().toLowerCase();
  if (!wanted) return rows;
  return rows.filter((row) =>
    columns.some((column) => {
      if (shownText(column, row).toLowerCase().includes(wanted)) return true;
      const value = column.value(row);
      return !column.numeric && typeof value === 'string' && value.toLowerCase().includes(wanted);
    }),
  );
}

function compared<T>(column: Column<T>, descending: boolean, a: T, b: T): number {
  const x = column.value(a);
  const y = column.value(b);
  if (x === y) return 0;
  if (x === null) return 1; // unknowns last, whichever way
  if (y === null) return -1;
  return (x < y ? -1 : 1) * (descending ? -1 : 1);
}

/** By the first column that tells two rows apart. */
export function sortedBy<T>(rows: T[], columns: Column<T>[], sorts: Sort[]): T[] {
  const by = sorts.flatMap(({ key, descending }) => {
    const column = columns.find((c) => c.key === key);
    return column ? [{ column, descending }] : [];
  });
  if (by.length === 0) return rows;
  return rows.toSorted((a, b) => {
    for (const { column, descending } of by) {
      const order = compared(column, descending, a, b);
      if (order !== 0) return order;
    }
    return 0;
  });
}

/** A click on a heading: sorts by it, or turns it round; with `add`, after those that sort already. */
export function clicked(sorts: Sort[], key: string, numeric: boolean, add: boolean): Sort[] {
  const at = sorts.findIndex((sort) => sort.key === key);
  const turned = at < 0 ? { key, descending: numeric } : { key, descending: !sorts[at].descending };
  if (!add) return [turned];
  return at < 0 ? [...sorts, turned] : sorts.with(at, turned);
}

export function csvOf<T>(columns: Column<T>[], rows: T[], heading: (column: Column<T>) => string): string {
  const quote = (value: unknown) => {
    let text = value === null || value === undefined ? '' : String(value);
    // A cell that a spreadsheet would run as a formula is made text.
    if (typeof value === 'string' && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const cell = (column: Column<T>, row: T) => {
    const value = column.value(row);
    return column.unit && typeof value === 'number' ? inUnit(value, column.unit) : value;
  };
  const lines = [columns.map((column) => quote(heading(column))).join(',')];
  for (const row of rows) lines.push(columns.map((column) => quote(cell(column, row))).join(','));
  return `${lines.join('\n')}\n`;
}
