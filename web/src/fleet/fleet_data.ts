/** What `stepscope fleet page` puts into the page. Tables are columns of one length. */
export interface FleetData {
  version: string;
  language: string;
  fleet: {
    totals: { profiles: number; jobs: number; hosts: number; device_hours: number };
    /** Jobs that waste least and are not in the page, so that it stays small. */
    jobs_left_out: number;
    /** UTC days of the trends: "2026-11-16". */
    days: string[];
    jobs: Columns<JobRow>;
    /** By job: the place of its first day, then the median step of each day in µs; null where it did not run. */
    trends: Record<string, [number, (number | null)[]]>;
    changes: Columns<ChangeRow>;
    savings: Columns<SavingRow>;
    hosts: Columns<HostRow>;
    unreadable: Columns<UnreadableRow>;
    /** An address with {path} in it, where profiles can be opened. */
    link: string | null;
  };
}

export type Columns<Row> = { [Key in keyof Row]: Row[Key][] };

export interface JobRow {
  job_id: string;
  bound_by: string | null;
  profiles: number;
  device_hours: number;
  wasted_device_hours: number;
  idle_device_hours: number;
  communication_device_hours: number;
  /** The profile that wastes most. */
  path: string | null;
}

export interface ChangeRow {
  job_id: string;
  verdict: string;
  delta_rel: number;
  before_ns: number;
  after_ns: number;
  since_run: string;
  since_day: string | null;
  q: number;
}

export interface SavingRow {
  rule: string;
  profiles: number;
  jobs: number;
  saved_device_hours_at_least: number;
  saved_device_hours_likely: number;
  saved_device_hours_at_most: number;
}

export interface HostRow {
  host: string;
  jobs: number;
  slow_jobs: number;
  mean_ratio: number;
}

export interface UnreadableRow {
  reason: string;
  profiles: number;
  example: string;
}

/** The fleet inside a one-file page, or null when the page is about profiles. */
export function fleetData(document: Document): FleetData | null {
  const text = document.getElementById('stepscope-data')?.textContent;
  const data = text ? (JSON.parse(text) as Partial<FleetData>) : {};
  return data.fleet ? (data as FleetData) : null;
}

/** Columns as rows. */
export function rowsOf<Row>(columns: Columns<Row>): Row[] {
  const keys = Object.keys(columns) as (keyof Row)[];
  if (keys.length === 0) return [];
  return columns[keys[0]].map((_, at) => {
    const row = {} as Row;
    for (const key of keys) row[key] = columns[key][at];
    return row;
  });
}

/** Places of days, steps in ns, and the steps at which a change began. */
export function trendOf(
  data: FleetData['fleet'],
  job: string,
): { days: number[]; steps: number[]; changes: (number | null)[] } {
  const [first, values] = data.trends[job] ?? [0, []];
  const days: number[] = [];
  const steps: number[] = [];
  values.forEach((value, at) => {
    if (value === null) return;
    days.push(first + at);
    steps.push(value * 1e3);
  });
  const since = rowsOf(data.changes)
    .filter((change) => change.job_id === job && change.since_day !== null)
    .map((change) => data.days.indexOf(change.since_day!));
  return { days, steps, changes: days.map((day, at) => (since.includes(day) ? steps[at] : null)) };
}

/** Where a profile can be opened; null where nobody said. */
export function linkTo(template: string | null, path: string | null): string | null {
  if (!template || !path) return null;
  const address = template.replace('{path}', encodeURI(path));
  // Paths come from files: nothing but these may be followed.
  return /^(https?|file):\/\//.test(address) ? address : null;
}
