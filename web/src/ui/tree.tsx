import { useMemo, useState } from 'preact/hooks';
import type { Flame } from '../api';
import { kindColor } from '../colors';
import { percent } from '../format';
import { words } from '../i18n';
import { Table } from './table';

export interface TreeRow {
  node: number;
  depth: number;
  name: string;
  kind: string;
  calls: number;
  value: number;
  self: number;
  children: number;
  open: boolean;
}

/** The rows in sight of a tree in which some nodes are open, children by time. */
export function treeRows(flame: Flame, open: Set<number>): TreeRow[] {
  const children: number[][] = flame.name.map(() => []);
  const self = [...flame.value];
  flame.parent.forEach((parent, node) => {
    if (parent < 0) return;
    children[parent].push(node);
    self[parent] -= flame.value[node];
  });
  const rows: TreeRow[] = [];
  const add = (node: number, depth: number) => {
    rows.push({
      node,
      depth,
      name: flame.names[flame.name[node]],
      kind: flame.kind[node],
      calls: flame.calls[node],
      value: flame.value[node],
      self: self[node],
      children: children[node].length,
      open: open.has(node),
    });
    if (!open.has(node)) return;
    for (const child of children[node].toSorted((a, b) => flame.value[b] - flame.value[a])) {
      add(child, depth + 1);
    }
  };
  for (const top of children[0].toSorted((a, b) => flame.value[b] - flame.value[a])) add(top, 0);
  return rows;
}

/** Opens what takes most of its parent's time, so that the first look goes down the hot path. */
export function hotPath(flame: Flame): Set<number> {
  const open = new Set<number>();
  let at = 0;
  for (let depth = 0; depth < 12; ++depth) {
    let largest = -1;
    flame.parent.forEach((parent, node) => {
      if (parent === at && (largest < 0 || flame.value[node] > flame.value[largest])) largest = node;
    });
    if (largest < 0 || flame.value[largest] < flame.value[at] * 0.4) break;
    open.add(largest);
    at = largest;
  }
  return open;
}

export function Tree({ flame }: { flame: Flame }) {
  const w = words();
  const [open, setOpen] = useState(() => hotPath(flame));
  const rows = useMemo(() => treeRows(flame, open), [flame, open]);
  const toggle = (row: TreeRow) => {
    const next = new Set(open);
    if (!next.delete(row.node)) next.add(row.node);
    setOpen(next);
  };
  const total = flame.value[0];
  return (
    <Table
      id="tree"
      rows={rows}
      height={1200}
      onRow={(row) => row.children > 0 && toggle(row)}
      columns={[
        {
          key: 'name',
          title: w.name,
          value: (r) => r.name,
          cell: (r) => (
            <span style={{ paddingLeft: `${r.depth * 14}px` }}>
              <span class="twist">{r.children === 0 ? '' : r.open ? '▾' : '▸'}</span>
              <span class="swatch" style={{ backgroundColor: kindColor(r.kind) }} /> {r.name}
            </span>
          ),
        },
        { key: 'calls', title: w.calls, value: (r) => r.calls, numeric: true },
        {
          key: 'value',
          title: w.total,
          value: (r) => r.value,
          numeric: true,
          bar: true,
          unit: 'ms',
        },
        {
          key: 'self',
          title: w.self,
          value: (r) => r.self,
          numeric: true,
          unit: 'ms',
        },
        {
          key: 'share',
          title: w.share,
          value: (r) => r.value / Math.max(total, 1),
          numeric: true,
          cell: (r) => percent(r.value, total),
        },
      ]}
    />
  );
}
