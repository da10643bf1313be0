import { useEffect, useMemo } from 'preact/hooks';
import type { KernelRow, OpRow, ProfileState, Report } from '../api';
import { duration, milliseconds } from '../format';
import { words } from '../i18n';
import { go, route } from '../route';
import { reportsOf, session, source } from '../state';
import { useAsk } from '../ui/ask';
import { Empty, Failed, Working } from '../ui/empty';
import { type Part, Stacked, Swatch } from '../ui/stacked';
import { type Column, Table } from '../ui/table';
import type { PageProps } from './page';
import { Bar } from './start';
import { medianStep, partsOf } from './steps_part';

interface Pair {
  name: string;
  base: number;
  other: number;
  baseCalls: number;
  otherCalls: number;
}

/** Rows of two tables side by side, matched by name; per step, so that profiles of different length compare. */
export function pairs<T extends { name: string; calls: number }>(
  base: T[],
  other: T[],
  value: (row: T) => number,
  baseSteps: number,
  otherSteps: number,
): Pair[] {
  const rows = new Map<string, Pair>();
  const add = (list: T[], side: 'base' | 'other', steps: number) => {
    for (const row of list) {
      let pair = rows.get(row.name);
      if (!pair) {
        pair = { name: row.name, base: 0, other: 0, baseCalls: 0, otherCalls: 0 };
        rows.set(row.name, pair);
      }
      pair[side] += value(row) / steps;
      pair[`${side}Calls`] += row.calls;
    }
  };
  add(base, 'base', baseSteps);
  add(other, 'other', otherSteps);
  return [...rows.values()].sort((a, b) => Math.abs(b.other - b.base) - Math.abs(a.other - a.base));
}

export function ComparePage({ profile: base }: PageProps) {
  const w = words();
  const { profiles } = session.value!;
  const { params } = route.value;
  const other = params.has('with') ? Number(params.get('with')) : null;
  const readable = profiles.filter((p) => p.state !== 'failed');
  const chosen = readable.find((p) => p.id === other) ?? readable.find((p) => p.id !== base);
  const second = chosen?.id ?? null;
  useEffect(() => {
    if (chosen?.state === 'waiting') void source.value?.open(chosen.id);
  }, [chosen?.id, chosen?.state]);
  const asked = useAsk(
    `${base}/${second}/${chosen?.revision}`,
    second === null || chosen?.state !== 'ready'
      ? null
      : () => Promise.all([reportsOf(base), reportsOf(second)]),
  );
  if (second === null) return <Empty what={w.compareNeedsTwo} record="" />;
  return (
    <>
      <div class="choices">
        <Pick
          label={w.base}
          profiles={readable}
          now={base}
          onPick={(id) => go(id, 'compare', { with: String(second) })}
        />
        <Pick
          label={w.other}
          profiles={readable}
          now={second}
          onPick={(id) => go(base, 'compare', { with: String(id) })}
        />
      </div>
      {chosen?.state === 'loading' && <Bar share={chosen.share} />}
      {asked.state === 'waiting' && <Working text={w.loading} />}
      {asked.state === 'failed' && <Failed error={asked.error} />}
      {asked.state === 'done' && <Side base={asked.value[0][0]} other={asked.value[1][0]} />}
    </>
  );
}

function Pick({
  label,
  profiles,
  now,
  onPick,
}: {
  label: string;
  profiles: ProfileState[];
  now: number;
  onPick: (id: number) => void;
}) {
  return (
    <label>
      {label}{' '}
      <select value={now} onChange={(event) => onPick(Number(event.currentTarget.value))}>
        {profiles.map((p) => (
          <option key={p.id} value={p.id}>
            {p.name}
          </option>
        ))}
      </select>
    </label>
  );
}

const perStep = (report: Report) => Math.max(1, report.steps.count);

function Side({ base, other }: { base: Report; other: Report }) {
  const w = words();
  const ops = useMemo(
    () =>
      pairs<OpRow>(
        base.ops,
        other.ops,
        (r) => r.device_self_ns || r.host_self_ns,
        perStep(base),
        perStep(other),
      ),
    [base, other],
  );
  const kernels = useMemo(
    () => pairs<KernelRow>(base.kernels, other.kernels, (r) => r.total_ns, perStep(base), perStep(other)),
    [base, other],
  );
  const figures: [string, number | null, number | null][] = [
    [w.medianStep, base.steps.median_ns, other.steps.median_ns],
    [w.shortest, base.steps.min_ns, other.steps.min_ns],
    [w.longest, base.steps.max_ns, other.steps.max_ns],
  ];
  const parts = [base, other].map((report) => {
    const step = medianStep(report);
    return step?.devices[0] ? { step, parts: partsOf(step.devices[0], w) } : null;
  });
  const keys = [
    ...new Set(parts.flatMap((p) => p?.parts.filter((part) => part.ns > 0).map((part) => part.key) ?? [])),
  ];
  const ns = (side: number, key: string) => parts[side]?.parts.find((p) => p.key === key)?.ns ?? 0;
  const partOf = (key: string) => parts.flatMap((p) => p?.parts ?? []).find((part) => part.key === key);
  return (
    <>
      <section class="card">
        <h2>{w.stepTime}</h2>
        <table class="parts" data-testid="compare-steps">
          <Sides />
          <tbody>
            {figures.map(([name, a, b]) => (
              <Figures key={name} name={name} base={a} other={b} />
            ))}
          </tbody>
        </table>
      </section>
      <section class="card">
        <h2>{w.breakdown}</h2>
        {parts.map(
          (side, i) =>
            side && (
              <div class="breakdown-step" key={side.step.start_ns + i}>
                <span>{i === 0 ? w.base : w.other}</span>
                <Stacked
                  parts={side.parts}
                  total={Math.max(...parts.map((p) => p?.step.duration_ns ?? 1))}
                  height={18}
                />
                <span class="numeric">{duration(side.step.duration_ns)}</span>
              </div>
            ),
        )}
        <table class="parts" data-testid="compare-parts">
          <Sides />
          <tbody>
            {keys.map((key) => (
              <Figures
                key={key}
                name={partOf(key)?.label ?? key}
                part={partOf(key)}
                base={ns(0, key)}
                other={ns(1, key)}
              />
            ))}
          </tbody>
        </table>
      </section>
      <section class="card">
        <h2>
          {w.pages.ops}, {w.perStep}
        </h2>
        <Table id="compare-ops" rows={ops} columns={pairColumns(w)} height={420} />
      </section>
      <section class="card">
        <h2>
          {w.pages.kernels}, {w.perStep}
        </h2>
        <Table id="compare-kernels" rows={kernels} columns={pairColumns(w)} height={420} />
      </section>
    </>
  );
}

function Sides() {
  const w = words();
  return (
    <thead>
      <tr>
        <td />
        {[w.base, w.other, w.difference, w.ratio].map((title) => (
          <th key={title}>{title}</th>
        ))}
      </tr>
    </thead>
  );
}

interface FiguresProps {
  name: string;
  part?: Part;
  base: number | null;
  other: number | null;
}

function Figures({ name, part, base, other }: FiguresProps) {
  const both = base !== null && other !== null;
  return (
    <tr>
      <td>
        {part && <Swatch part={part} />} {name}
      </td>
      <td class="numeric" data-ns={base}>
        {base === null ? '–' : duration(base)}
      </td>
      <td class="numeric" data-ns={other}>
        {other === null ? '–' : duration(other)}
      </td>
      <td class="numeric">{both ? `${other > base ? '+' : ''}${duration(other - base)}` : '–'}</td>
      <td class="numeric">{both && base > 0 ? `${(other / base).toFixed(2)}×` : '–'}</td>
    </tr>
  );
}

function pairColumns(w: ReturnType<typeof words>): Column<Pair>[] {
  const ms = (key: 'base' | 'other', title: string): Column<Pair> => ({
    key,
    title: title,
    value: (r) => r[key],
    numeric: true,
    unit: 'ms',
  });
  return [
    { key: 'name', title: w.name, value: (r) => r.name },
    {
      key: 'bc',
      title: `${w.calls} (${w.base})`,
      value: (r) => r.baseCalls,
      numeric: true,
    },
    {
      key: 'oc',
      title: `${w.calls} (${w.other})`,
      value: (r) => r.otherCalls,
      numeric: true,
    },
    ms('base', w.base),
    ms('other', w.other),
    {
      key: 'difference',
      title: w.difference,
      value: (r) => r.other - r.base,
      numeric: true,
      unit: 'ms',
      cell: (r) => `${r.other > r.base ? '+' : ''}${milliseconds(r.other - r.base)}`,
    },
    {
      key: 'ratio',
      title: w.ratio,
      value: (r) => (r.base > 0 ? r.other / r.base : null),
      numeric: true,
      cell: (r) => (r.base > 0 ? `${(r.other / r.base).toFixed(2)}×` : '–'),
    },
  ];
}
