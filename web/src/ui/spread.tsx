import { duration } from '../format';
import { words } from '../i18n';
import { decades } from './scatter';

export interface Spread {
  name: string;
  title: string;
  min: number;
  median: number;
  mean: number;
  max: number;
  href: string | null;
}

/** From the shortest to the longest call of each row, on one logarithmic scale: a long tail is seen at a glance. */
export function SpreadChart({ label, rows }: { label: string; rows: Spread[] }) {
  const w = words();
  const [low, high] = decades(rows.flatMap((row) => [row.min, row.max]));
  const share = (ns: number) => (100 * (Math.log10(Math.max(ns, 1)) - low)) / (high - low);
  const ticks = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  return (
    <figure class="spread" aria-label={label}>
      <div class="spread-row spread-axis" aria-hidden="true">
        <span />
        <div>
          {ticks.map((ns) => (
            <i key={ns} style={{ left: `${share(ns)}%` }}>
              {duration(ns)}
            </i>
          ))}
        </div>
      </div>
      {rows.map((row) => {
        const said = `${row.title}: ${w.shortest} ${duration(row.min)}, ${w.median} ${duration(row.median)}, ${w.mean} ${duration(row.mean)}, ${w.longest} ${duration(row.max)}`;
        return (
          <div key={row.name} class="spread-row" title={said}>
            {row.href ? (
              <a href={row.href} title={row.name}>
                {row.title}
              </a>
            ) : (
              <span title={row.name}>{row.title}</span>
            )}
            <div role="img" aria-label={said}>
              <b
                style={{
                  left: `${share(row.min)}%`,
                  width: `${Math.max(0.3, share(row.max) - share(row.min))}%`,
                }}
              />
              <em style={{ left: `${share(row.median)}%` }} />
              <u style={{ left: `${share(row.mean)}%` }} />
            </div>
          </div>
        );
      })}
      <figcaption class="muted">{w.spreadHelp}</figcaption>
    </figure>
  );
}
