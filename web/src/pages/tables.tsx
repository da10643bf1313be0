import { useMemo, useState } from 'preact/hooks';
import type { InputStage, ModuleRow, OpByShapeRow, OpRow, PythonRow, Report } from '../api';
import { bytes } from '../format';
import { type Words, words } from '../i18n';
import { callsOf, go, href, note, onClockOf, onTrace, route } from '../route';
import { stepNames } from '../steps';
import { useAsk } from '../ui/ask';
import { Empty, Failed, Working } from '../ui/empty';
import { FlameGraph } from '../ui/flame';
import { type Column, Table } from '../ui/table';
import { Tree } from '../ui/tree';
import { columnsOf, opColumns } from './columns';
import { InputGraph } from './input_graph';
import { linkTo, linkToAll } from './links';
import { type PageProps, recordFor } from './page';
import { Tile } from './tile';

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
  const python = page.report.python ?? [];
  const facts = page.info?.facts;
  const named = !facts || facts.stacks || facts.modules || modules.length > 0;
  if (!named && python.length === 0) {
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
      {python.length > 0 && (
        <section class="card">
          <h2>{w.pythonLines}</h2>
          <Table id="python" rows={python} columns={columnsOf<PythonRow>('python', w)} />
        </section>
      )}
      {named && page.source.flames?.length !== 0 && (
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
