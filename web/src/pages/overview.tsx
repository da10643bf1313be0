import { useMemo } from 'preact/hooks';
import type { DeviceStep, Finding, Report, Step } from '../api';
import { causeColor, partColors } from '../colors';
import { bytes, count, duration, milliseconds, percent } from '../format';
import { type Words, words } from '../i18n';
import { go, href } from '../route';
import { Chart } from '../ui/chart';
import { Legend, type Part, Stacked } from '../ui/stacked';
import { Table } from '../ui/table';
import { kernelColumns, opColumns } from './columns';

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

/** The used step in the middle, as the verdict takes it. */
export function medianStep(report: Report): Step | null {
  const used = report.steps.items.filter((step) => step.used);
  const sorted = used.toSorted((a, b) => a.duration_ns - b.duration_ns);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? report.steps.items[0] ?? null;
}

export function Overview({ report, profile, trace }: { report: Report; profile: number; trace: number }) {
  const w = words();
  const { steps } = report;
  const link = trace > 0 ? { trace: String(trace) } : ({} as Record<string, string>);
  return (
    <div class="overview">
      <Head report={report} />
      <div class="column">
        <section class="card">
          <h2>{w.stepTime}</h2>
          {steps.count === 0 ? (
            <p class="muted">{w.noSteps}</p>
          ) : (
            <StepChart report={report} profile={profile} link={link} />
          )}
        </section>
        <section class="card">
          <h2>{w.idleCauses}</h2>
          <IdleCauses report={report} profile={profile} link={link} />
        </section>
        <section class="card">
          <h2>{w.findings}</h2>
          <Findings findings={report.findings ?? []} profile={profile} link={link} />
        </section>
      </div>
      <div class="column">
        <section class="card">
          <h2>{w.breakdown}</h2>
          <Breakdown report={report} profile={profile} link={link} />
        </section>
      </div>
      <section class="card whole">
        <h2>
          {w.topOps} <a href={href(profile, 'ops', link)}>{w.showAll}</a>
        </h2>
        <Table
          id="top-ops"
          rows={report.ops.slice(0, 12)}
          columns={opColumns(w, false)}
          filterable={false}
          onRow={(row) => go(profile, 'timeline', { ...link, q: row.name })}
        />
      </section>
      <section class="card whole">
        <h2>
          {w.topKernels} <a href={href(profile, 'kernels', link)}>{w.showAll}</a>
        </h2>
        <Table
          id="top-kernels"
          rows={report.kernels.slice(0, 12)}
          columns={kernelColumns(w, false)}
          filterable={false}
          onRow={(row) => go(profile, 'timeline', { ...link, q: row.name })}
        />
      </section>
      {report.memory.length > 0 && (
        <section class="card whole">
          <h2>
            {w.memoryCurve} <a href={href(profile, 'memory', link)}>{w.showAll}</a>
          </h2>
          <ul class="plain">
            {report.memory.map((row) => (
              <li key={row.device}>
                {row.device}: {w.peak}{' '}
                <b>{bytes(row.peak_allocated_bytes ?? row.peak_of_running_sum_bytes)}</b>
                {row.peak_reserved_bytes !== null && ` · ${w.peakReserved} ${bytes(row.peak_reserved_bytes)}`}
                {row.growth_bytes_per_step ? ` · ${w.growth} ${bytes(row.growth_bytes_per_step)}` : ''}
                {row.peak_at_ns !== null && (
                  <>
                    {' · '}
                    <a
                      href={href(profile, 'timeline', {
                        ...link,
                        from: String(Math.max(0, row.peak_at_ns - 1e6)),
                        to: String(row.peak_at_ns + 1e6),
                      })}
                    >
                      {w.showInTimeline}
                    </a>
                  </>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Head({ report }: { report: Report }) {
  const w = words();
  const { profile, verdict, steps } = report;
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
        <p class="sentence">{verdict.sentence}</p>
        <p class="muted">
          {[profile.framework, profile.framework_version].filter(Boolean).join(' ')}
          {[...devices].map(([name, n]) => ` · ${n} × ${name}`)}
          {` · ${steps.count} ${w.steps.toLowerCase()} · ${duration(profile.span_ns)} · ${count(profile.events.in_file)} ${w.events}`}
        </p>
        <Trust report={report} />
      </div>
      {steps.median_ns !== null && (
        <div class="big-number" data-testid="median" data-ns={steps.median_ns}>
          <strong>{duration(steps.median_ns)}</strong>
          <small>
            {w.step}, {w.median} · {(1e9 / steps.median_ns).toFixed(steps.median_ns > 1e9 ? 2 : 1)}{' '}
            {w.stepsPerSecond}
            <br />
            {steps.min_ns !== null && steps.max_ns !== null
              ? `${duration(steps.min_ns)} … ${duration(steps.max_ns)}`
              : ''}
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
        <li
          key={entry.code}
          class={entry.severity}
          title={entry.examples
            .map((e) => [e.text, e.offset === null ? '' : `${w.offset} ${count(e.offset)}`].join(' '))
            .join('\n')}
        >
          <b aria-hidden="true">{signs[entry.severity] ?? '·'}</b> {entry.sentence}
        </li>
      ))}
    </ul>
  );
}

interface Linked {
  report: Report;
  profile: number;
  link: Record<string, string>;
}

const stepWindow = (step: Step, link: Record<string, string>) => ({
  ...link,
  from: String(Math.round(step.start_ns - step.duration_ns * 0.02)),
  to: String(Math.round(step.start_ns + step.duration_ns * 1.02)),
});

function StepChart({ report, profile, link }: Linked) {
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
          if (step) go(profile, 'timeline', stepWindow(step, link));
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

function Breakdown({ report, profile, link }: Linked) {
  const w = words();
  const step = medianStep(report);
  if (!step) return <p class="muted">{w.noSteps}</p>;
  const shown = report.steps.items.length > 40 ? report.steps.items.slice(0, 40) : report.steps.items;
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
            <a href={href(profile, 'timeline', stepWindow(item, link))}>{item.name}</a>
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
            <span class="numeric">{duration(item.duration_ns)}</span>
          </div>
        ))}
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
                    <span
                      class={`swatch${part.hatched ? ' hatched' : ''}`}
                      style={{ backgroundColor: part.color }}
                    />{' '}
                    {part.label}
                  </td>
                  <td class="numeric" data-ns={part.ns} data-part={part.key}>
                    {milliseconds(part.ns)} ms
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

function IdleCauses({ report, profile, link }: Linked) {
  const w = words();
  if (report.idle_causes.length === 0) return <p class="muted">–</p>;
  return (
    <Table
      id="idle-causes"
      filterable={false}
      rows={report.idle_causes}
      onRow={(row) => {
        if (!row.longest) return;
        const pad = Math.max(row.longest.ns * 0.3, 2000);
        go(profile, 'timeline', {
          ...link,
          from: String(Math.round(row.longest.start_ns - pad)),
          to: String(Math.round(row.longest.start_ns + row.longest.ns + pad)),
          a: String(row.longest.start_ns),
          b: String(row.longest.start_ns + row.longest.ns),
        });
      }}
      columns={[
        { key: 'device', title: w.device, value: (r) => r.device, width: '80px' },
        {
          key: 'cause',
          title: w.cause,
          value: (r) => w.causes[r.cause as keyof Words['causes']] ?? r.cause,
          width: '190px',
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
          width: '96px',
          cell: (r) => milliseconds(r.ns),
        },
        {
          key: 'gaps',
          title: w.gaps,
          value: (r) => r.gaps,
          numeric: true,
          width: '72px',
          cell: (r) => count(r.gaps),
        },
        {
          key: 'longest',
          title: w.longest,
          value: (r) => r.longest?.ns ?? null,
          numeric: true,
          width: '96px',
          cell: (r) => (r.longest ? duration(r.longest.ns) : '–'),
        },
        { key: 'example', title: w.example, value: (r) => r.example },
      ]}
    />
  );
}

function Findings({
  findings,
  profile,
  link,
}: {
  findings: Finding[];
  profile: number;
  link: Record<string, string>;
}) {
  const w = words();
  if (findings.length === 0) return <p class="muted">{w.noFindings}</p>;
  return (
    <ul class="findings">
      {findings.map((finding) => {
        const evidence = finding.evidence[0];
        return (
          <li key={finding.rule} class={finding.severity} data-rule={finding.rule}>
            <h3>
              <span class="severity">{w.severity[finding.severity] ?? finding.severity}</span> {finding.title}
              {finding.saving && finding.saving.hi_ns > 0 && (
                <small>
                  {' '}
                  · {w.saving} {duration(finding.saving.lo_ns)}–{duration(finding.saving.hi_ns)} {w.perStep}
                </small>
              )}
            </h3>
            <p>{finding.sentence}</p>
            {finding.causes.map((cause) => (
              <p key={cause.rule} class="cause">
                {cause.sentence}
              </p>
            ))}
            {finding.fix && (
              <p>
                <b>{w.fix}:</b> {finding.fix}
              </p>
            )}
            {evidence && (
              <a
                href={href(profile, 'timeline', {
                  ...link,
                  from: String(Math.round(evidence.start_ns - evidence.ns * 0.1)),
                  to: String(Math.round(evidence.start_ns + Math.max(evidence.ns * 1.1, 1000))),
                  ...(evidence.events.length > 0 ? { event: String(evidence.events[0]) } : {}),
                })}
              >
                {w.evidence}
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}
