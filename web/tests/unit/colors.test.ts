// Colours against what is known of eyes: Machado, Oliveira and Fernandes' matrices (2009, severity 1) for the three kinds of
// colour blindness, distances in CIE L*a*b*, contrast as WCAG 2 defines it.
import { describe, expect, test } from 'vitest';
import {
  CAUSES,
  causeColor,
  isDark,
  KINDS,
  kindColor,
  kindPixels,
  luminance,
  mix,
  partColors,
} from '../../src/colors';
import css from '../../src/style.css?raw';

const VISIONS: Record<string, number[][]> = {
  any: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
const linear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

function lab([r, g, b]: number[]): number[] {
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const seen = (css: string, vision: string): number[] => {
  const rgb = css.match(/\d+/g)!.map((c) => linear(Number(c) / 255));
  const clip = (row: number[]) =>
    Math.max(0, Math.min(1, row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2]));
  return lab(VISIONS[vision].map(clip));
};

/** The two colours of a group that are hardest to tell apart, over all kinds of vision. */
function closest(group: Record<string, string>): { distance: number; pair: string } {
  let least = { distance: Number.POSITIVE_INFINITY, pair: '' };
  for (const vision of Object.keys(VISIONS)) {
    const places = Object.entries(group).map(([name, css]) => ({ name, at: seen(css, vision) }));
    places.forEach((a, i) => {
      for (const b of places.slice(i + 1)) {
        const distance = Math.hypot(...a.at.map((value, k) => value - b.at[k]));
        if (distance < least.distance) least = { distance, pair: `${a.name} and ${b.name}, ${vision}` };
      }
    });
  }
  return least;
}
const colours = (names: readonly string[], of: (name: string) => string) =>
  Object.fromEntries(names.map((name) => [name, of(name)]));

describe('colours', () => {
  // 2.3 is a just noticeable difference; patches of a few pixels need several times that.
  test.each([
    ['parts of a step', partColors, 25],
    ['causes of idle time', colours(CAUSES, causeColor), 15],
    ['work of a device', colours(['kernel', 'collective', 'memcpy', 'memset', 'device_op'], kindColor), 19],
    [
      'work of the host',
      colours(['framework_op', 'runtime_call', 'sync', 'input_stage', 'python_frame', 'compile'], kindColor),
      14,
    ],
  ])('%s are told apart with any colour vision', (_, group, least) => {
    const found = closest(group);
    expect(found.distance, found.pair).toBeGreaterThan(least);
  });

  test('labels on spans can be read', () => {
    const near = luminance(0xff111111);
    for (const [kind, shades] of kindPixels.entries()) {
      for (const pixel of shades) {
        const light = luminance(pixel);
        const ratio = isDark(pixel) ? 1.05 / (light + 0.05) : (light + 0.05) / (near + 0.05);
        expect(ratio, KINDS[kind]).toBeGreaterThan(4.2);
      }
    }
  });

  test('text and focus stand out from their ground, light and dark', () => {
    const theme = (head: string) =>
      Object.fromEntries(
        [
          ...css
            .slice(css.indexOf(head))
            .split('}')[0]
            .matchAll(/--([a-z-]+): (#[0-9a-f]{3,6});/g),
        ].map(([, name, value]) => [name, value]),
      );
    const light = (hex: string) => {
      const long = hex.length === 4 ? [...hex.slice(1)].map((c) => c + c).join('') : hex.slice(1);
      const [r, g, b] = long.match(/../g)!.map((c) => linear(Number.parseInt(c, 16) / 255));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a: string, b: string) => {
      const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
      return (high + 0.05) / (low + 0.05);
    };
    for (const vars of [theme(':root {'), theme(":root[data-theme='dark']")]) {
      for (const ground of ['bg', 'panel']) {
        for (const text of ['ink', 'muted', 'accent', 'warn', 'bad', 'good']) {
          expect(contrast(vars[text], vars[ground]), `${text} on ${ground}`).toBeGreaterThan(4.5);
        }
        expect(contrast(vars.focus, vars[ground]), `focus on ${ground}`).toBeGreaterThan(3);
      }
      expect(contrast(vars.ink, vars.bar), 'ink on a bar').toBeGreaterThan(4.5);
      expect(contrast(vars.accent, vars['accent-soft']), 'a link in a pointed row').toBeGreaterThan(4.5);
    }
  });
});

test('mixes colours and knows dark from light', () => {
  expect(mix(0xffffffff, 0xff000000, 256)).toBe(0xffffffff);
  expect(mix(0xffffffff, 0xff000000, 0)).toBe(0xff000000);
  expect(isDark(0xff000000)).toBe(true);
  expect(isDark(0xffffffff)).toBe(false);
  expect(KINDS).toHaveLength(18);
});
