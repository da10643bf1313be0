import type { KernelRow, OpRow } from '../api';
import { count, milliseconds } from '../format';
import type { Words } from '../i18n';
import type { Column } from '../ui/table';

const ms = <T,>(key: string, title: string, value: (row: T) => number, bar = false): Column<T> => ({
  key,
  title,
  value,
  numeric: true,
  bar,
  width: '132px',
  cell: (row) => milliseconds(value(row)),
});
const us = <T,>(key: string, title: string, value: (row: T) => number): Column<T> => ({
  key,
  title,
  value,
  numeric: true,
  width: '94px',
  cell: (row) =>
    (value(row) / 1e3).toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
});

export function opColumns(w: Words, all: boolean): Column<OpRow>[] {
  return [
    { key: 'name', title: w.name, value: (r) => r.name },
    ...(all
      ? [
          {
            key: 'kind',
            title: w.kind,
            value: (r: OpRow) => r.kind,
            cell: (r: OpRow) => w.kinds[r.kind] ?? r.kind,
            width: '120px',
          },
        ]
      : []),
    {
      key: 'calls',
      title: w.calls,
      value: (r) => r.calls,
      numeric: true,
      width: '80px',
      cell: (r) => count(r.calls),
    },
    ms('device_self', w.deviceSelf, (r) => r.device_self_ns, true),
    ms('device_total', w.deviceTotal, (r) => r.device_total_ns),
    ms('host_self', w.hostSelf, (r) => r.host_self_ns, true),
    ms('host_total', w.hostTotal, (r) => r.host_total_ns),
    ...(all ? [ms<OpRow>('tensor_core', `${w.tensorCores}${w.inMs}`, (r) => r.tensor_core_ns)] : []),
  ];
}

export function kernelColumns(w: Words, all: boolean): Column<KernelRow>[] {
  return [
    {
      key: 'name',
      title: w.name,
      value: (r) => r.name,
      width: 'minmax(240px, 2fr)',
      cell: (r) => r.name.replace(/^void /, ''),
    },
    { key: 'category', title: w.category, value: (r) => r.category, width: '120px' },
    ...(all ? [{ key: 'device', title: w.device, value: (r: KernelRow) => r.device, width: '70px' }] : []),
    {
      key: 'calls',
      title: w.calls,
      value: (r) => r.calls,
      numeric: true,
      width: '80px',
      cell: (r) => count(r.calls),
    },
    ms('total', w.total, (r) => r.total_ns, true),
    us('mean', w.mean, (r) => r.total_ns / Math.max(1, r.calls)),
    ...(all
      ? [
          us<KernelRow>('min', w.min, (r) => r.min_ns),
          us<KernelRow>('p50', w.p50, (r) => r.p50_ns),
          us<KernelRow>('max', w.max, (r) => r.max_ns),
          {
            key: 'tc',
            title: w.tensorCores,
            value: (r: KernelRow) => r.tensor_core,
            cell: (r: KernelRow) => (r.tensor_core ? w.yes : w.no),
            width: '100px',
          },
          {
            key: 'occupancy',
            title: w.occupancy,
            value: (r: KernelRow) => r.mean_occupancy_percent,
            numeric: true,
            width: '116px',
            cell: (r: KernelRow) => r.mean_occupancy_percent?.toFixed(1) ?? '–',
          },
        ]
      : []),
    {
      key: 'by',
      title: w.launchedBy,
      value: (r) => r.launched_by[0]?.op ?? null,
      width: 'minmax(150px, 0.5fr)',
    },
  ];
}
