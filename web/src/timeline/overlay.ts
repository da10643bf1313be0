import { axisNumber } from '../format';
import type { Mark } from './choices';
import { type Row, STRIP } from './layout';
import type { Theme, Window } from './paint';
import type { Arrow, Box, TimelineView } from './view';

// What is drawn over the strips: selection, marks, arrows, and the scales of counters.

function boxOf(view: TimelineView, box: Box): { x0: number; x1: number; y: number } | null {
  const row = view.rowOf(box.key);
  if (!row) return null;
  const depth = Math.min(box.depth, row.depths - 1);
  return {
    x0: view.xOf(box.from),
    x1: view.xOf(box.to),
    y: view.topOf(row) + 2 + depth * STRIP,
  };
}

/** The scale of each counter: what the top and the bottom of its line stand for. */
export function drawScales(
  view: TimelineView,
  context: CanvasRenderingContext2D,
  theme: Theme,
  rows: Row[],
): void {
  context.save();
  context.scale(view.scale, view.scale);
  context.font = '10px system-ui, sans-serif';
  context.textBaseline = 'middle';
  for (const row of rows) {
    if (row.info?.kind !== 'counter' || row.folded) continue;
    const top = view.topOf(row);
    if (!row.pinned && top < view.pinned) continue;
    const low = Math.min(0, row.info.min);
    const { max, unit } = row.info;
    for (const [value, y] of [
      [max, top + 8],
      [low, top + row.height - 7],
    ]) {
      const text = axisNumber(value, unit);
      const width = context.measureText(text).width;
      context.fillStyle = theme.scale;
      context.fillRect(2, y - 6, width + 6, 12);
      context.fillStyle = theme.text;
      context.fillText(text, 5, y);
    }
  }
  context.restore();
}

export function drawOverlay(view: TimelineView, context: CanvasRenderingContext2D, theme: Theme): void {
  const { selected, range, marks, arrows } = view.overlay.value;
  context.save();
  context.scale(view.scale, view.scale);
  const stretch = (window: Window, fillStyle: string, line: string) => {
    const x0 = view.xOf(window.from);
    const x1 = view.xOf(window.to);
    context.fillStyle = fillStyle;
    context.fillRect(x0, 0, x1 - x0, view.height);
    context.strokeStyle = line;
    context.lineWidth = 1;
    context.beginPath();
    for (const x of [x0, x1]) {
      context.moveTo(Math.round(x) + 0.5, 0);
      context.lineTo(Math.round(x) + 0.5, view.height);
    }
    context.stroke();
  };
  for (const mark of marks) {
    stretch(mark, 'rgb(230 159 0 / 10%)', 'rgb(230 159 0)');
    writeNote(view, context, mark);
  }
  if (range) {
    stretch(range, range.keys ? 'rgb(0 114 178 / 3%)' : 'rgb(0 114 178 / 14%)', 'rgb(0 114 178)');
    for (const key of range.keys ?? []) shadeLine(view, context, key, range);
  }
  const box = selected && boxOf(view, selected);
  const covered = box && !view.rowOf(selected.key)?.pinned && box.y < view.pinned;
  if (box && !covered) {
    context.strokeStyle = theme.text;
    context.lineWidth = 2;
    context.strokeRect(box.x0, box.y - 0.5, Math.max(box.x1 - box.x0, 2), STRIP);
  }
  for (const arrow of arrows) drawArrow(view, context, theme, arrow);
  context.restore();
}

function shadeLine(view: TimelineView, context: CanvasRenderingContext2D, key: string, range: Window): void {
  const row = view.rowOf(key);
  if (!row) return;
  const from = row.pinned ? 0 : view.pinned;
  const top = Math.max(from, view.topOf(row));
  const bottom = view.topOf(row) + row.height;
  if (bottom <= top) return;
  const x0 = view.xOf(range.from);
  context.fillStyle = 'rgb(0 114 178 / 16%)';
  context.fillRect(x0, top, view.xOf(range.to) - x0, bottom - top);
}

function writeNote(view: TimelineView, context: CanvasRenderingContext2D, mark: Mark): void {
  if (!mark.note) return;
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'top';
  const text = mark.note.length > 60 ? `${mark.note.slice(0, 59)}…` : mark.note;
  const x = Math.max(2, view.xOf(mark.from) + 3);
  const width = context.measureText(text).width;
  context.fillStyle = 'rgb(230 159 0)';
  context.fillRect(x - 2, 2, width + 6, 16);
  context.fillStyle = '#101216';
  context.fillText(text, x + 1, 4);
}

function drawArrow(view: TimelineView, context: CanvasRenderingContext2D, theme: Theme, arrow: Arrow): void {
  const from = boxOf(view, { ...arrow.from, from: arrow.from.time, to: arrow.from.time });
  const to = boxOf(view, { ...arrow.to, from: arrow.to.time, to: arrow.to.time });
  if (!from || !to) return;
  const y0 = from.y + STRIP / 2;
  const y1 = to.y + STRIP / 2;
  const bend = Math.max(30, Math.abs(to.x0 - from.x0) / 3);
  for (const [color, width] of [
    [theme.textOnDark, 4],
    ['rgb(213 94 0)', 2],
  ] as const) {
    context.strokeStyle = color;
    context.fillStyle = color;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(from.x0, y0);
    context.bezierCurveTo(from.x0 + bend, y0, to.x0 - bend, y1, to.x0 - 4, y1);
    context.stroke();
    context.beginPath();
    context.moveTo(to.x0 + 1, y1);
    context.lineTo(to.x0 - 8, y1 - 5);
    context.lineTo(to.x0 - 8, y1 + 5);
    context.fill();
  }
}
