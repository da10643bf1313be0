import { useEffect, useRef, useState } from 'preact/hooks';
import type { TimelineInfo } from '../api';
import { kindPixels } from '../colors';
import { axisTime, duration } from '../format';
import { words } from '../i18n';
import { href } from '../route';
import type { Source } from '../source';
import { dark } from '../theme';
import { BlockType, decodeTiles, shiftFor, tileOf } from '../timeline/tiles';
import { useAsk } from './ask';

export interface StripSide {
  profile: number;
  name: string;
  info: TimelineInfo;
  /** The step, on the trace's clock. */
  from: number;
  length: number;
}

interface Span {
  row: number;
  from: number;
  to: number;
  pixel: number;
}

const ROW = 14;
const MOST_LINES = 4;

/** Streams first, then the busiest thread: what tells where the step's time went. */
export function stripLines(info: TimelineInfo): number[] {
  const indices = info.lines.map((_, index) => index).filter((i) => info.lines[i].kind === 'track');
  const rank = (i: number) => (info.lines[i].track_kind === 'stream' ? 0 : 1);
  return indices
    .filter((i) => info.lines[i].spans > 0)
    .sort((a, b) => rank(a) - rank(b) || info.lines[b].spans - info.lines[a].spans)
    .slice(0, MOST_LINES);
}

async function spansOf(source: Source, side: StripSide, lines: number[], width: number): Promise<Span[]> {
  const shift = shiftFor(side.length / width);
  const buffer = await source.tiles(
    side.profile,
    0,
    lines,
    shift,
    tileOf(side.from, shift),
    tileOf(side.from + side.length, shift),
  );
  const spans: Span[] = [];
  for (const { line, block } of decodeTiles(buffer).tiles) {
    if (block.type === BlockType.Counter) continue;
    const row = lines.indexOf(line);
    for (let i = 0; i < block.items; ++i) {
      if (block.depth[i] > 0) continue;
      const from = block.start[i] - side.from;
      const to = from + block.extent[i];
      if (to < 0 || from > side.length) continue;
      const kind = kindPixels[block.kind[i]] ?? kindPixels[0];
      spans.push({
        row,
        from: Math.max(from, 0),
        to: Math.min(to, side.length),
        pixel: kind[block.name[i] & 7],
      });
    }
  }
  return spans;
}

/** Two steps over one another on one time axis, both from their start. */
export function StepStrips({ source, sides }: { source: Source; sides: StripSide[] }) {
  const w = words();
  const longest = Math.max(...sides.map((side) => side.length), 1);
  return (
    <div class="step-strips" data-testid="compare-timelines">
      {sides.map((side) => (
        <Strip key={side.profile} source={source} side={side} longest={longest} />
      ))}
      <p class="step-strips-axis muted">
        <span>0</span>
        <span>{axisTime(longest / 2, longest / 4)}</span>
        <span>{axisTime(longest, longest / 4)}</span>
      </p>
      <p class="muted">{w.compare.timelinesHelp}</p>
    </div>
  );
}

function Strip({ source, side, longest }: { source: Source; side: StripSide; longest: number }) {
  const w = words();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(800);
  const lines = stripLines(side.info);
  const asked = useAsk(`${side.profile}/${side.from}/${side.length}`, () =>
    spansOf(source, side, lines, 1600),
  );
  useEffect(() => {
    const parent = canvas.current!.parentElement!;
    const resize = new ResizeObserver(() => setWidth(Math.max(200, parent.clientWidth)));
    resize.observe(parent);
    return () => resize.disconnect();
  }, []);
  const spans = asked.state === 'done' ? asked.value : [];
  const isDark = dark.value;
  useEffect(() => {
    const element = canvas.current!;
    const scale = devicePixelRatio || 1;
    element.width = width * scale;
    element.height = lines.length * ROW * scale;
    const context = element.getContext('2d')!;
    context.scale(scale, scale);
    context.fillStyle = isDark ? '#2a2d34' : '#f0f1f4';
    context.fillRect(0, 0, (side.length / longest) * width, lines.length * ROW);
    for (const { row, from, to, pixel } of spans) {
      context.fillStyle = `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
      const x = (from / longest) * width;
      context.fillRect(x, row * ROW, Math.max(((to - from) / longest) * width, 0.5), ROW - 1);
    }
  }, [spans, width, longest, isDark, lines.length]);
  const link = href(side.profile, 'timeline', {
    from: String(Math.floor(side.from)),
    to: String(Math.ceil(side.from + side.length)),
  });
  return (
    <div class="step-strip">
      <a href={link}>
        {side.name} {duration(side.length)}
      </a>
      <div>
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${side.name}: ${w.medianStep} ${duration(side.length)}`}
          style={{ width: '100%', height: `${lines.length * ROW}px` }}
        />
      </div>
    </div>
  );
}
