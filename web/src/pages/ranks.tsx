import { useState } from 'preact/hooks';
import type { RankCollective, RankRow, Ranks, Report } from '../api';
import { causeColor, partColors } from '../colors';
import { count, duration } from '../format';
import { fillEach, type Words, words } from '../i18n';
import { href, onClockOf } from '../route';
import { Empty } from '../ui/empty';
import { Legend, type Part, Stacked } from '../ui/stacked';
import { Table } from '../ui/table';

const PARTS = ['compute', 'exposed_transfer', 'exposed_wait', 'copy', 'input', 'idle'] as const;

const COLORS: Record<(typeof PARTS)[number], string> = {
  compute: partColors.compute,
  exposed_transfer: partColors.exposed_communication,
  exposed_wait: causeColor('communication_wait'),
  copy: partColors.exposed_copy,
  input: causeColor('input'),
  idle: causeColor('unknown'),
};

export function partsOfRank(row: RankRow, w: Words): Part[] {
  return PARTS.map((key) => ({
    key,
    label: w.ranks.parts[key],
    ns: row[`${key}_ns`],
    color: COLORS[key],
    hatched: key === 'exposed_wait' || key === 'idle',
  }));
}

interface Props {
  profile: number;
  reports: Report[];
}

/** One answer for a job of many processes: who is late, where each rank's time goes, what collectives cost. */
export function RanksPage({ profile, reports }: Props) {
  const w = words();
  const job = reports[0]?.ranks;
  if (!job) return <Empty what={w.ranks.none} record="" />;
  return (
    <>
      {[job, ...(job.other_jobs ?? [])].map((one) => (
        <JobCards key={one.name} job={one} profile={profile} reports={reports} />
      ))}
    </>
  );
}

interface Of {
  job: Ranks;
  profile: number;
  reports: Report[];
}

/** The trace of a rank among the profile's. */
function traceOfRank(job: Ranks, position: number, reports: Report[]): number {
  const path = job.ranks[position].path;
  return reports.findIndex((report) => report.profile.paths.includes(path));
}

function JobCards({ job, profile, reports }: Of) {
  const w = words();
  const error = Math.max(...job.clock.ranks.map((clock) => clock.error_ns));
  const straggler = job.straggler;
  return (
    <section class="overview" data-testid="ranks-job">
      <header class="head card">
        <div class="head-text">
          <p class="sentence" data-testid="straggler" data-rank={straggler?.consistent ? straggler.rank : ''}>
            {straggler?.sentence ?? w.ranks.nobody}
          </p>
          {straggler?.consistent && (
            <p>{fillEach(w.ranks.gain, duration(straggler.gain_lo_ns), duration(straggler.gain_hi_ns))}</p>
          )}
          <p class="muted">
            {job.name} · {fillEach(w.ranks.present, count(job.ranks.length), count(job.world_size))} ·{' '}
            {job.clock.marks > 0
              ? fillEach(w.ranks.marks, count(job.clock.marks), duration(error))
              : w.ranks.unaligned}
          </p>
          {job.mismatches.map((row) => (
            <p key={row.rank} class="cause">
              {fillEach(
                w.ranks.differs,
                count(row.rank),
                count(row.index),
                row.found ?? w.ranks.nothing,
                row.expected ?? w.ranks.nothing,
              )}
            </p>
          ))}
        </div>
      </header>
      <div class="card">
        <h2>{w.ranks.breakdown}</h2>
        <Breakdown job={job} profile={profile} reports={reports} />
      </div>
      <div class="card">
        <h2>{w.ranks.lateness}</h2>
        <HeatMap job={job} profile={profile} reports={reports} />
      </div>
      <div class="card whole">
        <h2>{w.ranks.collectives}</h2>
        <Collectives rows={job.collectives} />
      </div>
      <div class="card whole">
        <h2>{w.ranks.together}</h2>
        <Together job={job} profile={profile} reports={reports} />
      </div>
    </section>
  );
}

function Breakdown({ job, profile, reports }: Of) {
  const w = words();
  const longest = Math.max(1, ...job.ranks.map((row) => row.step_ns));
  return (
    <>
      <Legend parts={partsOfRank(job.ranks[0], w)} />
      <div class="breakdown" data-testid="rank-rows">
        {job.ranks.map((row, position) => {
          const parts = partsOfRank(row, w);
          const total = Math.max(
            longest,
            parts.reduce((sum, part) => sum + part.ns, 0),
          );
          const trace = traceOfRank(job, position, reports);
          return (
            <div key={row.rank} class="breakdown-step">
              <span title={row.path}>
                {w.rank} {row.rank}
                <small class="muted">
                  {' '}
                  {w.ranks.own} {duration(row.own_ns)}
                </small>
              </span>
              <Stacked parts={parts} total={total} />
              <a
                class="number"
                data-ns={row.step_ns}
                href={href(profile, 'overview', trace > 0 ? { trace: String(trace) } : {})}
              >
                {duration(row.step_ns)}
              </a>
            </div>
          );
        })}
      </div>
    </>
  );
}

/** A row a rank, a column a step; the darker, the later. */
function HeatMap({ job, profile, reports }: Of) {
  const w = words();
  const most = Math.max(1, ...job.steps.flatMap((step) => step.late_ns));
  const link = (position: number, number: number) => {
    const trace = traceOfRank(job, position, reports);
    const step = reports[trace]?.steps.items.find((item) => item.number === number);
    if (!step) return undefined;
    return href(profile, 'timeline', {
      ...onClockOf(trace),
      from: String(Math.round(step.start_ns)),
      to: String(Math.round(step.start_ns + step.duration_ns)),
    });
  };
  return (
    <div class="heat" data-testid="heat">
      <p class="muted">
        {duration(0)}
        <span class="heat-scale" />
        {duration(most)}
      </p>
      {job.ranks.map((row, position) => (
        <div key={row.rank} class="heat-row">
          <span>
            {w.rank} {row.rank}
          </span>
          {job.steps.map((step) => {
            const late = step.late_ns[position];
            const text = fillEach(w.ranks.late, `${w.rank} ${row.rank}`, duration(late), String(step.step));
            return (
              <a
                key={step.step}
                class="heat-cell"
                href={link(position, step.step)}
                title={text}
                data-ns={late}
                style={{ '--share': String(late / most) }}
              >
                <span class="visually-hidden">{text}</span>
              </a>
            );
          })}
        </div>
      ))}
    </div>
  );
}

function Collectives({ rows }: { rows: RankCollective[] }) {
  const w = words();
  return (
    <Table
      id="rank-collectives"
      filterable={false}
      rows={rows}
      columns={[
        {
          key: 'type',
          title: w.name,
          width: 'minmax(140px, 1fr)',
          value: (row) => `${row.type} ${row.dtype ?? ''}`.trim(),
        },
        { key: 'calls', title: w.ranks.calls, value: (row) => row.calls, numeric: true },
        { key: 'bytes', title: w.ranks.bytes, value: (row) => row.bytes, numeric: true, unit: 'bytes' },
        {
          key: 'transfer',
          title: w.ranks.transfer,
          value: (row) => row.transfer_ns?.median ?? null,
          numeric: true,
          unit: 'duration',
        },
        {
          key: 'bus',
          title: w.ranks.bus,
          value: (row) => (row.busbw_bytes_per_s === null ? null : row.busbw_bytes_per_s / 1e9),
          cell: (row) =>
            row.busbw_bytes_per_s === null ? '–' : (row.busbw_bytes_per_s / 1e9).toPrecision(4),
          numeric: true,
        },
        {
          key: 'wait',
          title: w.ranks.wait,
          value: (row) => row.wait_ns.median,
          numeric: true,
          unit: 'duration',
        },
        {
          key: 'skew',
          title: w.ranks.skew,
          value: (row) => row.arrival_skew_ns.median,
          numeric: true,
          unit: 'duration',
        },
        { key: 'cost', title: w.ranks.cost, value: (row) => w.ranks.costs[row.cost] ?? row.cost },
      ]}
    />
  );
}

const ROW = 24;
const WIDTH = 1000;

/** The calls of one step, a row a rank, joined where they are one collective. */
function Together({ job, profile, reports }: Of) {
  const w = words();
  const numbers = [...new Set(job.calls.map((call) => call.step))].filter((step) => step !== null);
  const [chosen, choose] = useState(numbers[Math.floor(numbers.length / 2)] ?? null);
  const calls = job.calls.filter((call) => call.step === chosen);
  if (calls.length === 0) return <p class="muted">–</p>;
  const times = calls.flatMap((call) => call.ranks.filter((times) => times !== null));
  const from = Math.min(...times.map(([start]) => start));
  const to = Math.max(...times.map(([, end]) => end));
  const x = (time: number) => ((time - from) / Math.max(1, to - from)) * WIDTH;
  const open = (position: number, event: number) => {
    const trace = traceOfRank(job, position, reports);
    return trace < 0 ? undefined : href(profile, 'timeline', { ...onClockOf(trace), event: String(event) });
  };
  return (
    <>
      <label class="choices">
        {w.ranks.step}{' '}
        <select value={chosen ?? ''} onChange={(event) => choose(Number(event.currentTarget.value))}>
          {numbers.map((number) => (
            <option key={number} value={number}>
              {number}
            </option>
          ))}
        </select>{' '}
        {duration(to - from)}
      </label>
      <Legend
        parts={[
          {
            key: 'wait',
            label: w.ranks.wait,
            color: `color-mix(in srgb, ${COLORS.exposed_wait} 35%, transparent)`,
          },
          { key: 'transfer', label: w.ranks.transfer, color: COLORS.exposed_transfer },
        ]}
      />
      <div class="together" data-testid="together">
        <ol>
          {job.ranks.map((row) => (
            <li key={row.rank}>
              {w.rank} {row.rank}
            </li>
          ))}
        </ol>
        <svg
          viewBox={`0 0 ${WIDTH} ${job.ranks.length * ROW}`}
          height={job.ranks.length * ROW}
          preserveAspectRatio="none"
          role="group"
          aria-label={w.ranks.together}
        >
          {calls.map((call, index) => {
            const key = call.ranks.find((times) => times !== null)?.join('/') ?? String(index);
            const joined = call.ranks
              .flatMap((times, position) => (times ? [`${x(times[0])},${position * ROW + ROW / 2}`] : []))
              .join(' ');
            const last = Math.max(...call.ranks.map((times) => times?.[0] ?? 0));
            return (
              <g key={key}>
                <polyline points={joined} />
                {call.ranks.map((times, position) => {
                  if (!times) return null;
                  const [start, end, event] = times;
                  const waited = Math.min(last, end) - start;
                  return (
                    <a key={event} href={open(position, event)}>
                      <title>
                        {`${job.collectives[call.collective]?.type} · ${w.rank} ${job.ranks[position].rank} · ${w.ranks.wait} ${duration(waited)} · ${duration(end - start)}`}
                      </title>
                      <rect
                        x={x(start)}
                        y={position * ROW + 3}
                        width={Math.max(0.5, x(end) - x(start))}
                        height={ROW - 6}
                        fill={COLORS.exposed_wait}
                        opacity={0.35}
                      />
                      <rect
                        x={x(start + Math.max(0, waited))}
                        y={position * ROW + 3}
                        width={Math.max(0.5, x(end) - x(start + Math.max(0, waited)))}
                        height={ROW - 6}
                        fill={COLORS.exposed_transfer}
                      />
                    </a>
                  );
                })}
              </g>
            );
          })}
        </svg>
      </div>
    </>
  );
}
