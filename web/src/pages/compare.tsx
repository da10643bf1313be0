import { useEffect, useMemo } from 'preact/hooks';
import type { ProfileState, Report } from '../api';
import { partColors } from '../colors';
import type { Diff, DiffMetric, DiffNode, Outcome } from '../diff';
import { titleOf } from '../diff';
import { bytes, count, duration, signedPercent } from '../format';
import { language, type Words, words } from '../i18n';
import { go, href, route } from '../route';
import type { Source } from '../source';
import { reportsOf, session, source, timelineOf } from '../state';
import { useAsk } from '../ui/ask';
import { Empty, Failed, Working } from '../ui/empty';
import { SignedFlame } from '../ui/signed_flame';
import { StepStrips } from '../ui/step_strips';
import { type Column, Table } from '../ui/table';
import type { PageProps } from './page';
import { Bar } from './start';
import { medianStep } from './steps_part';

const BY = ['op', 'module', 'kernel', 'category', 'line'] as const;

export const signed = (ns: number, unit: DiffMetric['unit'] = 'ns'): string => {
  const text =
    unit === 'bytes' ? bytes(Math.abs(ns)) : unit === 'count' ? count(Math.abs(ns)) : duration(Math.abs(ns));
  return ns > 0 ? `+${text}` : ns < 0 ? `−${text}` : text;
};

const value = (amount: number, unit: DiffMetric['unit']): string =>
  unit === 'bytes' ? bytes(amount) : unit === 'count' ? count(amount) : duration(amount);

/** Names that tell profiles apart: two of the same name get the folder that differs, else their number. */
export function tellingNames(profiles: { id: number; name: string; paths: string[] }[]): Map<number, string> {
  const names = new Map<number, string>();
  for (const profile of profiles) {
    const alike = profiles.filter((other) => other.name === profile.name);
    if (alike.length === 1) {
      names.set(profile.id, profile.name);
      continue;
    }
    const folder = (p: { paths: string[] }) => p.paths[0]?.split('/').slice(-2, -1)[0] ?? '';
    const unique = new Set(alike.map(folder)).size === alike.length;
    const mark = unique ? folder(profile) : String(profile.id + 1);
    names.set(profile.id, `${profile.name} (${mark})`);
  }
  return names;
}

export function ComparePage({ profile: base }: PageProps) {
  const { profiles } = session.value!;
  const { params } = route.value;
  const other = params.has('with') ? Number(params.get('with')) : null;
  const by = params.get('by') ?? 'op';
  const w = words();
  const readable = profiles.filter((p) => p.state !== 'failed');
  const chosen = readable.find((p) => p.id === other && p.id !== base) ?? readable.find((p) => p.id !== base);
  const second = chosen?.id ?? null;
  const way = (BY as readonly string[]).includes(by) ? by : 'op';
  useEffect(() => {
    if (chosen?.state === 'waiting') void source.value?.open(chosen.id);
  }, [chosen?.id, chosen?.state]);
  const asked = useAsk(
    `${base}/${second}/${chosen?.revision}/${way}/${language.value}`,
    second === null || chosen?.state !== 'ready'
      ? null
      : () => source.value!.diff(base, second, way, language.value),
  );
  if (second === null) return <Empty what={w.compareNeedsTwo} record="" />;
  const to = (from: number, into: number, how = way) =>
    go(from, 'compare', { with: String(into), ...(how === 'op' ? {} : { by: how }) });
  const live = source.value?.live ?? false;
  return (
    <>
      <div class="choices">
        <Pick
          label={w.base}
          profiles={readable}
          now={base}
          onPick={(id) => to(id, id === second ? base : second)}
        />
        <Pick
          label={w.other}
          profiles={readable.filter((p) => p.id !== base)}
          now={second}
          onPick={(id) => to(base, id)}
        />
        {live && (
          <label>
            {w.compare.by}{' '}
            <select value={way} onChange={(event) => to(base, second, event.currentTarget.value)}>
              {BY.map((one) => (
                <option key={one} value={one}>
                  {w.compare.ways[one]}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {chosen?.state === 'loading' && <Bar share={chosen.share} />}
      {asked.state === 'waiting' && <Working text={w.loading} />}
      {asked.state === 'failed' && <Failed error={asked.error} />}
      {asked.state === 'done' && (
        <Compared diff={asked.value} from={source.value!} base={base} other={second} />
      )}
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
  const names = tellingNames(profiles);
  return (
    <label>
      {label}{' '}
      <select value={now} onChange={(event) => onPick(Number(event.currentTarget.value))}>
        {profiles.map((p) => (
          <option key={p.id} value={p.id}>
            {names.get(p.id)}
          </option>
        ))}
      </select>
    </label>
  );
}

const SIGNS: Record<Outcome, string> = {
  slower: '▲',
  faster: '▼',
  same: '=',
  cannot_tell: '?',
  not_comparable: '≠',
};

function Result({ result, unit }: { result: Outcome; unit?: DiffMetric['unit'] }) {
  const w = words();
  const amount = unit !== undefined && unit !== 'ns';
  const text =
    amount && result === 'slower'
      ? w.compare.more
      : amount && result === 'faster'
        ? w.compare.less
        : w.compare.results[result];
  return (
    <span class={`result ${result}`}>
      <span aria-hidden="true">{SIGNS[result]}</span> {text}
    </span>
  );
}

function Compared({ diff, from, base, other }: { diff: Diff; from: Source; base: number; other: number }) {
  const w = words();
  return (
    <>
      <section class="card" data-testid="compare-verdict" data-result={diff.verdict.result}>
        <h2>
          <Result result={diff.verdict.result} />
        </h2>
        <p>{diff.verdict.sentence}</p>
        {diff.notes.map((note) => (
          <p class="muted" key={note}>
            {note}
          </p>
        ))}
        {diff.environment.map((change) => (
          <p class="muted" key={change.what}>
            {change.what}: {change.base ?? '–'} → {change.new ?? '–'}
          </p>
        ))}
      </section>
      {diff.metrics.length > 0 && <Metrics diff={diff} />}
      {diff.partition && <Partition diff={diff} />}
      <Strips from={from} base={base} other={other} />
      {diff.nodes.length > 0 && (
        <section class="card">
          <h2>{w.compare.flame}</h2>
          <SignedFlame nodes={diff.categories.length > 0 ? diff.categories : diff.nodes} />
        </section>
      )}
      {diff.nodes.length > 0 && <Nodes diff={diff} base={base} other={other} live={from.live} />}
    </>
  );
}

function Metrics({ diff }: { diff: Diff }) {
  const w = words();
  const shown = diff.metrics.filter((metric) => !metric.id.startsWith('idle.'));
  return (
    <section class="card">
      <h2>{w.compare.metrics}</h2>
      <div class="scrolls" tabIndex={0} role="group" aria-label={w.compare.metrics}>
        <table class="parts one-line" data-testid="compare-steps">
          <thead>
            <tr>
              <td />
              {[w.base, w.other, w.difference, '95 %', w.compare.result].map((title) => (
                <th key={title}>{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((metric) => (
              <tr key={`${metric.id} ${metric.device}`}>
                <td>
                  {w.compare.ids[metric.id as keyof Words['compare']['ids']] ?? metric.id}{' '}
                  {metric.device ?? ''}
                </td>
                <td class="numeric" data-ns={metric.base.median}>
                  {value(metric.base.median, metric.unit)}
                </td>
                <td class="numeric" data-ns={metric.new.median}>
                  {value(metric.new.median, metric.unit)}
                </td>
                <td class="numeric">
                  {signed(metric.delta.abs, metric.unit)}
                  {metric.delta.rel !== null && ` (${signedPercent(metric.delta.rel)})`}
                </td>
                <td class="numeric">
                  {metric.delta.lo === null
                    ? '–'
                    : `${signed(metric.delta.lo, metric.unit)} … ${signed(metric.delta.hi!, metric.unit)}`}
                </td>
                <td>
                  <Result
                    result={metric.id === 'step_time' ? diff.verdict.result : metric.result}
                    unit={metric.unit}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** What the step's difference consists of: bars to the left gained, bars to the right lost. */
function Partition({ diff }: { diff: Diff }) {
  const w = words();
  const parts = diff.partition!;
  const rows = [
    ...Object.entries(parts.delta_ns)
      .filter(([key]) => key !== 'idle')
      .map(([key, ns]) => ({
        key,
        label: key === 'residue' ? w.compare.residue : w.parts[key as keyof Words['parts']],
        ns,
        color: partColors[key] ?? '#888',
      })),
    ...parts.idle_causes.map(({ cause, delta_ns }) => ({
      key: `idle ${cause}`,
      label: `${w.parts.idle}: ${w.causes[cause as keyof Words['causes']] ?? cause}`,
      ns: delta_ns,
      color: '#999',
    })),
  ].filter((row) => row.ns !== 0);
  const most = Math.max(...rows.map((row) => Math.abs(row.ns)), 1);
  return (
    <section class="card">
      <h2>
        {w.breakdown}, {parts.device}: {signed(parts.step_delta_ns)}
      </h2>
      <table class="parts diverging" data-testid="compare-parts">
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <td>{row.label}</td>
              <td class="numeric" data-ns={row.ns}>
                {signed(row.ns)}
              </td>
              <td class="bar-cell">
                <span
                  class={row.ns > 0 ? 'more' : 'less'}
                  style={{
                    width: `${(50 * Math.abs(row.ns)) / most}%`,
                    left: row.ns > 0 ? '50%' : `${50 - (50 * Math.abs(row.ns)) / most}%`,
                  }}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The median step of both sides over one another, on one time axis. */
function Strips({ from, base, other }: { from: Source; base: number; other: number }) {
  const w = words();
  const asked = useAsk(`${base}/${other}`, () =>
    Promise.all([reportsOf(base), reportsOf(other), timelineOf(base), timelineOf(other)]),
  );
  if (asked.state !== 'done') return null;
  const [baseReports, otherReports, baseInfos, otherInfos] = asked.value;
  const side = (
    profile: number,
    name: string,
    reports: Report[],
    info: (typeof baseInfos)[0] | undefined,
  ) => {
    const step = reports[0] && medianStep(reports[0]);
    return step && info ? { profile, name, info, from: step.start_ns, length: step.duration_ns } : null;
  };
  const sides = [
    side(base, w.base, baseReports, baseInfos[0]),
    side(other, w.other, otherReports, otherInfos[0]),
  ].filter((one) => one !== null);
  if (sides.length < 2) return null;
  return (
    <section class="card">
      <h2>{w.compare.timelines}</h2>
      <StepStrips source={from} sides={sides} />
    </section>
  );
}

function Nodes({ diff, base, other, live }: { diff: Diff; base: number; other: number; live: boolean }) {
  const w = words();
  const columns = useMemo(() => nodeColumns(w, base, other, live), [w, base, other, live]);
  return (
    <section class="card">
      <h2>
        {w.compare.nodes}, {w.perStep}
      </h2>
      <Table id="compare-ops" rows={diff.nodes} columns={columns} height={520} />
      {diff.rest.nodes > 0 && (
        <p class="muted">
          {count(diff.rest.nodes)} {w.compare.rest}: {signed(diff.rest.delta_ns)}
        </p>
      )}
    </section>
  );
}

function nodeColumns(w: Words, base: number, other: number, live: boolean): Column<DiffNode>[] {
  const link = (profile: number, events: number[], text: string) =>
    live && events.length > 0 ? (
      <a href={href(profile, 'timeline', { event: String(events[0]) })}>{text}</a>
    ) : (
      text
    );
  return [
    {
      key: 'name',
      title: w.name,
      width: 'minmax(180px, 3fr)',
      value: (r) => titleOf(r.key),
      cell: (r) => (
        <span title={r.kernels.map((k) => `${k.base ?? '–'} → ${k.new ?? '–'}`).join('\n')}>
          {titleOf(r.key)}
          {r.key.module && r.key.op ? <span class="muted"> {r.key.module}</span> : null}
        </span>
      ),
    },
    { key: 'state', title: w.compare.state, width: '84px', value: (r) => w.compare.states[r.state] },
    { key: 'measured', title: w.compare.measured, width: '80px', value: (r) => w.compare.clocks[r.measured] },
    { key: 'bc', title: `${w.calls} (${w.base})`, value: (r) => r.base.calls, numeric: true, width: '92px' },
    { key: 'oc', title: `${w.calls} (${w.other})`, value: (r) => r.new.calls, numeric: true, width: '92px' },
    {
      key: 'base',
      title: w.base,
      width: '84px',
      value: (r) => r.base.median,
      numeric: true,
      unit: 'duration',
      cell: (r) => link(base, r.events.base, duration(r.base.median)),
    },
    {
      key: 'other',
      title: w.other,
      width: '84px',
      value: (r) => r.new.median,
      numeric: true,
      unit: 'duration',
      cell: (r) => link(other, r.events.new, duration(r.new.median)),
    },
    {
      key: 'difference',
      title: w.difference,
      width: '84px',
      value: (r) => r.delta.abs,
      numeric: true,
      unit: 'duration',
      cell: (r) => signed(r.delta.abs),
    },
    {
      key: 'interval',
      title: '95 %',
      width: '172px',
      value: (r) => r.delta.lo,
      numeric: true,
      cell: (r) => (r.delta.lo === null ? '–' : `${signed(r.delta.lo)} … ${signed(r.delta.hi!)}`),
    },
    {
      key: 'result',
      title: w.compare.result,
      width: '100px',
      value: (r) => w.compare.results[r.result],
      cell: (r) => <Result result={r.result} />,
    },
  ];
}
