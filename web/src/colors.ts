// Neighbouring colours differ for any kind of colour vision (a test simulates three), and each
// colour is always beside a label. Found by moving the hues of Okabe & Ito apart until the least
// distance of each group was large enough.

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
  other: [133, 136, 143],
  step: [102, 109, 126],
  user_annotation: [159, 157, 58],
  python_frame: [133, 158, 192],
  module_frame: [96, 119, 173],
  framework_op: [13, 164, 116],
  input_stage: [214, 92, 16],
  runtime_call: [82, 189, 246],
  sync: [186, 83, 80],
  kernel: [57, 129, 201],
  collective: [135, 37, 115],
  memcpy: [233, 161, 12],
  memset: [169, 152, 78],
  device_annotation: [212, 211, 122],
  device_op: [93, 187, 194],
  compile: [137, 21, 80],
  allocation: [107, 132, 87],
  profiler_overhead: [184, 199, 214],
};

/** Idle time has the colour of what the host did at that time. */
const causeColors: Record<(typeof CAUSES)[number], Rgb> = {
  input: kindColors.input_stage,
  sync: kindColors.sync,
  launch: kindColors.runtime_call,
  host_op: kindColors.framework_op,
  python: kindColors.python_frame,
  compile: kindColors.compile,
  communication_wait: kindColors.collective,
  copy_wait: kindColors.memcpy,
  profiler: kindColors.profiler_overhead,
  between_steps: [206, 191, 180],
  unknown: kindColors.other,
};

/** Parts of a step in the overview's stacked bars, in drawing order. */
export const partColors: Record<string, string> = {
  compute: css(kindColors.kernel),
  exposed_communication: css(kindColors.collective),
  exposed_copy: css(kindColors.memcpy),
  exposed_memset: css(kindColors.memset),
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

const SHADES = [1, 0.88, 1.06, 0.95, 1.1, 0.82, 1.03, 0.91];

/** Packed pixels by kind and shade; the shade follows the name, so neighbours of one kind can be told apart. */
export const kindPixels: Uint32Array[] = KINDS.map((kind) =>
  Uint32Array.from(SHADES.map((by) => pack(shade(kindColors[kind], by)))),
);
export const causePixels: Uint32Array = Uint32Array.from(CAUSES.map((cause) => pack(causeColors[cause])));

export function shadeOf(name: number): number {
  return (Math.imul(name, 0x9e3779b1) >>> 13) & 7;
}

const linear = Float64Array.from({ length: 256 }, (_, c) =>
  c <= 10 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
);

/** The luminance of a packed pixel, as WCAG defines it. */
export function luminance(pixel: number): number {
  return (
    0.2126 * linear[pixel & 255] + 0.7152 * linear[(pixel >> 8) & 255] + 0.0722 * linear[(pixel >> 16) & 255]
  );
}

/** Whether white text is easier to read on a packed pixel than near-black text: either way at least 4.2 to 1. */
export function isDark(pixel: number): boolean {
  return luminance(pixel) < 0.19;
}

/** a over b with a weight of 0..256. */
export function mix(a: number, b: number, weight: number): number {
  const rest = 256 - weight;
  const rb = (((a & 0xff00ff) * weight + (b & 0xff00ff) * rest) >>> 8) & 0xff00ff;
  const g = (((a >>> 8) & 0xff) * weight + ((b >>> 8) & 0xff) * rest) & 0xff00;
  return (0xff000000 | rb | g) >>> 0;
}
