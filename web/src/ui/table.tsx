import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { count } from '../format';
import { type Words, words } from '../i18n';
import { cellText, inUnit, type Unit } from './unit';

export interface Column<T> {
  key: string;
  title: string;
  /** What sorts, and what the CSV has in the unit of the heading. */
  value: (row: T) => string | number | boolean | null;
  /** What is shown, when it differs. */
  cell?: (row: T) => ComponentChildren;
  numeric?: boolean;
  /** Of a number: the heading names it. */
  unit?: Unit;
  width?: string;
  /** Draws a bar behind the number, relative to the largest of the column. */
  bar?: boolean;
}

interface Props<T> {
  id: string;
  columns: Column<T>[];
  rows: T[];
  sortBy?: string;
  /** Where a row comes from: its name becomes a link, a click anywhere on the row follows it. */
  link?: (row: T) => string | null;
  /** What a click or Enter does to a row that leads nowhere else. */
  onRow?: (row: T) => void;
  height?: number;
  filterable?: boolean;
  initialFilter?: string;
}

/** A heading with its unit. On the page, durations and sizes have units of their own in every cell. */
function heading<T>(column: Column<T>, w: Words, where: 'page' | 'csv'): string {
  if (!column.unit) return column.title;
  const inCells = column.unit === 'duration' || column.unit === 'bytes';
  return where === 'page' && inCells ? column.title : column.title + w.inUnit[column.unit];
}

export function toCsv<T>(columns: Column<T>[], rows: T[], w: Words = words()): string {
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
  const lines = [columns.map((column) => quote(heading(column, w, 'csv'))).join(',')];
  for (const row of rows) lines.push(columns.map((column) => quote(cell(column, row))).join(','));
  return `${lines.join('\n')}\n`;
}

export function sorted<T>(rows: T[], column: Column<T>, descending: boolean): T[] {
  const sign = descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const x = column.value(a);
    const y = column.value(b);
    if (x === y) return 0;
    if (x === null) return 1;
    if (y === null) return -1;
    return (x < y ? -1 : 1) * sign;
  });
}

const ROW = 26;

/** A link inside a row goes its own way, into another tab if so asked. */
const fromLink = (event: MouseEvent) => (event.target as HTMLElement).closest('a') !== null;

/** A sortable, filterable table of any length: only the visible rows are in the document. */
export function Table<T>(props: Props<T>) {
  const { columns, rows } = props;
  const [filter, setFilter] = useState(props.initialFilter ?? '');
  const first = columns.find((column) => column.key === props.sortBy);
  const [sort, setSort] = useState<{ key: string; descending: boolean } | null>(
    first ? { key: first.key, descending: true } : null,
  );
  const [copied, setCopied] = useState(false);
  const shown = useMemo(() => {
    const text = filter.toLowerCase();
    const kept = text
      ? rows.filter((row) => columns.some((column) => String(column.value(row)).toLowerCase().includes(text)))
      : rows;
    const column = columns.find((c) => c.key === sort?.key);
    return column && sort ? sorted(kept, column, sort.descending) : kept;
  }, [rows, filter, sort, columns]);
  const largest = useMemo(() => {
    const most: Record<string, number> = {};
    for (const column of columns) {
      if (column.bar) most[column.key] = rows.reduce((m, row) => Math.max(m, Number(column.value(row))), 0);
    }
    return most;
  }, [rows, columns]);
  const scroller = useRef<HTMLDivElement>(null);
  const { items, reach } = useVirtual(scroller, shown.length);
  // The Tab key stops once per table; the arrow keys move from row to row.
  const [at, setAt] = useState(0);
  const stop = items.some((item) => item.index === at) ? at : items[0]?.index;
  const wanted = useRef<number | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[aria-rowindex="${wanted.current + 2}"]`);
    if (!row) return; // scrolled to, but not drawn yet
    wanted.current = null;
    row.focus({ preventScroll: true });
  });
  const active = props.link !== undefined || props.onRow !== undefined;
  const w = words();
  const step = (to: number) => {
    const next = Math.max(0, Math.min(shown.length - 1, to));
    wanted.current = next;
    setAt(next);
    reach(next);
  };
  const follow = (row: T) => {
    const to = props.link?.(row);
    if (to) location.hash = to;
    else props.onRow?.(row);
  };
  const onKey = (event: KeyboardEvent, row: T, index: number) => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW) - 2);
    const moves: Record<string, number> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: index + page,
      PageUp: index - page,
      Home: 0,
      End: shown.length - 1,
    };
    if (event.key in moves) step(moves[event.key]);
    else if (event.key === 'Enter') follow(row);
    else return;
    event.preventDefault();
  };
  const copy = async () => {
    await navigator.clipboard.writeText(toCsv(columns, shown));
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  const template = columns
    .map((column) => column.width ?? (column.numeric ? '124px' : 'minmax(180px, 1fr)'))
    .join(' ');
  const total = shown.length * ROW;
  return (
    <div class="table" data-table={props.id}>
      {props.filterable !== false && (
        <div class="table-tools">
          <input
            type="search"
            placeholder={w.filter}
            aria-label={w.filter}
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
          <span class="muted">
            {shown.length === rows.length
              ? `${count(rows.length)} ${rows.length === 1 ? w.row : w.rows}`
              : `${count(shown.length)} ${w.of} ${count(rows.length)} ${w.rows}`}
          </span>
          <button type="button" onClick={copy}>
            {copied ? w.copied : w.copyCsv}
          </button>
        </div>
      )}
      <div
        class="table-scroll"
        ref={scroller}
        style={{ maxHeight: `${props.height ?? 560}px` }}
        role="table"
        aria-rowcount={shown.length + 1}
        tabIndex={0}
      >
        <div class="table-head" role="row" tabIndex={-1} style={{ gridTemplateColumns: template }}>
          {columns.map((column) => {
            const sorting = sort?.key === column.key;
            return (
              <div
                key={column.key}
                role="columnheader"
                tabIndex={-1}
                aria-sort={sorting ? (sort.descending ? 'descending' : 'ascending') : 'none'}
                class={column.numeric ? 'numeric' : ''}
              >
                <button
                  type="button"
                  onClick={() =>
                    setSort({
                      key: column.key,
                      descending: sorting ? !sort.descending : Boolean(column.numeric),
                    })
                  }
                >
                  {heading(column, w, 'page')}
                  {sorting ? (sort.descending ? ' ▾' : ' ▴') : ''}
                </button>
              </div>
            );
          })}
        </div>
        <div class="table-body" style={{ height: `${total}px` }}>
          {items.map((item) => {
            const row = shown[item.index];
            if (!row) return null;
            return (
              <div
                key={item.index}
                role="row"
                aria-rowindex={item.index + 2}
                class={`table-row${active ? ' clickable' : ''}`}
                style={{ transform: `translateY(${item.index * ROW}px)`, gridTemplateColumns: template }}
                tabIndex={active && item.index === stop ? 0 : -1}
                onFocus={() => setAt(item.index)}
                onClick={active ? (event) => !fromLink(event) && follow(row) : undefined}
                onKeyDown={active ? (event) => onKey(event, row, item.index) : undefined}
              >
                {columns.map((column, place) => {
                  const value = column.value(row);
                  const to = place === 0 ? props.link?.(row) : null;
                  const plain =
                    value === null
                      ? '–'
                      : column.numeric && typeof value === 'number'
                        ? cellText(value, column.unit)
                        : String(value);
                  const text = column.cell ? column.cell(row) : plain;
                  const share = column.bar && largest[column.key] ? Number(value) / largest[column.key] : 0;
                  return (
                    <div
                      key={column.key}
                      role="cell"
                      tabIndex={-1}
                      class={column.numeric ? 'numeric' : ''}
                      title={typeof value === 'string' ? value : undefined}
                      data-value={column.numeric ? String(value) : undefined}
                    >
                      {column.bar && <span class="bar" style={{ width: `${100 * share}%` }} />}
                      {to ? (
                        <a class="text" href={to} tabIndex={-1}>
                          {text}
                        </a>
                      ) : (
                        <span class="text">{text}</span>
                      )}
                    </div>
                  );
                })}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function useVirtual(
  scroller: { current: HTMLDivElement | null },
  length: number,
): { items: VirtualItem[]; reach: (index: number) => void } {
  const [, redraw] = useState(0);
  const virtualizer = useRef<Virtualizer<HTMLDivElement, Element> | null>(null);
  const options = {
    count: length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw((n) => n + 1),
  };
  if (!virtualizer.current) virtualizer.current = new Virtualizer(options);
  virtualizer.current.setOptions(options);
  useEffect(() => virtualizer.current!._didMount(), []);
  useEffect(() => virtualizer.current!._willUpdate());
  const reach = (index: number) => virtualizer.current!.scrollToIndex(index);
  return { items: virtualizer.current.getVirtualItems(), reach };
}
