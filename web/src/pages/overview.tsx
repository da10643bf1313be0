import type { Report, Step } from '../api';
import { causeColor, kindColor } from '../colors';
import { bytes, count, duration, percent } from '../format';
import { fill, type Words, words } from '../i18n';
import { callsOf, go, href, onClockOf, onTrace } from '../route';
import { shortName } from '../short_name';
import type { Source } from '../source';
import { timelineOf } from '../state';
import { useAsk } from '../ui/ask';
import { MemoryCurve } from '../ui/memory_curve';
import { usePainted } from '../ui/painted';
import { type Part, Stacked, Swatch } from '../ui/stacked';
import { Table } from '../ui/table';
import { kernelColumns, opColumns } from './columns';
import { Findings } from './findings';
import type { PageProps } from './page';

import {
  Breakdown,
  gapWindow,
  type Linked,
  medianStep,
  StepChart,
  StepHistogram,
  stepWindow,
} from './steps_part';

export function Overview({ source, reports, ...of }: PageProps) {
  const w = words();
  const ranks = reports.map((one) => one.profile.rank);
  const { report, profile, trace } = of;
  const painted = usePainted(2);
  // It knows who holds memory, and next to nothing of time.
  const snapshot = report.profile.format === 'memory_snapshot';
  const calls = (row: { name: string }) =>
    source.live ? href(profile, 'timeline', { ...onTrace(trace), ...callsOf(row.name) }) : null;
  return (
    <div class="overview" aria-busy={painted < 2}>
      <Head {...of} />
      <div class="column">
        {!snapshot && (
          <section class="card">
            <h2>{w.stepTime}</h2>
            {report.steps.count === 0 ? (
              <p class="muted">{w.noSteps}</p>
            ) : (
              painted > 0 && (
                <>
                  <StepChart {...of} />
                  <StepHistogram report={report} />
                </>
              )
            )}
          </section>
        )}
        <section class="card">
          <h2>{w.findings}</h2>
          <Findings {...of} ranks={ranks} />
        </section>
      </div>
      <div class="column">
        {report.steps.count > 0 && (
          <section class="card">
            <h2>{w.breakdown}</h2>
            {painted > 0 && <Breakdown {...of} />}
          </section>
        )}
        {!snapshot && (
          <section class="card">
            <h2>{w.idleCauses}</h2>
            {painted > 0 && <IdleCauses {...of} />}
          </section>
        )}
        {report.memory.length > 0 && (
          <section class="card">
            <h2>
              {w.memoryCurve} <a href={href(profile, 'memory', onTrace(trace))}>{w.showAll}</a>
            </h2>
            {painted > 1 && <Memory {...of} source={source} />}
          </section>
        )}
      </div>
      {report.critical_path && (
        <section class="card whole">
          <h2>
            {w.criticalPath} <a href={href(profile, 'timeline', pathWindow(of))}>{w.showInTimeline}</a>
          </h2>
          {painted > 1 && <PathSummary {...of} />}
        </section>
      )}
      <section class="card whole" hidden={snapshot && report.ops.length === 0}>
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
      <section class="card whole" hidden={snapshot}>
        <h2>
          {w.topKernels} <a href={href(profile, 'kernels', onTrace(trace))}>{w.showAll}</a>
        </h2>
        {painted > 1 && (
          <Table
            id="top-kernels"
            rows={report.kernels.slice(0, 12)}
            columns={kernelColumns(w, false, report.kernels.slice(0, 12))}
            filterable={false}
            link={calls}
          />
        )}
      </section>
    </div>
  );
}

/** The step that the critical path is of. */
function pathWindow({ report, trace }: Linked): Record<string, string> {
  const step = report.steps.items.find((item) => item.number === report.critical_path?.step);
  return step ? stepWindow(step, trace) : onTrace(trace);
}

/** What the length of the median step consists of: on the host, on the device, on the way between them. */
function PathSummary({ report }: Linked) {
  const w = words();
  const path = report.critical_path!;
  const parts: Part[] = [
    { key: 'host', label: w.onHost, ns: path.host_ns, color: kindColor('framework_op') },
    { key: 'device', label: w.onDevice, ns: path.device_ns, color: kindColor('kernel') },
    { key: 'delay', label: w.launchDelay, ns: path.delay_ns, color: kindColor('runtime_call') },
  ];
  return (
    <div data-testid="critical-path" data-ns={path.ns}>
      <Stacked parts={parts} total={path.ns} height={16} />
      <ul class="legend">
        {parts.map((part) => (
          <li key={part.key} data-part={part.key} data-ns={part.ns}>
            <Swatch part={part} /> {part.label} {duration(part.ns)} · {percent(part.ns, path.ns)}
          </li>
        ))}
      </ul>
      <ol class="path-rows">
        {path.rows.slice(0, 6).map((row) => (
          <li key={`${row.name}${row.kind}${row.device}`} title={row.name}>
            <span class="swatch" style={{ backgroundColor: kindColor(row.kind) }} /> {shortName(row.name)}{' '}
            <span class="muted">
              {duration(row.ns)} · {percent(row.ns, path.ns)} · {count(row.spans)} ×
            </span>
          </li>
        ))}
      </ol>
      <p class="muted">{w.criticalPathHelp}</p>
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

/**
 * One judgement for verdict and findings: good only if the device is kept busy and no finding says otherwise; bad if one is
 * high.
 */
export function moodOf(report: Report): 'good' | 'fair' | 'bad' {
  const worst = (report.findings ?? []).map((finding) => finding.severity);
  if (worst.includes('high')) return 'bad';
  return report.verdict.bound_by === 'compute' && !worst.includes('medium') ? 'good' : 'fair';
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
      <div class="verdict" data-testid="verdict" data-bound={verdict.bound_by} data-mood={moodOf(report)}>
        <small>{w.verdict}</small>
        <strong>{w.bound[verdict.bound_by as keyof Words['bound']] ?? verdict.bound_by}</strong>
      </div>
      <div class="head-text">
        <p class="sentence">
          <a href={place(medianStep(report))}>{verdict.sentence}</a>
        </p>
        {profile.format === 'memory_snapshot' && (
          <p>
            {w.snapshot} <a href={href(id, 'memory', onTrace(trace))}>{w.snapshotMemory}</a>
          </p>
        )}
        <p class="muted" data-testid="facts">
          {[profile.framework, profile.framework_version].filter(Boolean).join(' ')}
          {[...devices].map(([name, n]) => ` · ${n} × ${name}`)}
          {` · ${w.stepCount(steps.count)} · `}
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
            {steps.unprofiled_median_ns != null && (
              <span data-testid="unprofiled" data-ns={steps.unprofiled_median_ns}>
                <br />
                {fill(
                  steps.unprofiled > 0 ? w.timedWithoutProfiler : w.withoutProfiler,
                  duration(steps.unprofiled_median_ns),
                )}
              </span>
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
        { key: 'device', title: w.device, value: (r) => r.device, width: '64px' },
        {
          key: 'cause',
          title: w.cause,
          value: (r) => w.causes[r.cause as keyof Words['causes']] ?? r.cause,
          width: 'minmax(150px, 1fr)',
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
          width: '56px',
        },
        {
          key: 'longest',
          title: w.longest,
          value: (r) => r.longest?.ns ?? null,
          numeric: true,
          width: '84px',
          unit: 'duration',
        },
        { key: 'example', title: w.example, value: (r) => r.example, width: 'minmax(56px, 1fr)' },
      ]}
    />
  );
}
