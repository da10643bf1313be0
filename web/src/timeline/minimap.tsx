import { useEffect, useRef } from 'preact/hooks';
import type { TimelineInfo } from '../api';
import { KINDS, kindPixels, mix } from '../colors';
import type { Source } from '../source';
import { dark } from '../theme';
import type { NamedStep } from './canvas';
import type { Window } from './paint';
import { darkTheme, lightTheme } from './themes';
import { BlockType, decodeTiles, shiftFor, tileOf } from './tiles';
import type { TimelineView } from './view';

const HEIGHT = 34;
const MOST_TRACES = 8;
const DEVICE_WORK = new Set<string>(['kernel', 'collective', 'memcpy', 'memset', 'device_op']);

/** The lines that say most about a trace at a glance: its device's work, else its busiest threads. */
function telling(info: TimelineInfo): number[] {
  const tracks = info.lines
    .map((line, index) => ({ line, index }))
    .filter(({ line }) => line.kind === 'track');
  const device = tracks.filter(({ line }) => line.track_kind === 'stream');
  return (device.length > 0 ? device : tracks)
    .toSorted((a, b) => b.line.spans - a.line.spans)
    .slice(0, 4)
    .map(({ index }) => index);
}

/** Adds the busy share of each pixel, and the kind of what runs there last. */
function addUp(
  buffer: ArrayBuffer,
  info: TimelineInfo,
  whole: Window,
  busy: Float32Array,
  color: Uint32Array,
  traces: number,
): void {
  const device = info.lines.some((line) => line.track_kind === 'stream');
  const width = busy.length;
  const perNs = width / (whole.to - whole.from);
  for (const { block } of decodeTiles(buffer).tiles) {
    if (block.type === BlockType.Counter) continue;
    for (let i = 0; i < block.items; ++i) {
      if (device ? !DEVICE_WORK.has(KINDS[block.kind[i]]) : block.depth[i] > 0) continue;
      const x0 = (block.start[i] + info.offset_ns - whole.from) * perNs;
      const x1 = x0 + block.extent[i] * perNs;
      for (let x = Math.max(0, Math.floor(x0)); x <= Math.min(width - 1, x1); ++x) {
        const share = (Math.min(x1, x + 1) - Math.max(x0, x)) * block.busy[i];
        if (share <= 0) continue;
        busy[x] += share / traces;
        color[x] = kindPixels[block.kind[i]][0];
      }
    }
  }
}

/** The whole profile in one strip; the part in sight is framed and can be dragged. */
export function Minimap({
  view,
  steps,
  source,
  profile,
}: {
  view: TimelineView;
  steps: NamedStep[];
  source: Source;
  profile: number;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const grabbed = useRef(false);
  const isDark = dark.value;
  useEffect(() => {
    let wanted = true;
    const element = canvas.current!;
    const width = Math.max(100, element.clientWidth);
    element.width = width;
    element.height = HEIGHT;
    const whole = view.limit;
    const theme = isDark ? darkTheme : lightTheme;
    void (async () => {
      const shift = shiftFor((whole.to - whole.from) / width);
      // Of a job with many ranks, the first few tell how all of them go.
      const told = await Promise.all(
        view.infos
          .slice(0, MOST_TRACES)
          .map((info, trace) =>
            source.tiles(profile, trace, telling(info), shift, 0, tileOf(info.span_ns, shift)),
          ),
      );
      if (!wanted) return;
      const busy = new Float32Array(width);
      const color = new Uint32Array(width);
      told.forEach((buffer, trace) => {
        addUp(buffer, view.infos[trace], whole, busy, color, told.length);
      });
      const image = new ImageData(width, HEIGHT);
      const pixels = new Uint32Array(image.data.buffer).fill(theme.background);
      for (let x = 0; x < width; ++x) {
        const tall = Math.round(Math.min(1, busy[x]) * (HEIGHT - 4));
        for (let y = HEIGHT - tall; y < HEIGHT; ++y)
          pixels[y * width + x] = mix(color[x], theme.background, 200);
      }
      element.getContext('2d')!.putImageData(image, 0, 0);
    })().catch(() => {});
    return () => {
      wanted = false;
    };
  }, [view, isDark, source, profile]);
  const whole: Window = view.limit;
  const now = view.window.value;
  const share = (t: number) => (100 * (t - whole.from)) / (whole.to - whole.from);
  const left = Math.max(0, share(now.from));
  const jump = (event: PointerEvent) => {
    const rect = host.current!.getBoundingClientRect();
    const middle = whole.from + ((event.clientX - rect.left) / rect.width) * (whole.to - whole.from);
    const width = now.to - now.from;
    view.show({ from: middle - width / 2, to: middle + width / 2 });
  };
  return (
    <div
      class="minimap"
      ref={host}
      onPointerDown={(event) => {
        grabbed.current = true;
        host.current!.setPointerCapture(event.pointerId);
        jump(event);
      }}
      onPointerMove={(event) => grabbed.current && jump(event)}
      onPointerUp={() => {
        grabbed.current = false;
      }}
    >
      <canvas ref={canvas} aria-hidden="true" />
      {steps.length <= 200 &&
        steps.map((step) => (
          <span
            key={step.from}
            class="minimap-step"
            style={{ left: `${share(step.from)}%`, width: `${share(step.to) - share(step.from)}%` }}
          >
            {share(step.to) - share(step.from) > 3 ? step.number : ''}
          </span>
        ))}
      <span
        class="minimap-window"
        style={{ left: `${left}%`, width: `${Math.max(0.3, Math.min(100, share(now.to)) - left)}%` }}
      />
    </div>
  );
}
