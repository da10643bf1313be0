import { useMemo } from 'preact/hooks';
import type { DeviceStep, Report, Step } from '../api';
import { causeColor, partColors } from '../colors';
import { bytes, count, duration, milliseconds, percent } from '../format';
import { fill, type Words, words } from '../i18n';
import { callsOf, go, href, onClockOf, onTrace } from '../route';
import type { Source } from '../source';
import { timelineOf } from '../state';
import { useAsk } from '../ui/ask';
import { Chart } from '../ui/chart';
import { MemoryCurve } from '../ui/memory_curve';
import { usePainted } from '../ui/painted';
import { Legend, type Part, Stacked, Swatch } from '../ui/stacked';
import { Table } from '../ui/table';
import { kernelColumns, opColumns } from './columns';
import { Findings } from './findings';

export function partsOf(step: DeviceStep, w: Words): Part[] {
  const busy = (['compute', 'exposed_communication', 'exposed_copy', 'exposed_memset'] as const).map(
    (key) => ({
      key,
      label: w.parts[key],
      ns: step[`${key}_ns`],
      color: partColors[key],
    }),
  );
  const idle = step.idle_causes.map(({ cause, ns }) => ({
    key: `idle ${cause}`,
    label: `${w.parts.idle}: ${w.causes[cause as keyof Words['causes']] ?? cause}`,
    ns,
    color: causeColor(cause),
    hatched: true,
  }));
  return [...busy, ...idle];
}

/** The median used step, which the verdict is about. */
export function medianStep(report: Report): Step | null {
  const used = report.steps.items.filter((step) => step.used);
  const sorted = used.toSorted((a, b) => a.duration_ns - b.duration_ns);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? report.steps.items[0] ?? null;
}

interface Linked {
  report: Report;
  profile: number;
  trace: number;
}

export function Overview({ source, ranks, ...of }: Linked & { source: Source; ranks: (number | null)[] }) {
  const w = words();
  const { report, profile, trace } = of;
  const painted = usePainted(2);
  const calls = (row: { name: string }) =>
    source.live ? href(profile, 'timeline', { ...onTrace(trace), ...callsOf(row.name) }) : null;
  return (
    <div class="overview" aria-busy={painted < 2}>
      <Head {...of} />
      <div class="column">
        <section class="card">
          <h2>{w.stepTime}</h2>
          {report.steps.count === 0 ? <p class="muted">{w.noSteps}</p> : painted > 0 && <StepChart {...of} />}
        </section>
        <section class="card">
          <h2>{w.findings}</h2>
          <Findings {...of} ranks={ranks} />
        </section>
      </div>
      <div class="column">
        <section class="card">
          <h2>{w.breakdown}</h2>
          {painted > 0 && <Breakdown {...of} />}
        </section>
        <section class="card">
          <h2>{w.idleCauses}</h2>
          {painted > 0 && <IdleCauses {...of} />}
        </section>
        {report.memory.length > 0 && (
          <section class="card">
            <h2>
              {w.memoryCurve} <a href={href(profile, 'memory', onTrace(trace))}>{w.showAll}</a>
            </h2>
            {painted > 1 && <Memory {...of} source={source} />}
          </section>
        )}
      </div>
      <section class="card whole">
        <h2>
          {w.topOps} <a href={href(profile, 'ops', onTrace(trace))}>{w.showAll}</a>
        </h2>
        {painted > 1 && (
          <Table
            id="top-ops"
            rows={report.ops.slice(0, 12)}
            columns={opColumns(w, false)}
            filterable={false}
            link={calls}
          />
        )}
      </section>
      <section class="card whole">
        <h2>
          {w.topKernels} <a href={href(profile, 'kernels', onTrace(trace))}>{w.showAll}</a>
        </h2>
        {painted > 1 && (
          <Table
            id="top-kernels"
            rows={report.kernels.slice(0, 12)}
            columns={kernelColumns(w, false)}
            filterable={false}
            link={calls}
          />
        )}
      </section>
    </div>
  );
}

/** The curve of the first device with one; the peaks of all. A click leads to the moment in the timeline. */
function Memory({ report, profile, trace, source }: Linked & { source: Source }) {
  const w = words();
  const laidOut = useAsk(`${profile}`, () => timelineOf(profile));
  const at = (ns: number) => ({
    ...onClockOf(trace),
    from: String(Math.max(0, Math.round(ns) - 1e6)),
    to: String(Math.round(ns) + 1e6),
  });
  const info = laidOut.state === 'done' ? laidOut.value[trace] : undefined;
  const onPage = href(profile, 'memory', onTrace(trace));
  return (
    <>
      {info && (
        <MemoryCurve
          source={source}
          profile={profile}
          trace={trace}
          info={info}
          device={report.memory[0].device}
          height={170}
          onClick={(ns) => go(profile, 'timeline', at(ns))}
        />
      )}
      <ul class="plain">
        {report.memory.map((row) => (
          <li
            key={row.device}
            data-memory={row.device}
            data-peak={row.peak_allocated_bytes ?? row.peak_of_running_sum_bytes}
          >
            {row.device}: {w.peak}{' '}
            <a
              class="number"
              href={row.peak_at_ns === null ? onPage : href(profile, 'timeline', at(row.peak_at_ns))}
            >
              {bytes(row.peak_allocated_bytes ?? row.peak_of_running_sum_bytes)}
            </a>
            {row.peak_reserved_bytes !== null && (
              <>
                {` · ${w.peakReserved} `}
                <a class="number" href={onPage}>
                  {bytes(row.peak_reserved_bytes)}
                </a>
              </>
            )}
            {row.growth_bytes_per_step ? (
              <>
                {` · ${w.growth} `}
                <a class="number" href={onPage}>
                  {bytes(row.growth_bytes_per_step)}
                </a>
              </>
            ) : null}
          </li>
        ))}
      </ul>
    </>
  );
}

function Head({ report, profile: id, trace }: Linked) {
  const w = words();
  const { profile, verdict, steps } = report;
  const place = (step: Step | null | undefined) =>
    step ? href(id, 'timeline', stepWindow(step, trace)) : href(id, 'timeline', onTrace(trace));
  const lasting = (ns: number) => steps.items.find((step) => step.used && step.duration_ns === ns);
  const devices = new Map<string, number>();
  for (const device of profile.devices) {
    const name = device.name ?? device.id;
    devices.set(name, (devices.get(name) ?? 0) + 1);
  }
  return (
    <header class="head card">
      <div class="verdict" data-testid="verdict" data-bound={verdict.bound_by}>
        <small>{w.verdict}</small>
        <strong>{w.bound[verdict.bound_by as keyof Words['bound']] ?? verdict.bound_by}</strong>
      </div>
      <div class="head-text">
        <p class="sentence">
          <a href={place(medianStep(report))}>{verdict.sentence}</a>
        </p>
        <p class="muted" data-testid="facts">
          {[profile.framework, profile.framework_version].filter(Boolean).join(' ')}
          {[...devices].map(([name, n]) => ` · ${n} × ${name}`)}
          {` · ${steps.count} ${w.steps.toLowerCase()} · `}
          <a href={place(null)}>
            {`${duration(profile.span_ns)} · ${count(profile.events.in_file)} ${w.events}`}
          </a>
        </p>
        <Trust report={report} />
      </div>
      {steps.median_ns !== null && (
        <div class="big-number" data-testid="median" data-ns={steps.median_ns}>
          <a href={place(medianStep(report))}>
            <strong>{duration(steps.median_ns)}</strong>
          </a>
          <small>
            {w.step}, {w.median} · {(1e9 / steps.median_ns).toFixed(steps.median_ns > 1e9 ? 2 : 1)}{' '}
            {w.stepsPerSecond}
            <br />
            {steps.min_ns !== null && steps.max_ns !== null && (
              <>
                <a href={place(lasting(steps.min_ns))}>{duration(steps.min_ns)}</a>
                {' … '}
                <a href={place(lasting(steps.max_ns))}>{duration(steps.max_ns)}</a>
              </>
            )}
          </small>
        </div>
      )}
    </header>
  );
}

function Trust({ report }: { report: Report }) {
  const w = words();
  const signs: Record<string, string> = { error: '✖', warning: '!', info: 'i' };
  return (
    <ul class="trust" data-testid="trust">
      {report.quality.length === 0 && <li class="fine">✔ {w.nothingToDoubt}</li>}
      {report.quality.map((entry) => (
        <li key={entry.code} class={entry.severity}>
          {entry.examples.length === 0 ? (
            <>
              <b aria-hidden="true">{signs[entry.severity] ?? '·'}</b> {entry.sentence}
            </>
          ) : (
            <details>
              <summary>
                <b aria-hidden="true">{signs[entry.severity] ?? '·'}</b> {entry.sentence}
              </summary>
              <ul>
                {entry.examples.map((e) => (
                  <li key={`${e.offset}${e.text}`}>
                    {e.text} {e.offset !== null && `· ${w.offset} ${count(e.offset)}`}
                  </li>
                ))}
              </ul>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

const stepWindow = (step: Step, trace: number) => ({
  ...onClockOf(trace),
  from: String(Math.round(step.start_ns - step.duration_ns * 0.02)),
  to: String(Math.round(step.start_ns + step.duration_ns * 1.02)),
});

/** A gap, selected, with room around it. */
const gapWindow = ({ start_ns, ns }: { start_ns: number; ns: number }, trace: number) => {
  const pad = Math.max(ns * 0.3, 2000);
  return {
    ...onClockOf(trace),
    from: String(Math.round(start_ns - pad)),
    to: String(Math.round(start_ns + ns + pad)),
    a: String(start_ns),
    b: String(start_ns + ns),
  };
};

function StepChart({ report, profile, trace }: Linked) {
  const w = words();
  const { items } = report.steps;
  const data = useMemo(
    () =>
      [
        items.map((_, index) => index),
        items.map((step) => (step.used ? step.duration_ns / 1e6 : null)),
        items.map((step) => (step.used ? null : step.duration_ns / 1e6)),
      ] as [number[], (number | null)[], (number | null)[]],
    [items],
  );
  const point = (color: string, empty: boolean) => ({
    stroke: color,
    width: empty ? 0 : 1.5,
    points: { show: true, size: 8, fill: empty ? 'transparent' : color, stroke: color },
  });
  return (
    <>
      <Chart
        label={w.stepTime}
        data={data}
        height={190}
        discrete
        series={[point('#0072b2', false), point('#d55e00', true)]}
        formatX={(i) => (items[i] ? String(items[i].number) : '')}
        formatY={(ms) => `${ms} ms`}
        onClick={(x) => {
          const step = items[Math.round(x)];
          if (step) go(profile, 'timeline', stepWindow(step, trace));
        }}
      />
      <p class="muted">
        <span class="swatch" style={{ backgroundColor: '#0072b2' }} /> {report.steps.used} {w.used} ·{' '}
        <span class="swatch ring" /> {items.length - report.steps.used} {w.leftOut}
        {items
          .filter((step) => !step.used)
          .map((step) => ` · ${step.name}: ${w.whyUnused[step.why_unused ?? ''] ?? step.why_unused ?? ''}`)}
      </p>
    </>
  );
}

/** Where a part of a step comes from: a cause of idle time in its longest gap, all else in the step. */
function partLink(
  { idle_causes }: Report,
  device: string,
  part: string,
  profile: number,
  trace: number,
  step: Step,
): string {
  const cause = idle_causes.find((row) => row.device === device && `idle ${row.cause}` === part);
  return cause?.longest
    ? href(profile, 'timeline', gapWindow(cause.longest, trace))
    : href(profile, 'timeline', stepWindow(step, trace));
}

function Breakdown({ report, profile, trace }: Linked) {
  const w = words();
  const step = medianStep(report);
  if (!step) return <p class="muted">{w.noSteps}</p>;
  const shown = report.steps.items.slice(0, 40);
  const more = report.steps.items.length - shown.length;
  const present = new Map<string, Part>();
  for (const item of shown)
    for (const device of item.devices)
      for (const part of partsOf(device, w)) if (part.ns > 0) present.set(part.key, part);
  return (
    <>
      <Legend parts={[...present.values()]} />
      <div class="breakdown">
        {shown.map((item) => (
          <div key={item.start_ns} class={`breakdown-step${item.used ? '' : ' unused'}`}>
            <span title={item.name}>{item.name}</span>
            <div>
              {item.devices.map((device) => (
                <Stacked
                  key={device.device}
                  parts={partsOf(device, w)}
                  total={item.duration_ns}
                  height={item.devices.length > 4 ? 8 : 16}
                />
              ))}
            </div>
            <a
              class="number"
              data-ns={item.duration_ns}
              href={href(profile, 'timeline', stepWindow(item, trace))}
            >
              {duration(item.duration_ns)}
            </a>
          </div>
        ))}
        {more > 0 && <p class="muted">{fill(w.moreSteps, count(more))}</p>}
      </div>
      {step.devices.map((device) => (
        <table key={device.device} class="parts" data-device={device.device} data-step={step.start_ns}>
          <caption>
            {step.name} · {device.device}
          </caption>
          <tbody>
            {partsOf(device, w)
              .filter((part) => part.ns > 0)
              .map((part) => (
                <tr key={part.key}>
                  <td>
                    <Swatch part={part} /> {part.label}
                  </td>
                  <td class="numeric" data-ns={part.ns} data-part={part.key}>
                    <a class="number" href={partLink(report, device.device, part.key, profile, trace, step)}>
                      {milliseconds(part.ns)} ms
                    </a>
                  </td>
                  <td class="numeric">{percent(part.ns, step.duration_ns)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      ))}
    </>
  );
}

function IdleCauses({ report, profile, trace }: Linked) {
  const w = words();
  if (report.idle_causes.length === 0) return <p class="muted">–</p>;
  return (
    <Table
      id="idle-causes"
      filterable={false}
      rows={report.idle_causes}
      link={(row) => (row.longest ? href(profile, 'timeline', gapWindow(row.longest, trace)) : null)}
      columns={[
        { key: 'device', title: w.device, value: (r) => r.device, width: '60px' },
        {
          key: 'cause',
          title: w.cause,
          value: (r) => w.causes[r.cause as keyof Words['causes']] ?? r.cause,
          width: '170px',
          cell: (r) => (
            <>
              <span class="swatch hatched" style={{ backgroundColor: causeColor(r.cause) }} />{' '}
              {w.causes[r.cause as keyof Words['causes']] ?? r.cause}
            </>
          ),
        },
        {
          key: 'ns',
          title: w.total,
          value: (r) => r.ns,
          numeric: true,
          bar: true,
          width: '88px',
          unit: 'ms',
        },
        {
          key: 'gaps',
          title: w.gaps,
          value: (r) => r.gaps,
          numeric: true,
          width: '64px',
        },
        {
          key: 'longest',
          title: w.longest,
          value: (r) => r.longest?.ns ?? null,
          numeric: true,
          width: '84px',
          unit: 'duration',
        },
        { key: 'example', title: w.example, value: (r) => r.example, width: 'minmax(110px, 1fr)' },
      ]}
    />
  );
}
