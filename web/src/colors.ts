// Colours after Okabe & Ito and Paul Tol: told apart with any kind of colour vision, and always beside a label.

export const KINDS = [
  'other',
  'step',
  'user_annotation',
  'python_frame',
  'module_frame',
  'framework_op',
  'input_stage',
  'runtime_call',
  'sync',
  'kernel',
  'collective',
  'memcpy',
  'memset',
  'device_annotation',
  'device_op',
  'compile',
  'allocation',
  'profiler_overhead',
] as const;

export const CAUSES = [
  'input',
  'sync',
  'launch',
  'host_op',
  'python',
  'compile',
  'communication_wait',
  'copy_wait',
  'profiler',
  'between_steps',
  'unknown',
] as const;

type Rgb = [number, number, number];

const kindColors: Record<(typeof KINDS)[number], Rgb> = {
  other: [150, 152, 158],
  step: [108, 117, 135],
  user_annotation: [153, 153, 51],
  python_frame: [136, 156, 190],
  module_frame: [104, 120, 176],
  framework_op: [0, 158, 115],
  input_stage: [213, 94, 0],
  runtime_call: [86, 180, 233],
  sync: [204, 102, 119],
  kernel: [0, 114, 178],
  collective: [170, 68, 153],
  memcpy: [230, 159, 0],
  memset: [221, 204, 119],
  device_annotation: [170, 170, 90],
  device_op: [68, 150, 160],
  compile: [136, 34, 85],
  allocation: [120, 140, 90],
  profiler_overhead: [180, 170, 160],
};

const causeColors: Record<(typeof CAUSES)[number], Rgb> = {
  input: [213, 94, 0],
  sync: [204, 102, 119],
  launch: [86, 180, 233],
  host_op: [0, 158, 115],
  python: [136, 156, 190],
  compile: [136, 34, 85],
  communication_wait: [170, 68, 153],
  copy_wait: [230, 159, 0],
  profiler: [180, 170, 160],
  between_steps: [200, 202, 208],
  unknown: [150, 152, 158],
};

/** Parts of a step in the overview's stacked bars, in drawing order. */
export const partColors: Record<string, string> = {
  compute: css([0, 114, 178]),
  exposed_communication: css([170, 68, 153]),
  exposed_copy: css([230, 159, 0]),
  exposed_memset: css([221, 204, 119]),
};

function css(color: Rgb): string {
  return `rgb(${color.join(' ')})`;
}

export function causeColor(cause: string): string {
  return css(causeColors[cause as (typeof CAUSES)[number]] ?? causeColors.unknown);
}

export function kindColor(kind: string): string {
  return css(kindColors[kind as (typeof KINDS)[number]] ?? kindColors.other);
}

const pack = ([r, g, b]: Rgb): number => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
const shade = (color: Rgb, by: number): Rgb =>
  color.map((c) => Math.max(0, Math.min(255, Math.round(c * by)))) as Rgb;

const SHADES = [1, 0.88, 1.1, 0.95, 1.18, 0.82, 1.05, 0.91];

/** Packed pixels by kind and shade; the shade follows the name, so neighbours of one kind can be told apart. */
export const kindPixels: Uint32Array[] = KINDS.map((kind) =>
  Uint32Array.from(SHADES.map((by) => pack(shade(kindColors[kind], by)))),
);
export const causePixels: Uint32Array = Uint32Array.from(CAUSES.map((cause) => pack(causeColors[cause])));

export function shadeOf(name: number): number {
  return (Math.imul(name, 0x9e3779b1) >>> 13) & 7;
}

/** Whether white text is readable on a packed pixel. */
export function isDark(pixel: number): boolean {
  const r = pixel & 255;
  const g = (pixel >> 8) & 255;
  const b = (pixel >> 16) & 255;
  return 0.299 * r + 0.587 * g + 0.114 * b < 140;
}

/** a over b with a weight of 0..256. */
export function mix(a: number, b: number, weight: number): number {
  const rest = 256 - weight;
  const rb = (((a & 0xff00ff) * weight + (b & 0xff00ff) * rest) >>> 8) & 0xff00ff;
  const g = (((a >>> 8) & 0xff) * weight + ((b >>> 8) & 0xff) * rest) & 0xff00;
  return (0xff000000 | rb | g) >>> 0;
}
