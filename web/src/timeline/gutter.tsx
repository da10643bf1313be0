import { words } from '../i18n';
import { HEADER, type Row, visibleRows } from './layout';
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

/** Names of the lines in sight, with what can be done to each. */
export function Gutter({ view, onFold, onPin, onMove, onHide }: Props) {
  const w = words();
  const scroll = view.scroll.value;
  const rows = visibleRows(view.rows.value, scroll, scroll + 2000);
  return (
    <ul class="gutter" aria-label={w.pages.timeline}>
      {rows.map((row) => (
        <li
          key={row.key + (row.pinned ? 'p' : '')}
          class={row.kind === 'group' ? 'group' : 'line'}
          style={{
            top: `${row.top - scroll}px`,
            height: `${row.height}px`,
            // The name stays in sight as long as anything of the line does.
            paddingTop: `${Math.max(1, Math.min(scroll - row.top, row.height - NAME))}px`,
          }}
        >
          <button
            type="button"
            class="fold"
            aria-expanded={!row.folded}
            title={row.folded ? w.unfold : w.fold}
            aria-label={`${row.folded ? w.unfold : w.fold} ${row.title}`}
            onClick={() => onFold(row)}
            disabled={row.key === 'pinned'}
          >
            {row.folded ? '▸' : '▾'}
          </button>
          <span class="line-title" title={row.title}>
            {row.title}
            {row.subtitle && <small> {row.subtitle}</small>}
          </span>
          {row.kind === 'line' && (
            <span class={`line-tools${row.height < HEADER ? ' low' : ''}`}>
              <button
                type="button"
                title={row.pinned ? w.unpin : w.pin}
                aria-label={`${row.pinned ? w.unpin : w.pin} ${row.title}`}
                aria-pressed={row.pinned}
                onClick={() => onPin(row)}
              >
                {row.pinned ? '★' : '☆'}
              </button>
              <button
                type="button"
                title={w.up}
                aria-label={`${w.up} ${row.title}`}
                onClick={() => onMove(row, -1)}
              >
                ↑
              </button>
              <button
                type="button"
                title={w.down}
                aria-label={`${w.down} ${row.title}`}
                onClick={() => onMove(row, 1)}
              >
                ↓
              </button>
              <button
                type="button"
                title={w.hide}
                aria-label={`${w.hide} ${row.title}`}
                onClick={() => onHide(row)}
              >
                ×
              </button>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
