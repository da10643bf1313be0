import { useMemo, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { InputStage, ModuleRow, OpByShapeRow, OpRow, Report } from '../api';
import { axisTime, bytes, count, duration } from '../format';
import { type Words, words } from '../i18n';
import { callsOf, callsOfAll, go, href, note, onClockOf, onTrace, route } from '../route';
import { shortName } from '../short_name';
import { stepNames } from '../steps';
import { useAsk } from '../ui/ask';
import { Chart } from '../ui/chart';
import { Empty, Failed, Working } from '../ui/empty';
import { FlameGraph } from '../ui/flame';
import { aligned } from '../ui/memory_curve';
import { Scatter } from '../ui/scatter';
import { SpreadChart } from '../ui/spread';
import { type Column, Table } from '../ui/table';
import { Tree } from '../ui/tree';
import { columnsOf, kernelColumns, opColumns } from './columns';
import { InputGraph } from './input_graph';
import { type PageProps, recordFor } from './page';

/** All calls of a name, in the timeline; a one-file report has no search. */
const linkTo = (page: PageProps, name: string) =>
  page.source.live ? href(page.profile, 'timeline', { ...callsOf(name), ...onTrace(page.trace) }) : null;

const linkToAll = (page: PageProps, rows: { name: string }[]) =>
  page.source.live
    ? href(page.profile, 'timeline', {
        ...callsOfAll([...new Set(rows.map((row) => row.name))]),
        ...onTrace(page.trace),
      })
    : null;

function Tabs<T extends string>({
  tabs,
  now,
  onPick,
}: {
  tabs: [T, string][];
  now: T;
  onPick: (tab: T) => void;
}) {
  return (
    <div class="tabs" role="tablist">
      {tabs.map(([key, title]) => (
        <button type="button" key={key} role="tab" aria-selected={key === now} onClick={() => onPick(key)}>
          {title}
        </button>
      ))}
    </div>
  );
}

export function OpsPage(page: PageProps) {
  const w = words();
  const { report } = page;
  const shapes = report.ops_by_shape ?? [];
  if (report.ops.length === 0) return <Empty what={w.noOps} record={recordFor(report, w).ops} />;
  const tabs: [string, string][] = [
    ['name', w.byName],
    ...(shapes.length > 0 ? ([['shape', w.byShape]] as [string, string][]) : []),
    ...(page.source.flames?.length !== 0
      ? ([
          ['tree', w.asTree],
          ['flame', w.asFlame],
        ] as [string, string][])
      : []),
  ];
  const columns = useMemo(() => opColumns<OpRow>(w, true), [w]);
  const asked = route.value.params.get('as') ?? 'name';
  const [tab, setTab] = useState(tabs.some(([key]) => key === asked) ? asked : 'name');
  const shapeColumns = useMemo(
    () => [
      ...opColumns<OpByShapeRow>(w, false).slice(0, 1),
      {
        key: 'shapes',
        title: w.shapes,
        value: (r: OpByShapeRow) => JSON.stringify(r.input_shapes ?? null),
      },
      ...opColumns<OpByShapeRow>(w, false).slice(1),
    ],
    [w],
  );
  return (
    <>
      <Tabs
        now={tab}
        tabs={tabs}
        onPick={(key) => {
          setTab(key);
          note({ as: key });
        }}
      />
      {tab === 'name' && (
        <Table
          id="ops"
          rows={report.ops}
          columns={columns}
          height={1200}
          link={(row) => linkTo(page, row.name)}
          timeline={(rows) => linkToAll(page, rows)}
        />
      )}
      {tab === 'shape' && (
        <Table
          id="ops-by-shape"
          rows={shapes}
          columns={shapeColumns}
          height={1200}
          link={(row) => linkTo(page, row.name)}
        />
      )}
      {(tab === 'flame' || tab === 'tree') && <FlameTab key={tab} {...page} as={tab} />}
    </>
  );
}

function FlameTab(page: PageProps & { fixed?: string; as: 'tree' | 'flame' }) {
  const w = words();
  const { flames } = page.source;
  const has = (one: string) => flames === undefined || flames.some((made) => made.split('/').includes(one));
  const [by, setBy] = useState(page.fixed && has(page.fixed) ? page.fixed : 'stack');
  const metrics = ['host', 'device'].filter((one) => flames === undefined || flames.includes(`${by}/${one}`));
  const [wish, setMetric] = useState('host');
  const metric = metrics.includes(wish) ? wish : (metrics[0] ?? 'host');
  const flame = useAsk(`${page.profile}/${page.trace}/${by}/${metric}`, () =>
    page.source.flame(page.profile, page.trace, by, metric),
  );
  return (
    <>
      <div class="choices">
        <select aria-label={w.scope} value={by} onChange={(event) => setBy(event.currentTarget.value)}>
          {(['stack', 'module', 'scope'] as const).filter(has).map((one) => (
            <option key={one} value={one}>
              {{ stack: w.byStack, module: w.byModule, scope: w.byScope }[one]}
            </option>
          ))}
        </select>
        <select aria-label={w.time} value={metric} onChange={(event) => setMetric(event.currentTarget.value)}>
          {metrics.map((one) => (
            <option key={one} value={one}>
              {one === 'host' ? w.byHost : w.byDevice}
            </option>
          ))}
        </select>
      </div>
      {flame.state === 'waiting' && <Working text={w.loading} />}
      {flame.state === 'failed' && <Failed error={flame.error} />}
      {flame.state === 'done' &&
        (flame.value.name.length > 1 && page.as === 'tree' ? (
          <Tree key={`${by}${metric}`} flame={flame.value} />
        ) : flame.value.name.length > 1 ? (
          <FlameGraph
            key={`${by}${metric}`}
            flame={flame.value}
            onPick={(name, kind) =>
              page.source.live &&
              go(page.profile, 'timeline', { ...callsOf(name, kind), ...onTrace(page.trace) })
            }
          />
        ) : (
          <Empty what={w.noCode} record={recordFor(page.report, w).code} />
        ))}
    </>
  );
}

export function KernelsPage(page: PageProps) {
  const w = words();
  const columns = useMemo(() => kernelColumns(w, true, page.report.kernels), [w, page.report]);
  if (page.report.kernels.length === 0) {
    return <Empty what={w.noKernels} record={recordFor(page.report, w).kernels} />;
  }
  const spread = page.report.kernels.slice(0, 15).map((row) => ({
    name: `${row.device}${row.kind}${row.name}`,
    title: shortName(row.name),
    min: row.min_ns,
    median: row.p50_ns,
    mean: row.total_ns / Math.max(1, row.calls),
    max: row.max_ns,
    href: linkTo(page, row.name),
  }));
  return (
    <>
      <details class="card" open={route.value.params.get('charts') !== '0'}>
        <summary>
          <h2>{w.kernelSpread}</h2>
        </summary>
        <SpreadChart label={w.kernelSpread} rows={spread} />
      </details>
      <Roofline page={page} />
      <Table
        id="kernels"
        rows={page.report.kernels}
        columns={columns}
        height={1200}
        link={(row) => linkTo(page, row.name)}
        timeline={(rows) => linkToAll(page, rows)}
      />
    </>
  );
}

/** What each XLA instruction reaches, where the profile says its operations and bytes. */
function Roofline({ page }: { page: PageProps }) {
  const w = words();
  const known = (page.report.hlo ?? []).filter((row) => row.flops && row.bytes && row.total_ns > 0);
  if (known.length === 0) return null;
  const shown = known.slice(0, 200);
  const most = shown.reduce((m, row) => Math.max(m, row.total_ns), 1);
  const points = shown.map((row) => {
    const rate = (row.flops! * row.calls) / row.total_ns; // GFLOP/s: operations a nanosecond
    const intensity = row.flops! / row.bytes!;
    return {
      x: intensity,
      y: rate,
      size: row.total_ns / most,
      name: row.name,
      said: `${row.name}: ${rate.toPrecision(3)} GFLOP/s, ${intensity.toPrecision(3)} FLOP/B, ${duration(row.total_ns)}`,
      href: linkTo(page, row.name),
    };
  });
  const plain = (value: number) => (value >= 1e5 || value < 1e-3 ? value.toExponential(0) : String(value));
  return (
    <section class="card">
      <h2>{w.roofline}</h2>
      <Scatter
        label={w.roofline}
        points={points}
        xTitle={w.intensity}
        yTitle="GFLOP/s"
        formatX={plain}
        formatY={plain}
        roof={w.roofHelp}
      />
    </section>
  );
}

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
            <span class="swatch" style={{ backgroundColor: QUEUE_COLORS[i] }} /> {one.device} stream{' '}
            {one.stream}{' '}
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

export function Tile({
  label,
  value,
  raw,
  help,
}: {
  label: string;
  value: string;
  raw?: number;
  help?: string;
}) {
  return (
    <div class="tile" title={help}>
      <dt>{label}</dt>
      <dd data-raw={raw}>{value}</dd>
    </div>
  );
}

export function InputPage(page: PageProps) {
  const w = words();
  const input = page.report.input;
  const waits = input?.wait_ns ?? [];
  if (!input || (waits.every((ns) => ns === 0) && input.stages.length === 0)) {
    return <Empty what={w.noInput} record={recordFor(page.report, w).input} />;
  }
  const steps = page.report.steps.items;
  const names = stepNames(steps);
  type Wait = { step: string; ns: number; start: number; of: number };
  const rows: Wait[] = waits.map((ns, i) => ({
    step: names[i] ?? String(i),
    ns,
    start: steps[i]?.start_ns ?? 0,
    of: steps[i]?.duration_ns ?? 0,
  }));
  const columns: Column<Wait>[] = [
    { key: 'step', title: w.step, value: (r) => r.step },
    {
      key: 'wait',
      title: w.wait,
      value: (r) => r.ns,
      numeric: true,
      bar: true,
      width: '200px',
      unit: 'ms',
    },
    {
      key: 'of',
      title: w.stepTime,
      value: (r) => r.of,
      numeric: true,
      width: '200px',
      unit: 'ms',
    },
  ];
  return (
    <>
      <section class="card">
        <h2>{w.wait}</h2>
        <Table
          id="input-wait"
          rows={rows}
          columns={columns}
          link={(row) =>
            href(page.profile, 'timeline', {
              ...onClockOf(page.trace),
              from: String(row.start),
              to: String(row.start + row.of),
            })
          }
        />
      </section>
      {input.stages.length > 1 && input.stages.length <= 200 && (
        <section class="card">
          <h2>{w.pipeline}</h2>
          <InputGraph stages={input.stages} link={(stage) => linkTo(page, stage.name)} />
        </section>
      )}
      {input.stages.length > 0 && (
        <section class="card">
          <h2>{w.stages}</h2>
          <Table
            id="input-stages"
            rows={input.stages}
            sortBy="self_ns"
            link={(row) => linkTo(page, row.name)}
            columns={columnsOf<InputStage>('input_stages', w)}
          />
        </section>
      )}
    </>
  );
}

/** Paths as a tree: the last name, indented. */
function moduleColumns(w: Words): Column<ModuleRow>[] {
  const [path, ...others] = columnsOf<ModuleRow>('modules', w);
  const cell = (row: ModuleRow) => {
    const parts = row.path.split(' > ');
    return <span style={{ paddingLeft: `${(parts.length - 1) * 14}px` }}>{parts[parts.length - 1]}</span>;
  };
  return [{ ...path, cell }, ...others];
}

export function CodePage(page: PageProps) {
  const w = words();
  const modules = page.report.modules ?? [];
  const facts = page.info?.facts;
  if (facts && !facts.stacks && !facts.modules && modules.length === 0) {
    return <Empty what={w.noCode} record={recordFor(page.report, w).code} />;
  }
  return (
    <>
      {modules.length > 0 && (
        <section class="card">
          <h2>{w.modules}</h2>
          <Table id="modules" rows={modules} columns={moduleColumns(w)} />
        </section>
      )}
      {page.source.flames?.length !== 0 && (
        <section class="card">
          <h2>{w.asFlame}</h2>
          <FlameTab {...page} as="flame" fixed={facts?.modules ? 'module' : 'stack'} />
        </section>
      )}
    </>
  );
}

export function memoryTiles(row: Report['memory'][number], w: ReturnType<typeof words>) {
  return (
    <dl class="tiles">
      <Tile
        label={`${row.device} · ${w.peak}`}
        value={bytes(row.peak_allocated_bytes ?? row.peak_of_running_sum_bytes)}
        raw={row.peak_allocated_bytes ?? row.peak_of_running_sum_bytes}
      />
      {row.peak_reserved_bytes !== null && (
        <Tile label={w.peakReserved} value={bytes(row.peak_reserved_bytes)} raw={row.peak_reserved_bytes} />
      )}
      {row.end_allocated_bytes !== null && (
        <Tile label={w.atEnd} value={bytes(row.end_allocated_bytes)} raw={row.end_allocated_bytes} />
      )}
      {row.growth_bytes_per_step !== null && (
        <Tile label={w.growth} value={bytes(row.growth_bytes_per_step)} raw={row.growth_bytes_per_step} />
      )}
    </dl>
  );
}
