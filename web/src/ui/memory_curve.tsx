import { useMemo } from 'preact/hooks';
import uPlot from 'uplot';
import type { Line, TimelineInfo } from '../api';
import { axisTime, bytes } from '../format';
import { words } from '../i18n';
import type { Source } from '../source';
import { BlockType, decodeTiles, shiftFor, tileOf } from '../timeline/tiles';
import { useAsk } from './ask';
import { Chart } from './chart';
import { Failed, Working } from './empty';

type Curve = { time: number[]; value: number[] };

const COLORS = ['#0072b2', '#d55e00'];

/** The largest value of each bucket, so that no peak between two drawn points is lost. */
async function curveOf(
  source: Source,
  profile: number,
  trace: number,
  line: number,
  span: number,
): Promise<Curve> {
  const shift = shiftFor(span / 1500);
  const buffer = await source.tiles(profile, trace, [line], shift, 0, tileOf(span, shift));
  const curve: Curve = { time: [], value: [] };
  for (const { block } of decodeTiles(buffer).tiles) {
    if (block.type !== BlockType.Counter) continue;
    for (let i = 0; i < block.items; ++i) {
      if (curve.time.length > 0 && block.time[i] <= curve.time[curve.time.length - 1]) continue;
      curve.time.push(block.time[i]);
      curve.value.push(block.max[i]);
    }
  }
  return curve;
}

/** One time axis for curves with samples at different times: each holds its value until its next sample. */
export function aligned(curves: Curve[]): (number | null)[][] {
  const times = [...new Set(curves.flatMap((curve) => curve.time))].sort((a, b) => a - b);
  const columns = curves.map((curve) => {
    let at = -1;
    return times.map((time) => {
      while (at + 1 < curve.time.length && curve.time[at + 1] <= time) ++at;
      return at < 0 ? null : curve.value[at];
    });
  });
  return [times, ...columns];
}

interface Props {
  source: Source;
  profile: number;
  trace: number;
  info: TimelineInfo;
  device: string;
  height: number;
  onClick?: (time: number) => void;
  onPoint?: (time: number) => void;
}

/** Allocated and reserved bytes of a device over time. Nothing where the profile counts neither. */
export function MemoryCurve({ source, profile, trace, info, device, height, onClick, onPoint }: Props) {
  const w = words();
  const mine = info.lines
    .map((line: Line, index: number) => ({ line, index }))
    .filter(
      ({ line }) => line.kind === 'counter' && line.unit === 'bytes' && line.name === `memory ${device}`,
    );
  const curves = useAsk(`${profile}/${trace}/${device}`, () =>
    Promise.all(mine.map(({ index }) => curveOf(source, profile, trace, index, info.span_ns))),
  );
  const data = useMemo(() => (curves.state === 'done' ? aligned(curves.value) : null), [curves.state]);
  if (mine.length === 0) return null;
  if (curves.state === 'failed') return <Failed error={curves.error} />;
  if (!data) return <Working text={w.loading} />;
  return (
    <>
      <Chart
        label={`${w.memoryCurve} ${device}`}
        data={data as never}
        height={height}
        series={mine.map(({ line }, i) => ({
          label: line.series,
          stroke: COLORS[i % 2],
          width: 1.5,
          fill: i === 0 ? 'rgb(0 114 178 / 15%)' : undefined,
          points: { show: false },
          // Memory is taken and given back at once: it has steps, no slopes.
          paths: uPlot.paths.stepped!({ align: 1 }),
        }))}
        formatX={(t) => axisTime(t, info.span_ns / 8)}
        formatY={(value) => bytes(value, 0)}
        binary
        onClick={onClick}
        onPoint={onPoint}
      />
      <p class="muted">
        {mine.map(({ line }, i) => (
          <span key={line.series}>
            <span class="swatch" style={{ backgroundColor: COLORS[i % 2] }} />{' '}
            {line.series === 'reserved' ? w.reserved : w.allocated}{' '}
          </span>
        ))}
      </p>
    </>
  );
}
