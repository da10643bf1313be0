// stepscope.diff/1 (docs/diff.md): only what the page reads.

export type Outcome = 'slower' | 'faster' | 'same' | 'cannot_tell' | 'not_comparable';

export interface Judged {
  delta: { abs: number; rel: number | null; lo: number | null; hi: number | null };
  p: number | null;
  q: number | null;
  result: Outcome;
  runs_needed: number | null;
}

export interface Spread {
  n: number;
  median: number;
  mad: number;
}

export interface DiffMetric extends Judged {
  id: string;
  unit: 'ns' | 'bytes' | 'count';
  device: string | null;
  base: Spread;
  new: Spread;
}

export interface NodeKey {
  kind: string;
  module: string | null;
  op: string | null;
  shapes: string | null;
  line: string | null;
  kernel: string | null;
  pass: string | null;
}

export interface NodeSide extends Spread {
  calls: number;
  device_ns: number;
  host_ns: number;
}

export interface DiffNode extends Judged {
  key: NodeKey;
  state: 'matched' | 'added' | 'removed' | 'moved' | 'renamed';
  measured: 'device' | 'host';
  changes_program: boolean;
  base: NodeSide;
  new: NodeSide;
  kernels: { base: string | null; new: string | null; base_ns: number; new_ns: number }[];
  events: { base: number[]; new: number[] };
}

export interface Diff {
  schema: string;
  base: { runs: { paths: string[]; step_ns: number[] }[] };
  new: { runs: { paths: string[]; step_ns: number[] }[] };
  verdict: { result: Outcome; sentence: string };
  environment: { what: string; base: string | null; new: string | null; severity: string }[];
  metrics: DiffMetric[];
  partition: {
    device: string;
    step_delta_ns: number;
    delta_ns: Record<string, number>;
    idle_causes: { cause: string; delta_ns: number }[];
  } | null;
  nodes: DiffNode[];
  categories: DiffNode[];
  rest: { nodes: number; delta_ns: number };
  findings: { new: string[]; gone: string[] };
  notes: string[];
}

/** What a node is called: the op with its shapes, else kernel, line or module. */
export function titleOf(key: NodeKey): string {
  const name = key.op ?? key.kernel ?? key.line ?? key.module ?? '–';
  return key.shapes && /\d/.test(key.shapes) && key.op ? `${name} ${key.shapes}` : name;
}

export interface SignedBox {
  title: string;
  depth: number;
  from: number;
  to: number;
  base: number;
  now: number;
}

interface Branch {
  title: string;
  base: number;
  now: number;
  below: Map<string, Branch>;
}

/** An icicle of modules, ops and kernels; widths are the larger side's time, so that what went away is still there. */
export function signedBoxes(nodes: DiffNode[], root: string, least = 0.001): SignedBox[] {
  const tree: Branch = { title: root, base: 0, now: 0, below: new Map() };
  const add = (path: string[], base: number, now: number) => {
    let at = tree;
    for (const title of path) {
      let next = at.below.get(title);
      if (!next) {
        next = { title, base: 0, now: 0, below: new Map() };
        at.below.set(title, next);
      }
      next.base += base;
      next.now += now;
      at = next;
    }
  };
  for (const node of nodes) {
    const onDevice = node.base.device_ns + node.new.device_ns > 0;
    const base = onDevice ? node.base.device_ns : node.base.host_ns;
    const now = onDevice ? node.new.device_ns : node.new.host_ns;
    add([...(node.key.module?.split(' > ') ?? []), titleOf(node.key)], base, now);
    tree.base += base;
    tree.now += now;
  }
  const width = (branch: Branch): number =>
    Math.max(
      branch.base,
      branch.now,
      [...branch.below.values()].reduce((sum, below) => sum + width(below), 0),
    );
  const boxes: SignedBox[] = [];
  const scale = 1 / Math.max(width(tree), 1);
  const place = (branch: Branch, depth: number, from: number) => {
    const to = from + width(branch) * scale;
    if (to - from < least) return;
    boxes.push({ title: branch.title, depth, from, to, base: branch.base, now: branch.now });
    let at = from;
    for (const below of [...branch.below.values()].sort((a, b) => width(b) - width(a))) {
      place(below, depth + 1, at);
      at += width(below) * scale;
    }
  };
  place(tree, 0, 0);
  return boxes;
}
