import { duration, percent } from '../format';

export interface Part {
  key: string;
  label: string;
  ns: number;
  color: string;
  hatched?: boolean;
}

/** One bar made of parts; empty ones are left out, each says what it is when pointed at. */
export function Stacked({ parts, total, height = 18 }: { parts: Part[]; total: number; height?: number }) {
  return (
    <div class="stacked" style={{ height: `${height}px` }} role="img" aria-label={describe(parts, total)}>
      {parts
        .filter((part) => part.ns > 0)
        .map((part) => (
          <span
            key={part.key}
            class={part.hatched ? 'hatched' : ''}
            style={{ width: `${(100 * part.ns) / total}%`, backgroundColor: part.color }}
            title={`${part.label}: ${duration(part.ns)} (${percent(part.ns, total)})`}
          />
        ))}
    </div>
  );
}

function describe(parts: Part[], total: number): string {
  return parts
    .filter((part) => part.ns > 0)
    .map((part) => `${part.label} ${percent(part.ns, total)}`)
    .join(', ');
}

export function Swatch({ part }: { part: Pick<Part, 'color' | 'hatched'> }) {
  return <span class={`swatch${part.hatched ? ' hatched' : ''}`} style={{ backgroundColor: part.color }} />;
}

export function Legend({ parts }: { parts: Omit<Part, 'ns'>[] }) {
  return (
    <ul class="legend">
      {parts.map((part) => (
        <li key={part.key}>
          <Swatch part={part} />
          {part.label}
        </li>
      ))}
    </ul>
  );
}
