import { useMemo, useState } from 'preact/hooks';
import type { Line } from '../api';
import { axisTime, bytes, count, duration } from '../format';
import { words } from '../i18n';
import { BlockType, decodeTiles, shiftFor, tileOf } from '../timeline/tiles';
import { useAsk } from '../ui/ask';
import { Chart } from '../ui/chart';
import { Empty, Failed, Working } from '../ui/empty';
import { Table } from '../ui/table';
import { memoryTiles, type PageProps } from './tables';

type Curve = { time: number[]; value: number[] };

/** Two values a point at most, so that peaks between two drawn points are never lost. */
async function curveOf(page: PageProps, line: number, span: number): Promise<Curve> {
  const shift = shiftFor(span / 1500);
  const buffer = await page.source.tiles(page.profile, page.trace, [line], shift, 0, tileOf(span, shift));
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

export function MemoryPage(page: PageProps) {
  const w = words();
  const { report, info } = page;
  const lines = (info?.lines ?? [])
    .map((line, index) => ({ line, index }))
    .filter(({ line }) => line.kind === 'counter' && line.unit === 'bytes');
  if (report.memory.length === 0) return <Empty what={w.noMemory} record={w.recordMemory} />;
  return (
    <>
      {report.memory.map((row) => (
        <section key={row.device} class="card">
          {memoryTiles(row, w)}
          <DeviceMemory page={page} device={row.device} lines={lines} peak={row.peak_at_ns} />
        </section>
      ))}
    </>
  );
}

function DeviceMemory({
  page,
  device,
  lines,
  peak,
}: {
  page: PageProps;
  device: string;
  lines: { line: Line; index: number }[];
  peak: number | null;
}) {
  const w = words();
  const span = page.info?.span_ns ?? 1;
  const mine = lines.filter(({ line }) => line.name === `memory ${device}`);
  const [time, setTime] = useState<number | null>(peak);
  const curves = useAsk(`${page.profile}/${page.trace}/${device}`, () =>
    Promise.all(mine.map(({ index }) => curveOf(page, index, span))),
  );
  const holders = useAsk(
    `${page.profile}/${page.trace}/${device}/${time}`,
    time === null || !page.source.live
      ? null
      : () => page.source.holders(page.profile, page.trace, device, time),
  );
  const data = useMemo(() => (curves.state === 'done' ? aligned(curves.value) : null), [curves.state]);
  if (curves.state === 'failed') return <Failed error={curves.error} />;
  if (!data) return <Working text={w.loading} />;
  const colors = ['#0072b2', '#d55e00'];
  return (
    <>
      <Chart
        label={`${w.memoryCurve} ${device}`}
        data={data as never}
        height={260}
        series={mine.map(({ line }, i) => ({
          label: line.series,
          stroke: colors[i % 2],
          width: 1.5,
          fill: i === 0 ? 'rgb(0 114 178 / 15%)' : undefined,
          points: { show: false },
        }))}
        formatX={(t) => axisTime(t, span / 8)}
        formatY={bytes}
        onClick={(x) => setTime(x)}
      />
      <p class="muted">
        {mine.map(({ line }, i) => (
          <span key={line.series}>
            <span class="swatch" style={{ backgroundColor: colors[i % 2] }} />{' '}
            {line.series === 'reserved' ? w.reserved : w.allocated}{' '}
          </span>
        ))}
        · {w.holdersHelp}
      </p>
      {holders.state === 'failed' && <Failed error={holders.error} />}
      {holders.state === 'done' && (
        <>
          <h3>
            {w.holders} {duration(holders.value.time_ns)} ·{' '}
            {bytes(holders.value.allocated_bytes + holders.value.before_bytes)} · {count(holders.value.live)}{' '}
            {w.blocks.toLowerCase()}
          </h3>
          <Table
            id={`holders-${device}`}
            rows={[
              ...(holders.value.before_bytes > 0
                ? [{ op: w.beforeProfile, bytes: holders.value.before_bytes, blocks: 0 }]
                : []),
              ...holders.value.holders,
            ]}
            sortBy="bytes"
            height={300}
            columns={[
              { key: 'op', title: w.op, value: (r) => r.op },
              {
                key: 'blocks',
                title: w.blocks,
                value: (r) => r.blocks,
                numeric: true,
                cell: (r) => count(r.blocks),
              },
              {
                key: 'bytes',
                title: w.bytes,
                value: (r) => r.bytes,
                numeric: true,
                bar: true,
                width: '180px',
                cell: (r) => bytes(r.bytes),
              },
            ]}
          />
        </>
      )}
    </>
  );
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
