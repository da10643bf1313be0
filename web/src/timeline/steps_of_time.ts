/** Round steps for a time axis: at least `minPixels` apart, of 1, 2 or 5 times a power of ten. */
export function axisStep(nsPerPixel: number, minPixels: number): number {
  const least = nsPerPixel * minPixels;
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  for (const factor of [1, 2, 5, 10]) if (power * factor >= least) return Math.max(1, power * factor);
  return power * 10;
}

/** Zoom by a factor around a point that stays where it is, within [limit.from, limit.to] padded a little. */
export function zoomed(
  view: { from: number; to: number },
  factor: number,
  around: number,
  limit: { from: number; to: number },
): { from: number; to: number } {
  const least = 50;
  const most = (limit.to - limit.from) * 1.2;
  const width = Math.min(Math.max((view.to - view.from) * factor, least), Math.max(most, least));
  const share = (around - view.from) / (view.to - view.from);
  return clamped({ from: around - share * width, to: around + (1 - share) * width }, limit);
}

/** Keeps at least a tenth of the trace's content in sight. */
export function clamped(
  view: { from: number; to: number },
  limit: { from: number; to: number },
): { from: number; to: number } {
  const width = view.to - view.from;
  const slack = width * 0.9;
  const from = Math.min(Math.max(view.from, limit.from - slack), limit.to - width + slack);
  return { from, to: from + width };
}
