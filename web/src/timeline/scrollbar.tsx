import { useEffect, useRef } from 'preact/hooks';
import { kindColor } from '../colors';
import { words } from '../i18n';
import { dark } from '../theme';
import { type Row, totalHeight } from './layout';
import type { TimelineView } from './view';

const WIDTH = 14;

/** The colour that stands for a line in the small picture of all lines. */
function colorOf(row: Row, isDark: boolean): string {
  if (row.kind === 'group') return isDark ? '#5b6370' : '#9aa3b0';
  const kind = row.info?.kind;
  if (kind === 'idle') return kindColor('input_stage');
  if (kind === 'counter') return isDark ? '#44aa99' : '#117733';
  if (kind === 'instants') return kindColor('sync');
  return kindColor(row.info?.track_kind === 'stream' ? 'kernel' : 'framework_op');
}

/** All lines in one strip: what is in sight is framed and can be dragged. */
export function LinesScrollbar({ view }: { view: TimelineView }) {
  const w = words();
  const canvas = useRef<HTMLCanvasElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const grabbed = useRef<number | null>(null);
  const rows = view.rows.value;
  const scroll = view.scroll.value;
  const whole = Math.max(totalHeight(rows), 1);
  const isDark = dark.value;
  const shown = view.shownHeight.value;
  useEffect(() => {
    const element = canvas.current!;
    const height = Math.max(20, element.clientHeight);
    element.width = WIDTH;
    element.height = height;
    const context = element.getContext('2d')!;
    context.clearRect(0, 0, WIDTH, height);
    for (const row of rows) {
      context.fillStyle = colorOf(row, isDark);
      context.globalAlpha = row.kind === 'group' ? 1 : 0.55;
      const y = (row.top / whole) * height;
      context.fillRect(
        row.kind === 'group' ? 0 : 4,
        y,
        WIDTH,
        Math.max(1, (row.height / whole) * height - 1),
      );
    }
  }, [rows, isDark, whole, shown]);
  const most = Math.max(0, whole - shown);
  const place = (event: PointerEvent) => {
    const box = host.current!.getBoundingClientRect();
    return ((event.clientY - box.top) / box.height) * whole;
  };
  const share = (pixels: number) => `${(100 * pixels) / whole}%`;
  return (
    <div
      class="lines-scrollbar"
      ref={host}
      role="scrollbar"
      aria-label={w.allLines}
      aria-orientation="vertical"
      aria-controls="timeline-lines"
      aria-valuemin={0}
      aria-valuemax={Math.round(most)}
      aria-valuenow={Math.round(scroll)}
      tabIndex={0}
      onKeyDown={(event) => {
        const by = { ArrowDown: 40, ArrowUp: -40 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        view.scrollTo(scroll + by);
      }}
      onPointerDown={(event) => {
        host.current!.setPointerCapture(event.pointerId);
        const at = place(event);
        const inside = at >= scroll && at <= scroll + shown;
        grabbed.current = inside ? at - scroll : shown / 2;
        view.scrollTo(at - grabbed.current);
      }}
      onPointerMove={(event) => {
        if (grabbed.current !== null) view.scrollTo(place(event) - grabbed.current);
      }}
      onPointerUp={() => {
        grabbed.current = null;
      }}
    >
      <canvas ref={canvas} aria-hidden="true" />
      {most > 0 && (
        <span class="lines-thumb" style={{ top: share(scroll), height: share(Math.min(shown, whole)) }} />
      )}
    </div>
  );
}
