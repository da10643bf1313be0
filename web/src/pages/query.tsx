import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { QueryAnswer, QuerySchema, QueryTables } from '../api';
import { count, duration } from '../format';
import { language, words } from '../i18n';
import { href, note, route } from '../route';
import type { Source } from '../source';
import { useAsk } from '../ui/ask';
import { Chart } from '../ui/chart';
import { Failed, Working } from '../ui/empty';
import { type Column, Table } from '../ui/table';

type Row = (string | number | null)[];

/** Where a row of SQL lies: row numbers count through all traces of the profile. */
export function placeOfSlice(id: number, slices: number[]): { trace: number; row: number } | null {
  for (let trace = 0; trace < slices.length; ++trace) {
    if (id >= 0 && id < slices[trace]) return { trace, row: id };
    id -= slices[trace];
  }
  return null;
}

/** The column that leads to a slice: slice_id, another ..._slice_id, or the id of rows with a time. */
export function sliceColumn(names: string[]): number {
  const own = names.indexOf('slice_id');
  if (own >= 0) return own;
  const other = names.findIndex((name) => name.endsWith('slice_id'));
  if (other >= 0) return other;
  return names.includes('ts') && names.includes('dur') ? names.indexOf('id') : -1;
}

/** The word before the cursor, and what it can become. */
export function completions(
  text: string,
  cursor: number,
  schema: QuerySchema,
): { from: number; words: string[] } {
  const word = text.slice(0, cursor).match(/[A-Za-z_][A-Za-z_0-9]*$/)?.[0] ?? '';
  if (word.length < 1) return { from: cursor, words: [] };
  const tables = [...schema.tables, ...schema.views];
  // Columns of tables that the text names come first.
  const named = tables.filter((table) => new RegExp(`\\b${table.name}\\b`, 'i').test(text));
  const known = [
    ...named.flatMap((table) => table.columns),
    ...tables.map((table) => table.name),
    ...schema.functions.map((f) => f.call.match(/^[a-z_]+(?=\()/)?.[0] ?? ''),
    ...['SELECT', 'FROM', 'WHERE', 'GROUP BY', 'ORDER BY', 'JOIN', 'LIMIT', 'DESC', 'count(*)'],
    ...tables.flatMap((table) => table.columns),
  ];
  const lower = word.toLowerCase();
  const found = new Set(known.filter((k) => k.toLowerCase().startsWith(lower) && k.toLowerCase() !== lower));
  return { from: cursor - word.length, words: [...found].slice(0, 12) };
}

/** Numbers of a column, where all of it is numbers. */
function numbers(answer: QueryAnswer, column: number): number[] | null {
  const type = answer.columns[column]?.type;
  if (type !== 'integer' && type !== 'real') return null;
  return answer.rows.map((row) => Number(row[column] ?? 0));
}

/** What a chart shows until somebody chooses: a length of time, else the last column that is no number of a row or a device. */
export function usualHeight(names: string[], numeric: number[]): number {
  const measured = numeric.filter((i) => !/(^|_)(id|ts|device|stream|rank|row)$/.test(names[i]));
  return measured.find((i) => /(^|_)(dur|ns)$/.test(names[i])) ?? measured.at(-1) ?? numeric.at(-1) ?? -1;
}

function AnswerChart({ answer }: { answer: QueryAnswer }) {
  const w = words().query;
  const numeric = answer.columns.flatMap((c, i) => (c.type === 'integer' || c.type === 'real' ? [i] : []));
  const [y, setY] = useState(
    usualHeight(
      answer.columns.map((column) => column.name),
      numeric,
    ),
  );
  const [x, setX] = useState(-1);
  const chosen = numeric.includes(y) ? y : (numeric.at(-1) ?? -1);
  const data = useMemo(() => {
    const heights = numbers(answer, chosen) ?? [];
    const along = numbers(answer, x) ?? heights.map((_, i) => i + 1);
    // The chart wants places in order.
    const order = along.map((_, i) => i).sort((a, b) => along[a] - along[b]);
    return [order.map((i) => along[i]), order.map((i) => heights[i])] as [number[], number[]];
  }, [answer, chosen, x]);
  if (chosen < 0 || answer.rows.length < 2) return null;
  const choose = (value: number, set: (column: number) => void, rowNumber: boolean, label: string) => (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => set(Number(event.currentTarget.value))}>
        {rowNumber && <option value={-1}>{w.rowNumber}</option>}
        {numeric.map((i) => (
          <option key={i} value={i}>
            {answer.columns[i].name}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <section class="card" data-testid="query-chart">
      <h2>{w.chart}</h2>
      <p class="choices">
        {choose(chosen, setY, false, w.height)} {choose(x, setX, true, w.along)}
      </p>
      <Chart
        label={`${answer.columns[chosen].name}`}
        data={data}
        series={[{ stroke: '#4f7cff', width: 1.5, points: { show: answer.rows.length <= 200 } }]}
        height={220}
        formatX={count}
        formatY={count}
      />
    </section>
  );
}

function AnswerTable({
  answer,
  profile,
  slices,
}: {
  answer: QueryAnswer;
  profile: number;
  slices: number[];
}) {
  const w = words().query;
  const names = answer.columns.map((column) => column.name);
  const slice = sliceColumn(names);
  const columns: Column<Row>[] = answer.columns.map((column, i) => ({
    key: `${i}`,
    title: column.name,
    value: (row) => row[i],
    cell: (row) => (row[i] === null ? <span class="muted">NULL</span> : String(row[i])),
    numeric: column.type === 'integer' || column.type === 'real',
  }));
  const link = (row: Row) => {
    const place = slice >= 0 && row[slice] !== null ? placeOfSlice(Number(row[slice]), slices) : null;
    if (!place) return null;
    const trace: Record<string, string> = place.trace > 0 ? { trace: String(place.trace) } : {};
    return href(profile, 'timeline', { ...trace, row: String(place.row) });
  };
  return (
    <section class="card">
      <p class="muted" data-testid="query-summary">
        {count(answer.rows.length)} {answer.rows.length === 1 ? words().row : words().rows} ·{' '}
        {duration(answer.elapsed_ns)}
        {answer.truncated ? ` · ${w.truncated}` : ''}
        {slice >= 0 ? ` · ${w.leads}` : ''}
      </p>
      <Table
        id="query"
        key={names.join()}
        rows={answer.rows}
        columns={columns}
        link={slice >= 0 ? link : undefined}
      />
    </section>
  );
}

interface EditorProps {
  text: string;
  schema: QuerySchema | null;
  onText: (text: string) => void;
  onRun: () => void;
}

/** A field for SQL: Ctrl+Enter runs, Tab takes the first completion. */
function Editor({ text, schema, onText, onRun }: EditorProps) {
  const w = words().query;
  const field = useRef<HTMLTextAreaElement>(null);
  const [cursor, setCursor] = useState(text.length);
  const offered = schema ? completions(text, cursor, schema) : { from: 0, words: [] };
  const take = (word: string) => {
    const next = text.slice(0, offered.from) + word + text.slice(cursor);
    const end = offered.from + word.length;
    onText(next);
    setCursor(end);
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(end, end);
    });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onRun();
    else if (event.key === 'Tab' && !event.shiftKey && offered.words.length > 0) take(offered.words[0]);
    else return;
    event.preventDefault();
  };
  const look = () => setCursor(field.current?.selectionStart ?? text.length);
  return (
    <div class="sql">
      <textarea
        ref={field}
        rows={Math.min(14, Math.max(4, text.split('\n').length + 1))}
        spellcheck={false}
        autocomplete="off"
        aria-label={w.sql}
        data-testid="sql"
        value={text}
        onInput={(event) => {
          onText(event.currentTarget.value);
          look();
        }}
        onKeyDown={onKey}
        onKeyUp={look}
        onClick={look}
      />
      <p class="sql-words" aria-live="polite">
        {offered.words.map((word) => (
          <button type="button" key={word} onClick={() => take(word)}>
            {word}
          </button>
        ))}
      </p>
    </div>
  );
}

function SchemaList({ schema }: { schema: QuerySchema }) {
  const w = words().query;
  return (
    <section class="card">
      <h2>{w.tables}</h2>
      {[...schema.tables, ...schema.views].map((table) => (
        <details key={table.name}>
          <summary>
            <code>{table.name}</code> <span class="muted">{table.meaning}</span>
          </summary>
          <p class="muted">{table.columns.join(', ')}</p>
        </details>
      ))}
      <details>
        <summary>{w.functions}</summary>
        {schema.functions.map((f) => (
          <p key={f.call}>
            <code>{f.call}</code> <span class="muted">{f.meaning}</span>
          </p>
        ))}
      </details>
    </section>
  );
}

const FIRST =
  'SELECT name, count(*) AS calls, sum(dur) AS ns\nFROM kernel\nGROUP BY name_id\nORDER BY ns DESC\nLIMIT 20';

export function QueryPage({ source, profile }: { source: Source; profile: number }) {
  const w = words().query;
  const [text, setText] = useState(route.value.params.get('sql') ?? FIRST);
  // What was asked: the number makes the same question a new one.
  const [asked, setAsked] = useState({ sql: route.value.params.get('sql') ?? '', turn: 0 });
  const tables = useAsk<QueryTables>(`${profile}/${language.value}`, () =>
    source.queryTables!(profile, language.value),
  );
  const answer = useAsk<QueryAnswer>(
    `${asked.turn}/${asked.sql}`,
    asked.sql ? () => source.query!(profile, asked.sql) : null,
  );
  const run = (sql = text) => {
    note({ sql });
    setAsked({ sql, turn: asked.turn + 1 });
  };
  useEffect(() => {
    const sql = route.value.params.get('sql');
    if (sql && sql !== asked.sql) {
      setText(sql);
      setAsked({ sql, turn: asked.turn + 1 });
    }
  }, [route.value]);
  const known = tables.state === 'done' ? tables.value : null;
  return (
    <>
      <section class="card">
        <p class="choices">
          <label>
            {w.ready}{' '}
            <select
              value=""
              data-testid="library"
              onChange={(event) => {
                const saved = known?.schema.library.find((q) => q.name === event.currentTarget.value);
                if (!saved) return;
                setText(saved.sql);
                run(saved.sql);
              }}
            >
              <option value="">{w.choose}</option>
              {known?.schema.library.map((saved) => (
                <option key={saved.name} value={saved.name} title={saved.meaning}>
                  {saved.name}: {saved.meaning}
                </option>
              ))}
            </select>
          </label>
        </p>
        <Editor text={text} schema={known?.schema ?? null} onText={setText} onRun={() => run()} />
        <p class="choices">
          <button type="button" onClick={() => run()} data-testid="run">
            {w.run}
          </button>{' '}
          <span class="muted">{w.keys}</span>
        </p>
      </section>
      {asked.sql && answer.state === 'waiting' && <Working text={w.running} />}
      {answer.state === 'failed' && <Failed error={answer.error} />}
      {answer.state === 'done' && (
        <>
          <AnswerTable answer={answer.value} profile={profile} slices={known?.slices ?? []} />
          <AnswerChart key={asked.turn} answer={answer.value} />
        </>
      )}
      {known && <SchemaList schema={known.schema} />}
    </>
  );
}
