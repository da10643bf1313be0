import { useEffect, useMemo, useState } from 'preact/hooks';
import { count, duration, signedPercent } from '../format';
import { Header } from '../frame/header';
import { fill, fillEach, language, type Words, words } from '../i18n';
import { dark } from '../theme';
import { Chart } from '../ui/chart';
import { type Column, Table } from '../ui/table';
import {
  type ChangeRow,
  type FleetData,
  type HostRow,
  type JobRow,
  linkTo,
  rowsOf,
  type SavingRow,
  trendOf,
  type UnreadableRow,
} from './fleet_data';

const hours = (value: number) => value.toLocaleString('en-US', { maximumSignificantDigits: 4 });

const boundWord = (w: Words, bound: string | null) =>
  bound === null ? null : (w.bound[bound as keyof Words['bound']] ?? bound);

/** A numeric column of device hours. */
function hoursOf<T>(key: string, title: string, value: (row: T) => number, bar = false): Column<T> {
  return { key, title, value, cell: (row) => hours(value(row)), numeric: true, width: '150px', bar };
}

/** A whole fleet on one page: jobs by waste, what would save most, what changed, slow hosts, what could not be read. */
export function FleetPage({ data }: { data: FleetData }) {
  const w = words();
  useEffect(() => {
    document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en';
    document.documentElement.dataset.theme = dark.value ? 'dark' : 'light';
    document.title = `${w.fleet.title} · Stepscope`;
  });
  const { fleet } = data;
  const jobs = useMemo(() => rowsOf(fleet.jobs), [fleet]);
  const changes = useMemo(() => rowsOf(fleet.changes), [fleet]);
  const savings = useMemo(() => rowsOf(fleet.savings), [fleet]);
  const hosts = useMemo(() => rowsOf(fleet.hosts), [fleet]);
  const unreadable = useMemo(() => rowsOf(fleet.unreadable), [fleet]);
  const [job, setJob] = useState<string | null>(changes[0]?.job_id ?? jobs[0]?.job_id ?? null);
  const { totals } = fleet;
  return (
    <>
      <Header profile={null} />
      <div class="frame">
        <main id="content" tabIndex={-1} class="fleet">
          <h1>{w.fleet.title}</h1>
          <p class="muted">
            {fillEach(
              w.fleet.totals,
              count(totals.profiles),
              count(totals.jobs),
              count(totals.hosts),
              hours(totals.device_hours),
            )}
          </p>
          <section>
            <h2>{w.fleet.changes}</h2>
            {changes.length === 0 ? (
              <p class="muted">{w.fleet.noChanges}</p>
            ) : (
              <Table
                id="changes"
                columns={changeColumns(w)}
                rows={changes}
                onRow={(row) => setJob(row.job_id)}
                height={260}
              />
            )}
          </section>
          {job !== null && <Trend fleet={fleet} job={job} />}
          <section>
            <h2>{w.fleet.waste}</h2>
            {fleet.jobs_left_out > 0 && (
              <p class="muted">{fill(w.fleet.leftOut, count(fleet.jobs_left_out))}</p>
            )}
            <Table
              id="jobs"
              columns={jobColumns(w, fleet.link)}
              rows={jobs}
              sortBy="wasted"
              onRow={(row) => setJob(row.job_id)}
              height={420}
            />
          </section>
          <section>
            <h2>{w.fleet.savings}</h2>
            <Table id="savings" columns={savingColumns(w)} rows={savings} sortBy="likely" height={320} />
          </section>
          <section>
            <h2>{w.fleet.hosts}</h2>
            {hosts.length === 0 ? (
              <p class="muted">{w.fleet.noHosts}</p>
            ) : (
              <Table id="hosts" columns={hostColumns(w)} rows={hosts} sortBy="ratio" height={260} />
            )}
          </section>
          <section>
            <h2>{w.fleet.unreadable}</h2>
            {unreadable.length === 0 ? (
              <p class="muted">{w.fleet.allRead}</p>
            ) : (
              <Table
                id="unreadable"
                columns={unreadableColumns(w)}
                rows={unreadable}
                sortBy="profiles"
                height={220}
              />
            )}
          </section>
        </main>
      </div>
    </>
  );
}

function Trend({ fleet, job }: { fleet: FleetData['fleet']; job: string }) {
  const w = words();
  const trend = useMemo(() => trendOf(fleet, job), [fleet, job]);
  return (
    <section data-testid="trend">
      <h2>{fill(w.fleet.trend, job)}</h2>
      {trend.days.length === 0 ? (
        <p class="muted">{w.fleet.noTrend}</p>
      ) : (
        <Chart
          key={job}
          label={fill(w.fleet.trend, job)}
          data={[trend.days, trend.steps, trend.changes]}
          series={[
            { stroke: dark.value ? '#7cc4f5' : '#0060a0', width: 2, points: { show: true, size: 5 } },
            { stroke: '#d55e00', fill: '#d55e00', paths: () => null, points: { show: true, size: 12 } },
          ]}
          height={240}
          formatX={(day) => fleet.days[day]?.slice(5) ?? ''}
          formatY={duration}
          discrete
        />
      )}
    </section>
  );
}

function jobColumns(w: Words, link: string | null): Column<JobRow>[] {
  const t = w.fleet;
  return [
    { key: 'job', title: t.job, value: (row) => row.job_id },
    { key: 'bound', title: t.boundBy, value: (row) => boundWord(w, row.bound_by), width: '150px' },
    { key: 'profiles', title: t.profiles, value: (row) => row.profiles, numeric: true },
    hoursOf('hours', t.hours, (row) => row.device_hours),
    hoursOf('wasted', t.wasted, (row) => row.wasted_device_hours, true),
    hoursOf('idle', t.idle, (row) => row.idle_device_hours),
    hoursOf('communication', t.communication, (row) => row.communication_device_hours),
    {
      key: 'path',
      title: t.worst,
      value: (row) => row.path,
      cell: (row) => {
        const to = linkTo(link, row.path);
        return to ? <a href={to}>{row.path}</a> : (row.path ?? '');
      },
    },
  ];
}

function changeColumns(w: Words): Column<ChangeRow>[] {
  const t = w.fleet;
  return [
    { key: 'job', title: t.job, value: (row) => row.job_id },
    {
      key: 'change',
      title: t.change,
      value: (row) => row.delta_rel,
      cell: (row) => <span class={row.delta_rel > 0 ? 'bad' : 'good'}>{signedPercent(row.delta_rel)}</span>,
      numeric: true,
    },
    { key: 'before', title: t.before, value: (row) => row.before_ns, numeric: true, unit: 'duration' },
    { key: 'after', title: t.after, value: (row) => row.after_ns, numeric: true, unit: 'duration' },
    { key: 'run', title: t.since, value: (row) => row.since_run },
    { key: 'day', title: t.day, value: (row) => row.since_day, width: '120px' },
    { key: 'q', title: t.q, value: (row) => row.q, cell: (row) => row.q.toPrecision(2), numeric: true },
  ];
}

function savingColumns(w: Words): Column<SavingRow>[] {
  const t = w.fleet;
  return [
    { key: 'rule', title: t.rule, value: (row) => row.rule },
    { key: 'profiles', title: t.profiles, value: (row) => row.profiles, numeric: true },
    { key: 'jobs', title: t.jobs, value: (row) => row.jobs, numeric: true },
    hoursOf('least', t.atLeast, (row) => row.saved_device_hours_at_least),
    hoursOf('likely', t.likely, (row) => row.saved_device_hours_likely, true),
    hoursOf('most', t.atMost, (row) => row.saved_device_hours_at_most),
  ];
}

function hostColumns(w: Words): Column<HostRow>[] {
  const t = w.fleet;
  return [
    { key: 'host', title: t.host, value: (row) => row.host },
    { key: 'jobs', title: t.jobs, value: (row) => row.jobs, numeric: true },
    { key: 'slow', title: t.slowJobs, value: (row) => row.slow_jobs, numeric: true },
    {
      key: 'ratio',
      title: t.ratio,
      value: (row) => row.mean_ratio,
      cell: (row) => signedPercent(row.mean_ratio - 1),
      numeric: true,
      width: '180px',
    },
  ];
}

function unreadableColumns(w: Words): Column<UnreadableRow>[] {
  const t = w.fleet;
  return [
    { key: 'reason', title: t.reason, value: (row) => t.reasons[row.reason] ?? row.reason, width: '180px' },
    { key: 'profiles', title: t.profiles, value: (row) => row.profiles, numeric: true },
    { key: 'example', title: t.example, value: (row) => row.example },
  ];
}
