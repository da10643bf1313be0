import type { CollectiveRow } from '../api';
import { duration, percent } from '../format';
import { words } from '../i18n';
import { Empty } from '../ui/empty';
import { Table } from '../ui/table';
import { type PageProps, recordFor } from './page';
import { Tile } from './tile';

/** Collectives of one trace: how long they take, and how much of that nothing else hides. */
export function CommunicationPage({ report }: PageProps) {
  const w = words();
  const found = report.communication;
  if (!found) return <Empty what={w.noCommunication} record={recordFor(report, w).communication} />;
  const { union_ns: all, overlap_with_kernels_ns: hidden, exposed_vs_kernels_ns: exposed } = found;
  return (
    <>
      <dl class="tiles">
        <Tile label={w.communicationTime} value={duration(all)} raw={all} />
        <Tile label={w.besideKernels} value={`${duration(hidden)} · ${percent(hidden, all)}`} raw={hidden} />
        <Tile label={w.exposed} value={`${duration(exposed)} · ${percent(exposed, all)}`} raw={exposed} />
      </dl>
      <section class="card">
        <h2>{w.collectives}</h2>
        <Table<CollectiveRow>
          id="collectives"
          rows={found.by_collective}
          sortBy="ns"
          columns={[
            { key: 'name', title: w.name, value: (r) => r.name },
            { key: 'calls', title: w.calls, value: (r) => r.calls, numeric: true },
            { key: 'ns', title: w.total, value: (r) => r.ns, numeric: true, bar: true, unit: 'ms' },
            {
              key: 'mean',
              title: w.mean,
              value: (r) => r.ns / Math.max(1, r.calls),
              numeric: true,
              unit: 'us',
            },
            { key: 'bytes', title: w.bytes, value: (r) => r.bytes, numeric: true, unit: 'bytes' },
          ]}
        />
      </section>
    </>
  );
}
