import type { IdleDetails, Selection, SelectionBy, SliceDetails, SliceRef } from '../api';
import { kindColor } from '../colors';
import { count, duration, percent } from '../format';
import { fill, words } from '../i18n';
import { shortName } from '../short_name';
import type { Source } from '../source';
import { useAsk } from '../ui/ask';
import { Failed, Working } from '../ui/empty';
import { type Column, Table } from '../ui/table';
import type { Picked } from './picking';

interface Props {
  source: Source;
  profile: number;
  onOpen: (trace: number, slice: SliceRef, zoom: boolean) => void;
}

export function SlicePane({
  source,
  profile,
  picked,
  onOpen,
  details,
}: Props & { picked: Extract<Picked, { kind: 'slice' }>; details: SliceDetails | null }) {
  const w = words();
  const { trace } = picked;
  const args = useAsk(
    `${profile}/${trace}/${picked.row}`,
    source.live ? () => source.args(profile, trace, picked.row) : null,
  );
  if (!details) return <Working text={w.loading} />;
  return (
    <div class="pane-columns" data-testid="details">
      <section>
        <h3>
          <span class="swatch" style={{ backgroundColor: kindColor(details.kind) }} /> {details.name}
        </h3>
        <dl class="facts">
          <Fact label={w.kind} value={w.kinds[details.kind] ?? details.kind} />
          <Fact label={w.start} value={duration(details.start_ns)} raw={details.start_ns} />
          <Fact label={w.durationLabel} value={duration(details.duration_ns)} raw={details.duration_ns} />
          {details.self_ns >= 0 && (
            <Fact label={w.selfTime} value={duration(details.self_ns)} raw={details.self_ns} />
          )}
          {details.event >= 0 && <Fact label={w.eventId} value={String(details.event)} />}
          {details.facts.map(([label, value]) => (
            <Fact key={label} label={label} value={String(value)} />
          ))}
        </dl>
        <button type="button" onClick={() => onOpen(trace, details, true)}>
          {w.zoomTo}
        </button>
      </section>
      <section>
        {details.links.length > 0 && (
          <>
            <h4>
              {w.links} <small>{w.walkLinks}</small>
            </h4>
            <ul class="refs" data-testid="links">
              {details.links.map((link) => (
                <li key={`${link.relation}${link.slice.row}`}>
                  <small>{w.relations[link.relation] ?? link.relation}</small>{' '}
                  <Reference slice={link.slice} onOpen={() => onOpen(trace, link.slice, false)} />
                </li>
              ))}
              {details.links_left_out > 0 && <li class="muted">+ {count(details.links_left_out)}</li>}
            </ul>
          </>
        )}
        {details.ancestors.length > 0 && (
          <>
            <h4>{w.stack}</h4>
            <ol class="refs">
              {details.ancestors.map((slice) => (
                <li key={slice.row}>
                  <Reference slice={slice} onOpen={() => onOpen(trace, slice, false)} />
                </li>
              ))}
            </ol>
          </>
        )}
        {source.live && (
          <Every source={source} profile={profile} trace={trace} details={details} onOpen={onOpen} />
        )}
      </section>
      {!source.live && <p class="muted">{w.onlyLive}</p>}
      {source.live && (
        <section>
          <h4>{w.arguments}</h4>
          {args.state === 'waiting' && <Working text={w.reading} />}
          {args.state === 'failed' && <Failed error={args.error} />}
          {args.state === 'done' && <Arguments value={args.value} />}
        </section>
      )}
    </div>
  );
}

function Fact({ label, value, raw }: { label: string; value: string; raw?: number }) {
  return (
    <>
      <dt>{label}</dt>
      <dd title={raw === undefined ? undefined : `${count(raw)} ns`} data-ns={raw}>
        {value}
      </dd>
    </>
  );
}

function Reference({ slice, onOpen }: { slice: SliceRef; onOpen: () => void }) {
  return (
    <button type="button" class="link" onClick={onOpen} title={slice.name} data-row={slice.row}>
      <span class="swatch" style={{ backgroundColor: kindColor(slice.kind) }} />
      {shortName(slice.name)} <small>{duration(slice.duration_ns)}</small>
    </button>
  );
}

/** Arguments as the file has them: always text, whatever they contain. */
function Arguments({ value }: { value: unknown }) {
  if (value === null || typeof value !== 'object') return <pre>{JSON.stringify(value)}</pre>;
  const event = value as Record<string, unknown>;
  const args = event.args && typeof event.args === 'object' ? (event.args as Record<string, unknown>) : {};
  const { args: _, ...rest } = event;
  const rows = [...Object.entries(args), ...Object.entries(rest)];
  return (
    <dl class="facts arguments" data-testid="arguments">
      {rows.map(([key, part]) => (
        <>
          <dt key={key}>{key}</dt>
          <dd>{typeof part === 'string' ? part : JSON.stringify(part)}</dd>
        </>
      ))}
    </dl>
  );
}

function Every({
  source,
  profile,
  trace,
  details,
  onOpen,
}: Props & { trace: number; details: SliceDetails }) {
  const w = words();
  const calls = useAsk(`${profile}/${trace}/${details.name_id}/${details.kind}`, () =>
    source.calls(profile, trace, details.name_id, details.kind),
  );
  if (calls.state !== 'done') return null;
  const every = calls.value;
  const most = Math.max(1, ...every.histogram.map((bin) => bin.count));
  return (
    <div data-testid="every">
      <h4>{w.every}</h4>
      <p class="numbers">
        {count(every.calls)} × · Σ {duration(every.total_ns)} · {w.shortest} {duration(every.min_ns)} · p50{' '}
        {duration(every.p50_ns)} · p90 {duration(every.p90_ns)} · p99 {duration(every.p99_ns)} · {w.longest}{' '}
        {duration(every.max_ns)}
      </p>
      <div class="histogram" role="img" aria-label={w.every}>
        {every.histogram.map((bin) => (
          <span
            key={bin.from_ns}
            class={details.duration_ns >= bin.from_ns && details.duration_ns < bin.to_ns ? 'here' : ''}
            style={{ height: `${bin.count === 0 ? 0 : Math.max(2, (56 * bin.count) / most)}px` }}
            title={`${duration(bin.from_ns)} – ${duration(bin.to_ns)}: ${count(bin.count)}`}
          />
        ))}
      </div>
      <ul class="refs">
        {every.longest.slice(0, 5).map((slice) => (
          <li key={slice.row}>
            <Reference slice={slice} onOpen={() => onOpen(trace, slice, false)} />
          </li>
        ))}
      </ul>
    </div>
  );
}

export function IdlePane({
  gap,
  trace,
  onOpen,
}: { gap: IdleDetails; trace: number } & Pick<Props, 'onOpen'>) {
  const w = words();
  const cause = w.causes[gap.cause as keyof typeof w.causes] ?? gap.cause;
  return (
    <div class="pane-columns" data-testid="idle-details">
      <section>
        <h3>
          {gap.device} · {w.idle}: {cause}
        </h3>
        <dl class="facts">
          <Fact label={w.start} value={duration(gap.start_ns)} raw={gap.start_ns} />
          <Fact label={w.durationLabel} value={duration(gap.duration_ns)} raw={gap.duration_ns} />
          {gap.step && <Fact label={w.step} value={gap.step} />}
        </dl>
      </section>
      <section>
        {gap.blamed && (
          <>
            <h4>{w.blamed}</h4>
            <Reference slice={gap.blamed} onOpen={() => onOpen(trace, gap.blamed!, false)} />
          </>
        )}
        {gap.next && (
          <>
            <h4>{w.nextWork}</h4>
            <Reference slice={gap.next} onOpen={() => onOpen(trace, gap.next!, false)} />
          </>
        )}
      </section>
    </div>
  );
}

type RangeRow = Selection['rows'][number] & { trace: number };

const GROUPS: SelectionBy[] = ['name', 'kind', 'op'];

/** What runs in a stretch of time, over all traces. */
export function RangePane({
  selections,
  ranks,
  by,
  lines,
  onBy,
  onRow,
}: {
  selections: (Selection & { trace: number })[];
  ranks: number[];
  by: SelectionBy;
  /** How many lines are chosen; undefined for all. */
  lines: number | undefined;
  onBy: (by: SelectionBy) => void;
  onRow: (trace: number, row: number) => void;
}) {
  const w = words();
  if (selections.length === 0) return <p class="muted">{w.nothingRuns}</p>;
  const length = selections[0].to_ns - selections[0].from_ns;
  const many = selections.length > 1;
  const rows: RangeRow[] = selections.flatMap(({ rows: found, trace }) =>
    found.map((row) => ({ ...row, trace })),
  );
  const leftOut = selections.reduce((sum, selection) => sum + selection.rows_left_out, 0);
  const of = (trace: number, device: string) => (many ? `${w.rank} ${ranks[trace]} ${device}` : device);
  const rank: Column<RangeRow> = {
    key: 'rank',
    title: w.rank,
    value: (r) => ranks[r.trace],
    numeric: true,
    width: '70px',
  };
  return (
    <div
      class="pane-columns"
      data-testid="selection"
      data-from={selections[0].from_ns}
      data-to={selections[0].to_ns}
    >
      <section class="narrow">
        <h3>
          {duration(length)} {w.selected}
        </h3>
        <p>
          {count(selections.reduce((sum, selection) => sum + selection.spans, 0))} {w.events}
          {lines !== undefined && ` · ${fill(w.onLines, count(lines))}`}
        </p>
        <dl class="facts">
          {selections.flatMap(({ trace, ...selection }) => [
            ...selection.busy.map((row) => (
              <Fact
                key={`${trace}${row.device}`}
                label={`${of(trace, row.device)} ${w.busy}`}
                value={`${duration(row.ns)} (${percent(row.ns, length)})`}
                raw={row.ns}
              />
            )),
            ...selection.idle.map((row) => (
              <Fact
                key={`${trace}${row.device}${row.cause}`}
                label={`${of(trace, row.device)} ${w.causes[row.cause as keyof typeof w.causes] ?? row.cause}`}
                value={duration(row.ns)}
                raw={row.ns}
              />
            )),
          ])}
        </dl>
      </section>
      <section class="wide">
        <div class="choices">
          <b>{w.aggregate}</b>
          <label>
            {w.groupRows}{' '}
            <select
              value={by}
              data-testid="group-by"
              onChange={(event) => onBy(event.currentTarget.value as SelectionBy)}
            >
              {GROUPS.map((one) => (
                <option key={one} value={one}>
                  {w.groupsOfRows[one]}
                </option>
              ))}
            </select>
          </label>
          {leftOut > 0 && <span class="muted">{`${count(leftOut)} ${w.smallLeftOut}`}</span>}
        </div>
        <Table
          id="selection"
          height={190}
          rows={rows}
          sortBy="total"
          onRow={(row) => onRow(row.trace, row.longest)}
          columns={[
            ...(by === 'kind'
              ? []
              : [
                  {
                    key: 'name',
                    title: w.name,
                    value: (r: RangeRow) => r.name,
                    cell: (r: RangeRow) => shortName(r.name),
                  },
                ]),
            {
              key: 'kind',
              title: w.kind,
              value: (r) => w.kinds[r.kind] ?? r.kind,
              width: '150px',
            },
            ...(many ? [rank] : []),
            {
              key: 'calls',
              title: w.calls,
              value: (r) => r.calls,
              numeric: true,
            },
            {
              key: 'total',
              title: w.total,
              value: (r) => r.total_ns,
              numeric: true,
              bar: true,
              unit: 'ms',
            },
            { key: 'self', title: w.self, value: (r) => r.self_ns, numeric: true, unit: 'ms' },
            {
              key: 'mean',
              title: w.mean,
              value: (r) => r.total_ns / Math.max(1, r.calls),
              numeric: true,
              unit: 'us',
            },
            { key: 'max', title: w.longest, value: (r) => r.max_ns, numeric: true, unit: 'us' },
            {
              key: 'share',
              title: w.shareOfSelection,
              value: (r) => (100 * r.total_ns) / Math.max(1, length),
              numeric: true,
              unit: 'percent',
            },
          ]}
        />
      </section>
    </div>
  );
}
