import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Flame } from '../api';
import { isDark, KINDS, kindPixels } from '../colors';
import { count, duration, percent } from '../format';
import { words } from '../i18n';
import { shortName } from '../short_name';
import { dark } from '../theme';

const ROW = 19;

export interface FlameBox {
  node: number;
  depth: number;
  from: number;
  to: number;
}

/** Where each node of the subtree of `root` is drawn, in shares of the width; nodes under `least` are left out. */
export function flameBoxes(flame: Flame, root: number, least: number): FlameBox[] {
  const children: number[][] = flame.name.map(() => []);
  flame.parent.forEach((parent, node) => {
    if (parent >= 0) children[parent].push(node);
  });
  for (const list of children) list.sort((a, b) => flame.value[b] - flame.value[a]);
  const boxes: FlameBox[] = [];
  const scale = 1 / Math.max(flame.value[root], 1);
  const place = (node: number, depth: number, from: number) => {
    const width = flame.value[node] * scale;
    if (width < least) return;
    boxes.push({ node, depth, from, to: from + width });
    let at = from;
    for (const child of children[node]) {
      place(child, depth + 1, at);
      at += flame.value[child] * scale;
    }
  };
  place(root, 0, 0);
  return boxes;
}

/** An icicle of call paths on a canvas. Click to zoom into a path, the path above leads back. */
export function FlameGraph({
  flame,
  onPick,
}: {
  flame: Flame;
  onPick?: (name: string, kind: string) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [root, setRoot] = useState(0);
  const [width, setWidth] = useState(800);
  const boxes = useMemo(() => flameBoxes(flame, root, 0.5 / width), [flame, root, width]);
  // The first click of two zooms in, so that the second is on something else: the first one counts.
  const pressed = useRef<FlameBox | null>(null);
  const [pointed, setHover] = useState<FlameBox | null>(null);
  const hover = pointed && boxes.includes(pointed) ? pointed : null;
  const depths = boxes.reduce((most, box) => Math.max(most, box.depth + 1), 1);
  const isDarkTheme = dark.value;
  const w = words();
  useEffect(() => {
    const parent = canvas.current!.parentElement!;
    const resize = new ResizeObserver(() => setWidth(Math.max(200, parent.clientWidth)));
    resize.observe(parent);
    return () => resize.disconnect();
  }, []);
  useEffect(() => {
    const element = canvas.current!;
    const scale = devicePixelRatio || 1;
    element.width = width * scale;
    element.height = depths * ROW * scale;
    const context = element.getContext('2d')!;
    context.scale(scale, scale);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    for (const box of boxes) {
      const x = box.from * width;
      const wide = (box.to - box.from) * width;
      const kind = Math.max(0, KINDS.indexOf(flame.kind[box.node] as (typeof KINDS)[number]));
      const pixel = kindPixels[kind][flame.name[box.node] & 7];
      context.fillStyle = `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
      context.fillRect(x, box.depth * ROW, Math.max(wide - 1, 0.5), ROW - 1);
      if (wide < 30) continue;
      context.fillStyle = isDark(pixel) ? '#fff' : '#111';
      const text = shortName(flame.names[flame.name[box.node]]);
      const fits = Math.floor((wide - 8) / 6);
      context.fillText(
        text.length > fits ? `${text.slice(0, Math.max(fits - 1, 1))}…` : text,
        x + 4,
        box.depth * ROW + ROW / 2,
      );
    }
    if (!hover) return;
    context.strokeStyle = isDarkTheme ? '#fff' : '#000';
    context.lineWidth = 2;
    const { from, to, depth } = hover;
    context.strokeRect(from * width + 1, depth * ROW + 1, Math.max((to - from) * width - 3, 1), ROW - 3);
  }, [boxes, width, depths, flame, isDarkTheme, hover]);
  const at = (event: MouseEvent): FlameBox | null => {
    const rect = canvas.current!.getBoundingClientRect();
    const share = (event.clientX - rect.left) / rect.width;
    const depth = Math.floor((event.clientY - rect.top) / ROW);
    return boxes.find((box) => box.depth === depth && share >= box.from && share < box.to) ?? null;
  };
  /** With the keyboard: down to the largest child, up to the parent, along to its neighbours. */
  const onKey = (event: KeyboardEvent) => {
    const now = hover ?? boxes[0];
    const row = (depth: number) => boxes.filter((box) => box.depth === depth);
    const beside = row(now.depth);
    const at = beside.indexOf(now);
    const moves: Record<string, () => FlameBox | undefined> = {
      ArrowDown: () => row(now.depth + 1).find((box) => box.from >= now.from && box.to <= now.to + 1e-9),
      ArrowUp: () => row(now.depth - 1).find((box) => box.from <= now.from && box.to >= now.to - 1e-9),
      ArrowLeft: () => beside[at - 1],
      ArrowRight: () => beside[at + 1],
    };
    if (event.key === 'Enter' && event.shiftKey)
      onPick?.(flame.names[flame.name[now.node]], flame.kind[now.node]);
    else if (event.key === 'Enter') setRoot(now.node);
    else if (event.key === 'Escape') setRoot(Math.max(0, flame.parent[root]));
    else if (moves[event.key]) setHover(moves[event.key]() ?? now);
    else return;
    event.preventDefault();
  };
  const path: number[] = [];
  for (let node = root; node >= 0; node = flame.parent[node]) path.unshift(node);
  const about = hover ?? boxes[0];
  return (
    <div class="flame">
      <p class="flame-path">
        {path.map((node) => (
          <button type="button" key={node} onClick={() => setRoot(node)}>
            {flame.names[flame.name[node]] || w.everything}
          </button>
        ))}
      </p>
      <p class="flame-about" aria-live="polite">
        {about && (
          <>
            <strong>{flame.names[flame.name[about.node]] || w.everything}</strong>{' '}
            {duration(flame.value[about.node])} · {percent(flame.value[about.node], flame.value[0])}
            {flame.calls[about.node] > 0 && ` · ${count(flame.calls[about.node])} ${w.calls.toLowerCase()}`}
          </>
        )}
      </p>
      <div
        class="flame-canvas"
        role="application"
        aria-label={`${w.asFlame}. ${w.flameHelp}`}
        tabIndex={0}
        onKeyDown={onKey}
      >
        <canvas
          ref={canvas}
          style={{ width: '100%', height: `${depths * ROW}px` }}
          aria-hidden="true"
          onMouseMove={(event) => setHover(at(event))}
          onMouseLeave={() => setHover(null)}
          onClick={(event) => {
            if (event.detail > 1) return;
            const box = at(event);
            pressed.current = box;
            if (box) setRoot(box.node);
          }}
          onDblClick={() => {
            const box = pressed.current;
            if (box) onPick?.(flame.names[flame.name[box.node]], flame.kind[box.node]);
          }}
        />
      </div>
      <p class="muted">
        {w.flameHelp}
        {flame.left_out > 0 && ` ${count(flame.left_out)} ${w.smallLeftOut}.`}
      </p>
    </div>
  );
}
