import { useEffect, useRef, useState } from 'preact/hooks';
import { words } from '../i18n';
import { HEADER, type Row } from './layout';
import type { TimelineView } from './view';

/** Pixels that the name of a line needs. */
const NAME = 20;

interface Props {
  view: TimelineView;
  onFold: (row: Row) => void;
  onPin: (row: Row) => void;
  onMove: (row: Row, by: -1 | 1) => void;
  onHide: (row: Row) => void;
}

const keyOf = (row: Row) => row.key + (row.pinned ? 'p' : '');

/**
 * Names of the lines in sight, with what can be done to each. The Tab key stops once; the arrow keys go from line to line
 * and along the buttons of one.
 */
export function Gutter(props: Props) {
  const { view } = props;
  const w = words();
  const rows = view.rows.value;
  view.scroll.value; // redraws
  view.shownHeight.value;
  const { pinned, scrolled } = view.inSight();
  const host = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState('');
  const wanted = useRef<string | null>(null);
  const shown = [...pinned, ...scrolled];
  const stop = shown.some((row) => keyOf(row) === at) ? at : shown[0] ? keyOf(shown[0]) : '';
  useEffect(() => {
    if (wanted.current === null) return;
    const button = host.current?.querySelector<HTMLElement>(
      `[data-line="${CSS.escape(wanted.current)}"] button`,
    );
    if (!button) return;
    wanted.current = null;
    button.focus({ preventScroll: true });
  });
  const onKey = (event: KeyboardEvent) => {
    const button = event.target as HTMLElement;
    const line = button.closest<HTMLElement>('[data-line]');
    if (!line) return;
    const buttons = [...line.querySelectorAll<HTMLElement>('button')];
    const index = rows.findIndex((row) => keyOf(row) === line.dataset.line);
    const along = buttons[buttons.indexOf(button) + (event.key === 'ArrowRight' ? 1 : -1)];
    const next = rows[index + (event.key === 'ArrowDown' ? 1 : -1)];
    if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') along?.focus();
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (next) {
        setAt(keyOf(next));
        wanted.current = keyOf(next);
        view.bringIntoSight(next);
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const list = (of: Row[], top: number) =>
    of.map((row) => (
      <GutterLine
        key={keyOf(row)}
        {...props}
        row={row}
        top={view.topOf(row) - top}
        // The name stays in sight as long as anything of the line does.
        pushed={row.pinned ? 0 : Math.max(0, view.pinned - view.topOf(row))}
        stop={keyOf(row) === stop}
        onEnter={() => setAt(keyOf(row))}
      />
    ));
  return (
    <div class="gutter" ref={host} onKeyDown={onKey} id="timeline-lines">
      {pinned.length > 0 && (
        <ul class="gutter-pinned" aria-label={w.pinned} style={{ height: `${view.pinned}px` }}>
          {list(pinned, 0)}
        </ul>
      )}
      <ul class="gutter-lines" aria-label={w.pages.timeline}>
        {list(scrolled, view.pinned)}
      </ul>
    </div>
  );
}

function GutterLine({
  row,
  top,
  pushed,
  stop,
  onEnter,
  onFold,
  onPin,
  onMove,
  onHide,
}: Props & { row: Row; top: number; pushed: number; stop: boolean; onEnter: () => void }) {
  const w = words();
  const tool = (title: string, sign: string, act: () => void, pressed?: boolean) => (
    <button
      type="button"
      title={title}
      aria-label={`${title} ${row.title}`}
      aria-pressed={pressed}
      tabIndex={-1}
      onClick={act}
    >
      {sign}
    </button>
  );
  return (
    <li
      class={row.kind === 'group' ? 'group' : 'line'}
      data-line={keyOf(row)}
      onFocusCapture={onEnter}
      style={{
        top: `${top}px`,
        height: `${row.height}px`,
        paddingTop: `${Math.max(1, Math.min(pushed, row.height - NAME))}px`,
      }}
    >
      <button
        type="button"
        class="fold"
        aria-expanded={!row.folded}
        title={row.folded ? w.unfold : w.fold}
        aria-label={`${row.folded ? w.unfold : w.fold} ${row.title}`}
        tabIndex={stop ? 0 : -1}
        onClick={() => onFold(row)}
        aria-disabled={row.key === 'pinned'}
      >
        {row.folded ? '▸' : '▾'}
      </button>
      <span class="line-title" title={row.title}>
        {row.title}
        {row.subtitle && <small> {row.subtitle}</small>}
      </span>
      {row.kind === 'line' && (
        <span class={`line-tools${row.height < HEADER ? ' low' : ''}`}>
          {tool(row.pinned ? w.unpin : w.pin, row.pinned ? '★' : '☆', () => onPin(row), row.pinned)}
          {tool(w.up, '↑', () => onMove(row, -1))}
          {tool(w.down, '↓', () => onMove(row, 1))}
          {tool(w.hide, '×', () => onHide(row))}
        </span>
      )}
    </li>
  );
}
