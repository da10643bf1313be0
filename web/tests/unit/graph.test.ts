import { describe, expect, it } from 'vitest';
import type { Graph } from '../../src/api';
import { folded, found, scopesOf } from '../../src/pages/graph';
import { fitted, zoomedAt } from '../../src/ui/pan_zoom';

describe('the Graph page', () => {
  it('folds a graph by scope', () => {
    const node = (name: string, inputs: number[]) => ({
      name,
      op: 'X',
      device: '',
      shape: '',
      host_ns: 1,
      device_ns: 2,
      allocated_bytes: 8,
      inputs,
    });
    const graph: Graph = {
      nodes: [node('in', []), node('l1/a', [0]), node('l1/b/c', [1]), node('out', [2])],
    };
    const closed = folded(graph, new Set());
    expect([...closed.drawn.keys()]).toEqual(['in', 'l1', 'out']);
    expect(closed.drawn.get('l1')).toMatchObject({
      scope: true,
      host_ns: 2,
      device_ns: 4,
      allocated_bytes: 16,
    });
    expect([...closed.edges.keys()]).toEqual(['in\nl1', 'l1\nout']);
    const open = folded(graph, new Set(['l1']));
    expect([...open.drawn.keys()]).toEqual(['in', 'l1/a', 'l1/b', 'out']);
  });
  it('finds nodes by any part of their names, the most costly first, and knows all scopes', () => {
    const node = (name: string, host_ns: number) => ({
      name,
      op: 'X',
      device: '',
      shape: '',
      host_ns,
      device_ns: 0,
      allocated_bytes: 0,
      inputs: [],
    });
    const small = { nodes: [node('a/conv', 1), node('a/b/Conv2', 5), node('c', 9)] };
    expect(found(small, 'CONV')).toEqual([1, 0]);
    expect(found(small, ' ')).toEqual([]);
    expect(found(small, 'a/conv')).toEqual([0]);
    expect(found({ nodes: [node('g/x', 9), node('x', 1)] }, 'x')).toEqual([1, 0]);
    expect(scopesOf(small)).toEqual(['a', 'a/b']);
  });
  it('zooms around a point that stays, and fits a drawing into its window', () => {
    const next = zoomedAt({ k: 1, x: 10, y: 20 }, 2, 110, 70);
    expect(next).toEqual({ k: 2, x: -90, y: -30 });
    const fit = fitted({ width: 2000, height: 400 }, { width: 1020, height: 620 });
    expect(fit.k).toBe(0.5);
    expect(fit.x).toBe(10);
  });
});
