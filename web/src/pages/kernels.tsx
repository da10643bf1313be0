import { useMemo } from 'preact/hooks';
import { duration } from '../format';
import { words } from '../i18n';
import { route } from '../route';
import { shortName } from '../short_name';
import { Empty } from '../ui/empty';
import { Scatter } from '../ui/scatter';
import { SpreadChart } from '../ui/spread';
import { Table } from '../ui/table';
import { kernelColumns } from './columns';
import { linkTo, linkToAll } from './links';
import { type PageProps, recordFor } from './page';

export function KernelsPage(page: PageProps) {
  const w = words();
  const columns = useMemo(() => kernelColumns(w, true, page.report.kernels), [w, page.report]);
  if (page.report.kernels.length === 0) {
    return <Empty what={w.noKernels} record={recordFor(page.report, w).kernels} />;
  }
  const spread = page.report.kernels.slice(0, 15).map((row) => ({
    name: `${row.device}${row.kind}${row.name}`,
    title: shortName(row.name),
    min: row.min_ns,
    median: row.p50_ns,
    mean: row.total_ns / Math.max(1, row.calls),
    max: row.max_ns,
    href: linkTo(page, row.name),
  }));
  return (
    <>
      <details class="card" open={route.value.params.get('charts') !== '0'}>
        <summary>
          <h2>{w.kernelSpread}</h2>
        </summary>
        <SpreadChart label={w.kernelSpread} rows={spread} />
      </details>
      <Roofline page={page} />
      <Table
        id="kernels"
        rows={page.report.kernels}
        columns={columns}
        height={1200}
        link={(row) => linkTo(page, row.name)}
        timeline={(rows) => linkToAll(page, rows)}
      />
    </>
  );
}

/** What each XLA instruction reaches, where the profile says its operations and bytes. */
function Roofline({ page }: { page: PageProps }) {
  const w = words();
  const known = (page.report.hlo ?? []).filter((row) => row.flops && row.bytes && row.total_ns > 0);
  if (known.length === 0) return null;
  const shown = known.slice(0, 200);
  const most = shown.reduce((m, row) => Math.max(m, row.total_ns), 1);
  const points = shown.map((row) => {
    const rate = (row.flops! * row.calls) / row.total_ns; // GFLOP/s: operations a nanosecond
    const intensity = row.flops! / row.bytes!;
    return {
      x: intensity,
      y: rate,
      size: row.total_ns / most,
      name: row.name,
      said: `${row.name}: ${rate.toPrecision(3)} GFLOP/s, ${intensity.toPrecision(3)} FLOP/B, ${duration(row.total_ns)}`,
      href: linkTo(page, row.name),
    };
  });
  return (
    <section class="card">
      <h2>{w.roofline}</h2>
      <Scatter label={w.roofline} points={points} xTitle={w.intensity} yTitle="GFLOP/s" roof={w.roofHelp} />
    </section>
  );
}
