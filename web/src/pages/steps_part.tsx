import { useMemo, useState } from 'preact/hooks';
import type { DeviceStep, Report, Step } from '../api';
import { causeColor, partColors } from '../colors';
import { count, duration, milliseconds, percent } from '../format';
import { fill, type Words, words } from '../i18n';
import { go, href, onClockOf } from '../route';
import { stepNames } from '../steps';
import { Chart } from '../ui/chart';
import { binsOf, Histogram } from '../ui/histogram';
import { Legend, type Part, Stacked, Swatch } from '../ui/stacked';

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

export interface Linked {
  report: Report;
  profile: number;
  trace: number;
}

export const stepWindow = (step: Step, trace: number) => ({
  ...onClockOf(trace),
  from: String(Math.round(step.start_ns - step.duration_ns * 0.02)),
  to: String(Math.round(step.start_ns + step.duration_ns * 1.02)),
});

/** A gap, selected, with room around it. */
export const gapWindow = ({ start_ns, ns }: { start_ns: number; ns: number }, trace: number) => {
  const pad = Math.max(ns * 0.3, 2000);
  return {
    ...onClockOf(trace),
    from: String(Math.round(start_ns - pad)),
    to: String(Math.round(start_ns + ns + pad)),
    a: String(start_ns),
    b: String(start_ns + ns),
  };
};

export function StepChart({ report, profile, trace }: Linked) {
  const w = words();
  const { items } = report.steps;
  const names = stepNames(items);
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
          .map(
            (step) =>
              ` · ${names[items.indexOf(step)]}: ${w.whyUnused[step.why_unused ?? ''] ?? step.why_unused ?? ''}`,
          )}
      </p>
    </>
  );
}

/** How often steps of each length occur, where there are enough of them to tell. */
export function StepHistogram({ report }: { report: Report }) {
  const w = words();
  const used = report.steps.items.filter((step) => step.used).map((step) => step.duration_ns);
  if (used.length < 5) return null;
  return (
    <>
      <h3>{w.stepHistogram}</h3>
      <Histogram label={w.stepHistogram} bins={binsOf(used, 40)} format={duration} />
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

export function Breakdown({ report, profile, trace }: Linked) {
  const w = words();
  const [chosen, setChosen] = useState<Step | null>(null);
  const step = chosen ?? medianStep(report);
  if (!step) return <p class="muted">{w.noSteps}</p>;
  const names = stepNames(report.steps.items);
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
        {shown.map((item, index) => (
          <div key={item.start_ns} class={`breakdown-step${item.used ? '' : ' unused'}`}>
            <button
              type="button"
              class="link"
              title={w.chooseStep}
              aria-pressed={item === step}
              onClick={() => setChosen(item)}
            >
              {names[index]}
            </button>
            <button
              type="button"
              class="bars"
              tabIndex={-1}
              aria-label={names[index]}
              onClick={() => setChosen(item)}
            >
              {item.devices.map((device) => (
                <Stacked
                  key={device.device}
                  parts={partsOf(device, w)}
                  total={item.duration_ns}
                  height={item.devices.length > 4 ? 8 : 16}
                />
              ))}
            </button>
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
            {names[report.steps.items.indexOf(step)]} · {device.device}
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
