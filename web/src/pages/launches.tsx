import { useMemo } from 'preact/hooks';
import uPlot from 'uplot';
import { axisTime, count, duration } from '../format';
import { fill, words } from '../i18n';
import { go, onClockOf } from '../route';
import { useAsk } from '../ui/ask';
import { Chart } from '../ui/chart';
import { Empty } from '../ui/empty';
import { aligned } from '../ui/memory_curve';
import { Table } from '../ui/table';
import { linkTo } from './links';
import { type PageProps, recordFor } from './page';
import { Tile } from './tile';

/** How much work waits on each stream, over time: a queue that runs empty is a host that cannot keep ahead. */
function QueueChart({ page }: { page: PageProps }) {
  const w = words();
  const asked = useAsk(
    `${page.profile}/${page.trace}/queues`,
    page.source.live ? () => page.source.queues(page.profile, page.trace) : null,
  );
  const series = asked.state === 'done' ? asked.value.queues.slice(0, 6) : [];
  const data = useMemo(
    () => aligned(series.map((one) => ({ time: one.time_ns, value: one.depth }))),
    [asked.state],
  );
  if (series.length === 0) return null;
  return (
    <section class="card" data-testid="queue-depth">
      <h2>{w.queueDepth}</h2>
      <Chart
        label={w.queueDepth}
        data={data as never}
        height={200}
        series={series.map((_, i) => ({
          stroke: QUEUE_COLORS[i],
          width: 1.5,
          points: { show: false },
          paths: uPlot.paths.stepped!({ align: 1 }),
        }))}
        formatX={(t) => axisTime(t, (page.info?.span_ns ?? 1e9) / 8)}
        formatY={(n) => count(n)}
        onClick={(t) =>
          go(page.profile, 'timeline', {
            ...onClockOf(page.trace),
            from: String(Math.max(0, Math.round(t) - 2e6)),
            to: String(Math.round(t) + 2e6),
          })
        }
      />
      <p class="muted">
        {series.map((one, i) => (
          <span key={`${one.device}${one.stream}`}>
            <span class="swatch" style={{ backgroundColor: QUEUE_COLORS[i] }} /> {one.device}{' '}
            {fill(w.streamNumber, count(one.stream))}{' '}
          </span>
        ))}
        · {w.queueDepthHelp}
      </p>
    </section>
  );
}

const QUEUE_COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];

export function LaunchesPage(page: PageProps) {
  const w = words();
  const { launches, links } = page.report;
  const calls = useAsk(
    `${page.profile}/${page.trace}/calls`,
    page.source.live && page.info
      ? () => page.source.selection(page.profile, page.trace, 0, page.info!.span_ns + 1)
      : null,
  );
  if (!launches || launches.calls === 0)
    return <Empty what={w.noLaunches} record={recordFor(page.report, w).launches} />;
  const rows = calls.state === 'done' ? calls.value.rows.filter((row) => row.kind === 'runtime_call') : [];
  return (
    <>
      <dl class="tiles">
        <Tile label={w.launchCalls} value={count(launches.calls)} raw={launches.calls} />
        {launches.median_call_ns !== null && (
          <Tile
            label={w.medianCall}
            value={duration(launches.median_call_ns)}
            raw={launches.median_call_ns}
          />
        )}
        {launches.median_delay_ns !== null && (
          <Tile
            label={w.medianDelay}
            value={duration(launches.median_delay_ns)}
            raw={launches.median_delay_ns}
          />
        )}
        <Tile
          label={w.queueEmpty}
          value={count(launches.queue_empty)}
          raw={launches.queue_empty}
          help={w.queueEmptyHelp}
        />
        <Tile
          label={w.linked}
          value={`${count(links.linked)} / ${count(links.device_events)}`}
          raw={links.linked}
        />
      </dl>
      <QueueChart page={page} />
      {rows.length > 0 && (
        <section class="card">
          <h2>{w.callsTable}</h2>
          <Table
            id="calls"
            rows={rows}
            sortBy="total"
            link={(row) => linkTo(page, row.name)}
            columns={[
              { key: 'name', title: w.name, value: (r) => r.name },
              {
                key: 'calls',
                title: w.calls,
                value: (r) => r.calls,
                numeric: true,
              },
              {
                key: 'total',
                title: w.total,
                value: (r) => r.total_ns,
                numeric: true,
                bar: true,
                unit: 'ms',
              },
            ]}
          />
        </section>
      )}
    </>
  );
}
