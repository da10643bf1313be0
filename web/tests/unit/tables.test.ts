import { describe, expect, it } from 'vitest';
import { declared } from '../../src/generated/tables';
import { en } from '../../src/i18n/en';
import { kernelColumns, opColumns } from '../../src/pages/columns';
import { type Column, toCsv } from '../../src/ui/table';
import { clicked, filtered, readState, sortedBy, writeState } from '../../src/ui/table_model';

describe('tables', () => {
  const columns: Column<{ name: string; n: number | null }>[] = [
    { key: 'name', title: 'Name', value: (r) => r.name },
    { key: 'n', title: 'N', value: (r) => r.n, numeric: true },
  ];
  it('sorts with unknowns last', () => {
    const rows = [
      { name: 'a', n: 1 },
      { name: 'b', n: null },
      { name: 'c', n: 3 },
    ];
    const by = (descending: boolean) =>
      sortedBy(rows, columns, [{ key: 'n', descending }]).map((r) => r.name);
    expect(by(true)).toEqual(['c', 'a', 'b']);
    expect(by(false)).toEqual(['a', 'c', 'b']);
  });
  it('sorts by several columns, in the order of the clicks', () => {
    const rows = [
      { name: 'b', n: 1 },
      { name: 'a', n: 2 },
      { name: 'a', n: 3 },
    ];
    let sorts = clicked([], 'name', false, false);
    sorts = clicked(sorts, 'n', true, true);
    expect(sortedBy(rows, columns, sorts).map((r) => r.n)).toEqual([3, 2, 1]);
    expect(clicked(sorts, 'n', true, true)[1]).toEqual({ key: 'n', descending: false });
    expect(clicked(sorts, 'n', true, false)).toEqual([{ key: 'n', descending: false }]);
  });
  it('filters on what is shown, not on hidden nanoseconds', () => {
    const times: Column<{ name: string; ns: number }>[] = [
      { key: 'name', title: 'Name', value: (r) => r.name, cell: (r) => r.name.slice(5) },
      { key: 'ns', title: 'Total', value: (r) => r.ns, numeric: true, unit: 'ms' },
    ];
    const rows = [
      { name: 'void a', ns: 35_600_001 },
      { name: 'void b', ns: 12_640_000 },
    ];
    const found = (text: string) => filtered(rows, times, text).map((r) => r.name);
    expect(found('35.6')).toEqual(['void a']);
    expect(found('35600')).toEqual([]);
    expect(found('12.64')).toEqual(['void b']);
    expect(found('void')).toEqual(['void a', 'void b']);
  });
  it('keeps what was done to it in the address', () => {
    const usual = [{ key: 'n', descending: true }];
    const state = {
      sorts: [
        { key: 'name', descending: false },
        { key: 'n', descending: true },
      ],
      hidden: ['x'],
      widths: { name: 300 },
      filter: 'a&b=c',
    };
    expect(readState(writeState(state, usual), usual)).toEqual(state);
    expect(writeState(readState(null, usual), usual)).toBeNull();
    expect(readState('w=name:-3,n:abc', usual).widths).toEqual({});
  });
  it('copies CSV in the unit that its heading names', () => {
    const times: Column<{ ns: number | null }>[] = [
      { key: 'ms', title: 'Total', value: (r) => r.ns, numeric: true, unit: 'ms' },
      { key: 'us', title: 'Mean', value: (r) => r.ns, numeric: true, unit: 'us' },
      { key: 'longest', title: 'Longest', value: (r) => r.ns, numeric: true, unit: 'duration' },
    ];
    expect(toCsv(times, [{ ns: 2_500_000 }, { ns: null }], en)).toBe(
      '"Total, ms","Mean, µs","Longest, ns"\n2.5,2500,2500000\n,,\n',
    );
  });
  it('shows the declared columns in both languages', () => {
    for (const columns of Object.values(declared)) {
      for (const column of columns) {
        expect(column.title.en).not.toBe('');
        expect(column.title.zh).not.toBe('');
      }
    }
    const headings = opColumns(en, true).map((column) => column.title);
    expect(headings.slice(0, 4)).toEqual(['Name', 'Kind', 'Calls', 'Device self']);
    expect(kernelColumns(en, false).map((column) => column.key)).toContain('mean');
  });
  it('copies CSV that no spreadsheet runs', () => {
    expect(toCsv(columns, [{ name: '=cmd()|"x", y', n: -5 }])).toBe('Name,N\n"\'=cmd()|""x"", y",-5\n');
  });
});
