import { describe, expect, it } from 'vitest';
import { type DiffNode, signedBoxes } from '../../src/diff';
import { signed, tellingNames } from '../../src/pages/compare';

describe('the Compare page', () => {
  it('tells profiles of one name apart', () => {
    const profile = (id: number, path: string) => ({ id, name: 'trace.json', paths: [path] });
    expect([...tellingNames([profile(0, 'a/trace.json'), profile(1, 'b/trace.json')]).values()]).toEqual([
      'trace.json (a)',
      'trace.json (b)',
    ]);
    expect([...tellingNames([profile(0, 'a/trace.json'), profile(1, 'a/trace.json')]).values()]).toEqual([
      'trace.json (1)',
      'trace.json (2)',
    ]);
    expect(tellingNames([profile(4, 'a/trace.json')]).get(4)).toBe('trace.json');
  });
  it('signs differences', () => {
    expect(signed(1500)).toContain('+1.500');
    expect(signed(-2048, 'bytes')).toContain('−2.00');
    expect(signed(0, 'count')).toBe('0');
  });
  it('draws what went away as wide as it was', () => {
    const node = (module: string, op: string, base: number, now: number) =>
      ({
        key: { kind: 'op', module, op, shapes: null, line: null, kernel: null, pass: null },
        base: { device_ns: base, host_ns: 0 },
        new: { device_ns: now, host_ns: 0 },
      }) as unknown as DiffNode;
    const boxes = signedBoxes([node('Net > A', 'mm', 60, 0), node('Net', 'add', 20, 40)], 'all');
    const of = (title: string) => boxes.find((box) => box.title === title)!;
    expect(of('all')).toMatchObject({ depth: 0, from: 0, to: 1, base: 80, now: 40 });
    expect(of('mm')).toMatchObject({ depth: 3, from: 0, to: 0.6, base: 60, now: 0 });
    expect(of('add')).toMatchObject({ depth: 2, from: 0.6, to: 1, base: 20, now: 40 });
  });
});
