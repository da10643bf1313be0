// Numbers for people, written as in the terminal.

const thin = ' ';

export function duration(ns: number): string {
  const size = Math.abs(ns);
  if (size < 1e3) return `${Math.round(ns)}${thin}ns`;
  if (size < 1e6) return `${significant(ns / 1e3)}${thin}µs`;
  if (size < 1e9) return `${significant(ns / 1e6)}${thin}ms`;
  if (size < 60e9) return `${significant(ns / 1e9)}${thin}s`;
  const minutes = Math.floor(size / 60e9);
  return `${ns < 0 ? '-' : ''}${minutes}${thin}m${thin}${Math.round((size - minutes * 60e9) / 1e9)}${thin}s`;
}

function significant(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(1);
  return size >= 10 ? value.toFixed(2) : value.toFixed(3);
}

/** Milliseconds with a fixed number of decimals, for columns. */
export function milliseconds(ns: number, decimals = 3): string {
  return (ns / 1e6).toLocaleString('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

export function bytes(value: number, decimals = 2): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let size = value;
  while (Math.abs(size) >= 1024 && unit < units.length - 1) {
    size /= 1024;
    ++unit;
  }
  const whole = unit === 0 || (decimals === 0 && Number.isInteger(size));
  return `${whole ? size : size.toFixed(Math.max(decimals, 1))}${thin}${units[unit]}`;
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)}${thin}%`;
}

/** A change, always with its sign: +10.0 %, −7.0 %. */
export function signedPercent(share: number): string {
  const sign = share > 0 ? '+' : share < 0 ? '−' : '';
  return `${sign}${(100 * Math.abs(share)).toFixed(1)}${thin}%`;
}

/** A short axis label: value with the least decimals that tell neighbours apart. */
export function axisTime(ns: number, stepNs: number): string {
  const [unit, name] =
    stepNs >= 1e9 ? [1e9, 's'] : stepNs >= 1e6 ? [1e6, 'ms'] : stepNs >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];
  const decimals = Math.max(0, Math.min(3, -Math.floor(Math.log10(stepNs / unit) + 1e-9)));
  return `${(ns / unit).toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })}${thin}${name}`;
}

/** An end of a scale: bytes in their unit, large numbers with k, M, G. */
export function axisNumber(value: number, unit: string): string {
  if (unit === 'bytes') return bytes(value, 1);
  const size = Math.abs(value);
  for (const [least, sign] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e4, 'k'],
  ] as const) {
    if (size < least) continue;
    const by = sign === 'k' ? 1e3 : least;
    return `${(value / by).toLocaleString('en-US', { maximumFractionDigits: 1 })}${thin}${sign}`;
  }
  return value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
}
