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
import { fill, type Words, words } from '../i18n';
import { note, route } from '../route';
import { clicked, csvOf, filtered, readState, sortedBy, type TableState, writeState } from './table_model';
import { cellText, type Unit } from './unit';

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
  /** Where several chosen rows lead. */
  timeline?: (rows: T[]) => string | null;
}

/** A heading with its unit. On the page, durations and sizes have units of their own in every cell. */
function heading<T>(column: Column<T>, w: Words, where: 'page' | 'csv'): string {
  if (!column.unit) return column.title;
  const inCells = column.unit === 'duration' || column.unit === 'bytes';
  return where === 'page' && inCells ? column.title : column.title + w.inUnit[column.unit];
}

export function toCsv<T>(columns: Column<T>[], rows: T[], w: Words = words()): string {
  return csvOf(columns, rows, (column) => heading(column, w, 'csv'));
}

const ROW = 26;

/** A link inside a row goes its own way, into another tab if so asked. */
const fromLink = (event: MouseEvent) => (event.target as HTMLElement).closest('a') !== null;

const NARROWEST = 40;

/**
 * A table of any length: only the visible rows are in the document. Columns sort (Shift-click adds one), resize and hide;
 * the filter finds what is shown; all of it stands in the address.
 */
export function Table<T>(props: Props<T>) {
  const { rows } = props;
  const usual = useMemo(
    () =>
      props.columns.some((column) => column.key === props.sortBy)
        ? [{ key: props.sortBy!, descending: true }]
        : [],
    [props.sortBy],
  );
  const param = `t-${props.id}`;
  const [state, setState] = useState(() =>
    readState(props.filterable === false ? null : route.value.params.get(param), usual),
  );
  const change = (part: Partial<TableState>) => {
    const next = { ...state, ...part };
    setState(next);
    if (props.filterable !== false) note({ [param]: writeState(next, usual) });
  };
  const { sorts, filter } = state;
  const columns = props.columns.filter((column) => !state.hidden.includes(column.key));
  const [copied, setCopied] = useState(false);
  const [chosen, setChosen] = useState<Set<T>>(new Set());
  const shown = useMemo(
    () => sortedBy(filtered(rows, columns, filter), props.columns, sorts),
    [rows, filter, sorts, props.columns, state.hidden],
  );
  const largest = useMemo(() => {
    const most: Record<string, number> = {};
    for (const column of columns) {
      if (column.bar) most[column.key] = rows.reduce((m, row) => Math.max(m, Number(column.value(row))), 0);
    }
    return most;
  }, [rows, props.columns]);
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
  const active = props.link !== undefined || props.onRow !== undefined || props.timeline !== undefined;
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
    else if (event.key === ' ' && props.timeline) choose(row);
    else return;
    event.preventDefault();
  };
  const copy = async () => {
    await navigator.clipboard.writeText(toCsv(columns, shown));
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  const choose = (row: T) => {
    const next = new Set(chosen);
    if (!next.delete(row)) next.add(row);
    setChosen(next);
  };
  const template = columns
    .map((column) => {
      const width = state.widths[column.key];
      return width ? `${width}px` : (column.width ?? (column.numeric ? '124px' : 'minmax(180px, 1fr)'));
    })
    .join(' ');
  const picked = shown.filter((row) => chosen.has(row));
  const toTimeline = picked.length > 0 ? props.timeline?.(picked) : null;
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
            onInput={(event) => change({ filter: event.currentTarget.value })}
          />
          <span class="muted">
            {shown.length === rows.length
              ? `${count(rows.length)} ${rows.length === 1 ? w.row : w.rows}`
              : `${count(shown.length)} ${w.of} ${count(rows.length)} ${w.rows}`}
          </span>
          <button type="button" onClick={copy}>
            {copied ? w.copied : w.copyCsv}
          </button>
          <button type="button" onClick={() => download(`${props.id}.csv`, toCsv(columns, shown))}>
            {w.downloadCsv}
          </button>
          <ColumnMenu
            columns={props.columns}
            hidden={state.hidden}
            onHidden={(hidden) => change({ hidden })}
            onReset={() => change({ hidden: [], widths: {}, sorts: usual, filter: '' })}
          />
          {toTimeline && (
            <a class="button" href={toTimeline}>
              {fill(w.chosenInTimeline, count(picked.length))}
            </a>
          )}
          {props.timeline && chosen.size === 0 && <span class="muted hint">{w.chooseRows}</span>}
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
            const place = sorts.findIndex((sort) => sort.key === column.key);
            const sorting = place >= 0 ? sorts[place] : null;
            return (
              <div
                key={column.key}
                role="columnheader"
                tabIndex={-1}
                aria-sort={sorting ? (sorting.descending ? 'descending' : 'ascending') : 'none'}
                class={column.numeric ? 'numeric' : ''}
              >
                <button
                  type="button"
                  title={w.sortHelp}
                  onClick={(event) =>
                    change({
                      sorts: clicked(sorts, column.key, Boolean(column.numeric), event.shiftKey),
                    })
                  }
                >
                  {heading(column, w, 'page')}
                  {sorting ? (sorting.descending ? ' ▾' : ' ▴') : ''}
                  {sorting && sorts.length > 1 && <sup>{place + 1}</sup>}
                </button>
                <Grip
                  onDrag={(width) =>
                    change({ widths: { ...state.widths, [column.key]: Math.max(NARROWEST, width) } })
                  }
                  onUsual={() => {
                    const { [column.key]: _, ...widths } = state.widths;
                    change({ widths });
                  }}
                />
              </div>
            );
          })}
        </div>
        {shown.length === 0 && (
          <p class="table-empty muted">{rows.length === 0 ? w.noRows : w.noRowMatches}</p>
        )}
        <div class="table-body" style={{ height: `${total}px` }}>
          {items.map((item) => {
            const row = shown[item.index];
            if (!row) return null;
            return (
              <div
                key={item.index}
                role="row"
                aria-rowindex={item.index + 2}
                class={`table-row${active ? ' clickable' : ''}${chosen.has(row) ? ' chosen' : ''}`}
                aria-selected={props.timeline ? chosen.has(row) : undefined}
                style={{ transform: `translateY(${item.index * ROW}px)`, gridTemplateColumns: template }}
                tabIndex={active && item.index === stop ? 0 : -1}
                onFocus={() => setAt(item.index)}
                onClick={
                  active
                    ? (event) => {
                        if (props.timeline && (event.ctrlKey || event.metaKey)) {
                          event.preventDefault();
                          choose(row);
                        } else if (!fromLink(event)) follow(row);
                      }
                    : undefined
                }
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

/** Drags the right border of a column; a double click gives it its usual width again. */
function Grip({ onDrag, onUsual }: { onDrag: (width: number) => void; onUsual: () => void }) {
  const began = useRef<{ x: number; width: number } | null>(null);
  return (
    <span
      class="grip"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        began.current = { x: event.clientX, width: event.currentTarget.parentElement!.offsetWidth };
      }}
      onPointerMove={(event) => {
        const from = began.current;
        if (from) onDrag(Math.round(from.width + event.clientX - from.x));
      }}
      onPointerUp={() => {
        began.current = null;
      }}
      onDblClick={onUsual}
    />
  );
}

function ColumnMenu<T>({
  columns,
  hidden,
  onHidden,
  onReset,
}: {
  columns: Column<T>[];
  hidden: string[];
  onHidden: (hidden: string[]) => void;
  onReset: () => void;
}) {
  const w = words();
  return (
    <details class="columns-menu">
      <summary>
        {w.columns}
        {hidden.length > 0 && ` (−${hidden.length})`}
      </summary>
      <div>
        {columns.map((column, place) => (
          <label key={column.key}>
            <input
              type="checkbox"
              checked={!hidden.includes(column.key)}
              disabled={place === 0}
              onChange={(event) =>
                onHidden(
                  event.currentTarget.checked
                    ? hidden.filter((key) => key !== column.key)
                    : [...hidden, column.key],
                )
              }
            />{' '}
            {column.title}
          </label>
        ))}
        <button type="button" onClick={onReset}>
          {w.reset}
        </button>
      </div>
    </details>
  );
}

function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
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
