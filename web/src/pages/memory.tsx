import { useRef, useState } from 'preact/hooks';
import type { MemoryRow } from '../api';
import { bytes, count, duration } from '../format';
import { words } from '../i18n';
import { shortName } from '../short_name';
import { useAsk } from '../ui/ask';
import { Empty, Failed } from '../ui/empty';
import { MemoryCurve } from '../ui/memory_curve';
import { Table } from '../ui/table';
import { type PageProps, recordFor } from './page';
import { memoryTiles } from './tables';

export function MemoryPage(page: PageProps) {
  const w = words();
  const { report } = page;
  if (report.memory.length === 0) return <Empty what={w.noMemory} record={recordFor(report, w).memory} />;
  return (
    <>
      {report.memory.map((row) => (
        <section key={row.device} class="card">
          {memoryTiles(row, w)}
          <PeakOwners row={row} />
          <DeviceMemory page={page} device={row.device} peak={row.peak_at_ns} />
        </section>
      ))}
    </>
  );
}

/** Who held most at the peak, as the report says. */
function PeakOwners({ row }: { row: MemoryRow }) {
  const w = words();
  const most = row.top_ops.reduce((m, owner) => Math.max(m, owner.bytes), 1);
  if (row.top_ops.length === 0) return null;
  return (
    <div class="owners" data-testid="owners">
      <h2>{w.peakOwners}</h2>
      {row.top_ops.slice(0, 8).map((owner) => (
        <div key={owner.op} class="owner">
          <span title={owner.op}>{shortName(owner.op) || w.noName}</span>
          <b style={{ width: `${(100 * owner.bytes) / most}%` }} />
          <span class="numeric">{bytes(owner.bytes)}</span>
        </div>
      ))}
    </div>
  );
}

/** The curve, and who holds what at the moment under the pointer; a click or the slider keeps the moment. */
function DeviceMemory({ page, device, peak }: { page: PageProps; device: string; peak: number | null }) {
  const w = words();
  const span = page.info?.span_ns ?? 1;
  const [kept, setKept] = useState(peak ?? 0);
  const [pointed, setPointed] = useState<number | null>(null);
  const rest = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const point = (time: number | null) => {
    clearTimeout(rest.current);
    rest.current = setTimeout(() => setPointed(time), 60);
  };
  if (!page.info) return null;
  return (
    <>
      <MemoryCurve
        source={page.source}
        profile={page.profile}
        trace={page.trace}
        info={page.info}
        device={device}
        height={260}
        onClick={setKept}
        onPoint={page.source.live ? point : undefined}
      />
      {page.source.live && (
        <>
          <label class="moment">
            {w.moment}
            <input
              type="range"
              min={0}
              max={span}
              step={Math.max(1, Math.round(span / 1000))}
              value={kept}
              aria-valuetext={duration(kept)}
              onInput={(event) => {
                point(null);
                setKept(Number(event.currentTarget.value));
              }}
            />
            <span class="muted">{w.holdersHelp}</span>
          </label>
          <Holding page={page} device={device} time={pointed ?? kept} />
        </>
      )}
    </>
  );
}

function Holding({ page, device, time }: { page: PageProps; device: string; time: number }) {
  const w = words();
  const now = useAsk(`${page.profile}/${page.trace}/${device}/${time}`, () =>
    page.source.holders(page.profile, page.trace, device, time),
  );
  // The answer before stays in sight until the next is there.
  const last = useRef<typeof now | null>(null);
  if (now.state !== 'waiting') last.current = now;
  const shown = last.current;
  if (shown?.state === 'failed') return <Failed error={shown.error} />;
  if (shown?.state !== 'done') return null;
  const { holders, before_bytes: before, allocated_bytes: allocated, live, time_ns } = shown.value;
  const old = before > 0 ? [{ op: w.beforeProfile, bytes: before, blocks: null }] : [];
  return (
    <>
      <h3 data-testid="holders-at" data-ns={time_ns}>
        {w.holders} {duration(time_ns)} · {bytes(allocated + before)} · {count(live)} {w.blocks.toLowerCase()}
      </h3>
      <Table
        id={`holders-${device}`}
        rows={[...old, ...holders] as { op: string; bytes: number; blocks: number | null }[]}
        sortBy="bytes"
        height={300}
        columns={[
          { key: 'op', title: w.op, value: (r) => r.op || w.noName },
          {
            key: 'blocks',
            title: w.blocks,
            value: (r) => r.blocks,
            numeric: true,
          },
          {
            key: 'bytes',
            title: w.bytes,
            value: (r) => r.bytes,
            numeric: true,
            bar: true,
            width: '180px',
            unit: 'bytes',
          },
        ]}
      />
    </>
  );
}
