import { useState } from 'preact/hooks';

export interface Point {
  x: number;
  y: number;
  /** Its area, as a share of the largest. */
  size: number;
  name: string;
  said: string;
  href?: string | null;
}

const WIDTH = 760;
const HEIGHT = 320;
const PAD = { left: 74, right: 30, top: 12, bottom: 40 };

/** Powers of ten that hold all values. */
export function decades(values: number[]): [number, number] {
  const known = values.filter((value) => value > 0);
  if (known.length === 0) return [0, 1];
  const low = Math.floor(Math.log10(known.reduce((a, b) => Math.min(a, b))));
  const high = Math.ceil(Math.log10(known.reduce((a, b) => Math.max(a, b))) + 1e-9);
  return [low, Math.max(high, low + 1)];
}

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A power of ten as an axis shows it: 0.01, 10, 10⁶. */
export function powerOfTen(value: number): string {
  const power = Math.round(Math.log10(value));
  if (power >= -2 && power <= 4) return String(10 ** power);
  const digits = [...String(Math.abs(power))].map((digit) => RAISED[Number(digit)]).join('');
  return `10${power < 0 ? '⁻' : ''}${digits}`;
}

/** Points on two logarithmic scales. Roofs are the best that any point reached: nothing else is known of the machine. */
export function Scatter({
  label,
  points,
  xTitle,
  yTitle,
  roof,
}: {
  label: string;
  points: Point[];
  xTitle: string;
  yTitle: string;
  roof?: string;
}) {
  const [at, setAt] = useState<Point | null>(null);
  const [x0, x1] = decades(points.map((p) => p.x));
  const [y0, y1] = decades(points.map((p) => p.y));
  const x = (value: number) =>
    PAD.left + ((Math.log10(value) - x0) / (x1 - x0)) * (WIDTH - PAD.left - PAD.right);
  const y = (value: number) =>
    HEIGHT - PAD.bottom - ((Math.log10(value) - y0) / (y1 - y0)) * (HEIGHT - PAD.top - PAD.bottom);
  const range = (low: number, high: number) =>
    Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  const fastest = points.reduce((m, p) => Math.max(m, p.y), 0);
  const widest = points.reduce((m, p) => Math.max(m, p.y / p.x), 0); // the best rate of memory
  const knee = fastest / Math.max(widest, 1e-30);
  const left = Math.max(10 ** x0, 10 ** y0 / Math.max(widest, 1e-30));
  return (
    <figure class="scatter">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label={label}>
        {range(x0, x1).map((value) => (
          <g key={value}>
            <line x1={x(value)} x2={x(value)} y1={PAD.top} y2={HEIGHT - PAD.bottom} class="grid" />
            <text x={x(value)} y={HEIGHT - PAD.bottom + 15} text-anchor="middle">
              {powerOfTen(value)}
            </text>
          </g>
        ))}
        {range(y0, y1).map((value) => (
          <g key={value}>
            <line x1={PAD.left} x2={WIDTH - PAD.right} y1={y(value)} y2={y(value)} class="grid" />
            <text x={PAD.left - 6} y={y(value) + 4} text-anchor="end">
              {powerOfTen(value)}
            </text>
          </g>
        ))}
        <text x={(PAD.left + WIDTH) / 2} y={HEIGHT - 6} text-anchor="middle">
          {xTitle}
        </text>
        <text transform={`translate(12 ${HEIGHT / 2}) rotate(-90)`} text-anchor="middle">
          {yTitle}
        </text>
        {roof && points.length > 1 && knee > left && (
          <polyline
            class="roof"
            points={`${x(left)},${y(left * widest)} ${x(knee)},${y(fastest)} ${WIDTH - PAD.right},${y(fastest)}`}
          />
        )}
        {points.map((p) => (
          <a key={`${p.name}${p.x}${p.y}`} href={p.href ?? undefined} aria-label={p.said}>
            <circle
              cx={x(p.x)}
              cy={y(p.y)}
              r={3 + 12 * Math.sqrt(p.size)}
              onMouseEnter={() => setAt(p)}
              onMouseLeave={() => setAt(null)}
            >
              <title>{p.said}</title>
            </circle>
          </a>
        ))}
      </svg>
      <figcaption class="muted">{at ? at.said : roof}</figcaption>
    </figure>
  );
}
