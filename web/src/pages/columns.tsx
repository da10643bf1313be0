import { type DeclaredColumn, declared } from '../generated/tables';
import { language, type Words } from '../i18n';
import { shortName, shortNames } from '../short_name';
import type { Column } from '../ui/table';
import type { Unit } from '../ui/unit';

type Value = string | number | boolean | null;

const widths: Record<string, string> = {
  kind: '120px',
  category: '120px',
  device: '64px',
  calls: '72px',
  ms: '120px',
  us: '88px',
  bool: '92px',
  percent: '116px',
  launched_by: 'minmax(150px, 1fr)',
};

/** What a cell holds: of a list, the name of its first item. */
function cellValue(cell: unknown, kind: DeclaredColumn['kind']): Value {
  if (kind !== 'list') return cell as Value;
  return (cell as { op: string }[])[0]?.op ?? null;
}

/** The columns of a table as they are declared beside its rows; `all` or only those of the short table. */
export function columnsOf<T>(table: keyof typeof declared, w: Words, all = true): Column<T>[] {
  return (declared[table] as DeclaredColumn[])
    .filter((column) => all || column.brief)
    .map(({ key, title, kind, unit, bar }): Column<T> => {
      const value = (row: T) => cellValue(row[key as keyof T], kind);
      const cells: Record<string, (row: T) => string> = {
        kind: (row) => w.kinds[String(value(row))] ?? String(value(row)),
        category: (row) => w.categories[String(value(row))] ?? String(value(row)),
        bool: (row) => (value(row) ? w.yes : w.no),
      };
      return {
        key,
        title: title[language.value as keyof typeof title] ?? title.en,
        value,
        numeric: kind === 'number',
        unit: unit === '' ? undefined : (unit as Unit),
        bar,
        width: widths[key] ?? widths[unit] ?? widths[kind],
        cell: cells[key] ?? cells[kind],
      };
    });
}

export const opColumns = <T,>(w: Words, all: boolean) => columnsOf<T>('ops', w, all);

/** Kernels have a mean, too, and short names that keep what tells the rows apart. */
export function kernelColumns<T extends { name: string; total_ns: number; calls: number }>(
  w: Words,
  all: boolean,
  rows: T[] = [],
): Column<T>[] {
  const short = rows.length > 0 ? shortNames(rows.map((row) => row.name)) : null;
  const columns = columnsOf<T>('kernels', w, all);
  const mean: Column<T> = {
    key: 'mean',
    title: w.mean,
    value: (row) => row.total_ns / Math.max(1, row.calls),
    numeric: true,
    unit: 'us',
    width: '94px',
  };
  columns[0] = {
    ...columns[0],
    width: 'minmax(280px, 3fr)',
    cell: (row) => short?.get(row.name) ?? shortName(row.name),
  };
  columns.splice(columns.findIndex((column) => column.key === 'total_ns') + 1, 0, mean);
  return columns;
}
