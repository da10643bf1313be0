import { count } from '../format';

export interface Bin {
  from: number;
  to: number;
  count: number;
}

/** Bins of equal width over the values; one bin where all are the same. */
export function binsOf(values: number[], most: number): Bin[] {
  if (values.length === 0) return [];
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  if (low === high) return [{ from: low, to: high, count: values.length }];
  const bins = Math.max(1, Math.min(most, Math.ceil(Math.sqrt(values.length) * 1.5)));
  const width = (high - low) / bins;
  const made = Array.from({ length: bins }, (_, i) => ({
    from: low + i * width,
    to: low + (i + 1) * width,
    count: 0,
  }));
  for (const value of values) ++made[Math.min(bins - 1, Math.floor((value - low) / width))].count;
  return made;
}

/** How often values of each size occur. */
export function Histogram({
  label,
  bins,
  format,
}: {
  label: string;
  bins: Bin[];
  format: (value: number) => string;
}) {
  const most = bins.reduce((m, bin) => Math.max(m, bin.count), 1);
  const said = bins
    .filter((bin) => bin.count > 0)
    .map((bin) => `${format(bin.from)} – ${format(bin.to)}: ${count(bin.count)}`);
  return (
    <figure class="bins">
      <div class="histogram" role="img" aria-label={`${label}. ${said.slice(0, 12).join('; ')}`}>
        {bins.map((bin) => (
          <span
            key={bin.from}
            data-count={bin.count}
            style={{ height: `${bin.count === 0 ? 0 : Math.max(2, (56 * bin.count) / most)}px` }}
            title={`${format(bin.from)} – ${format(bin.to)}: ${count(bin.count)}`}
          />
        ))}
      </div>
      {bins.length > 0 && (
        <figcaption class="muted">
          <span>{format(bins[0].from)}</span>
          <span>{format(bins[bins.length - 1].to)}</span>
        </figcaption>
      )}
    </figure>
  );
}
