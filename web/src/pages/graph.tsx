import dagre from '@dagrejs/dagre';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Graph } from '../api';
import { count, duration } from '../format';
import { words } from '../i18n';
import { note, route } from '../route';
import { useAsk } from '../ui/ask';
import { Empty, Failed, Working } from '../ui/empty';
import { type PageProps, recordFor } from './page';

const MOST = 400;

export interface Drawn {
  id: string;
  label: string;
  scope: boolean;
  nodes: number[];
  op: string;
  shape: string;
  host_ns: number;
  device_ns: number;
}

/** The graph with every scope closed but those that are open: what is drawn, and which of it is connected. */
export function folded(
  graph: Graph,
  open: Set<string>,
): { drawn: Map<string, Drawn>; edges: Map<string, number> } {
  const place = graph.nodes.map((node) => {
    const parts = node.name.split('/');
    for (let i = 1; i < parts.length; ++i) {
      const scope = parts.slice(0, i).join('/');
      if (!open.has(scope)) return scope;
    }
    return node.name;
  });
  const drawn = new Map<string, Drawn>();
  graph.nodes.forEach((node, index) => {
    const id = place[index];
    let item = drawn.get(id);
    if (!item) {
      const scope = id !== node.name;
      item = {
        id,
        label: id.split('/').at(-1)!,
        scope,
        nodes: [],
        op: scope ? '' : node.op,
        shape: scope ? '' : node.shape,
        host_ns: 0,
        device_ns: 0,
      };
      drawn.set(id, item);
    }
    item.nodes.push(index);
    item.host_ns += node.host_ns;
    item.device_ns += node.device_ns;
  });
  const edges = new Map<string, number>();
  graph.nodes.forEach((node, index) => {
    for (const input of node.inputs) {
      if (place[input] === place[index]) continue;
      const key = `${place[input]}\n${place[index]}`;
      edges.set(key, (edges.get(key) ?? 0) + 1);
    }
  });
  return { drawn, edges };
}

export function GraphPage(page: PageProps) {
  const w = words();
  const has = page.info?.facts.graph ?? false;
  const asked = useAsk(
    `${page.profile}/${page.trace}`,
    has && page.source.live ? () => page.source.graph(page.profile, page.trace) : null,
  );
  if (!has || !page.source.live) return <Empty what={w.noGraph} record={recordFor(page.report, w).graph} />;
  if (asked.state === 'waiting') return <Working text={w.loading} />;
  if (asked.state === 'failed') return <Failed error={asked.error} />;
  return <GraphView graph={asked.value} />;
}

function GraphView({ graph }: { graph: Graph }) {
  const w = words();
  const [open, setOpen] = useState(
    () => new Set((route.value.params.get('open') ?? '').split('~').filter(Boolean)),
  );
  const [search, setSearch] = useState('');
  const [picked, setPicked] = useState<Drawn | null>(null);
  const view = useRef<HTMLDivElement>(null);
  const { drawn, edges } = useMemo(() => folded(graph, open), [graph, open]);
  const heaviest = Math.max(1, ...[...drawn.values()].map((item) => item.device_ns + item.host_ns));
  const shown = useMemo(() => {
    const list = [...drawn.values()];
    if (list.length <= MOST) return list;
    return list.toSorted((a, b) => b.device_ns + b.host_ns - a.device_ns - a.host_ns).slice(0, MOST);
  }, [drawn]);
  const laid = useMemo(() => {
    const g = new dagre.graphlib.Graph();
    g.setGraph({ rankdir: 'TB', nodesep: 18, ranksep: 34 });
    g.setDefaultEdgeLabel(() => ({}));
    const names = new Set(shown.map((item) => item.id));
    for (const item of shown) g.setNode(item.id, { width: 170, height: 40 });
    for (const key of edges.keys()) {
      const [from, to] = key.split('\n');
      if (names.has(from) && names.has(to)) g.setEdge(from, to);
    }
    dagre.layout(g);
    return g;
  }, [shown, edges]);
  const toggle = (scope: string) => {
    const next = new Set(open);
    if (next.has(scope))
      for (const other of open) if (other === scope || other.startsWith(`${scope}/`)) next.delete(other);
    if (!open.has(scope)) next.add(scope);
    setOpen(next);
    note({ open: [...next].join('~') || null });
  };
  const find = (text: string) => {
    setSearch(text);
    const hit = graph.nodes.find((node) => node.name.toLowerCase().includes(text.toLowerCase()));
    if (!text || !hit) return;
    const parts = hit.name.split('/');
    const next = new Set(open);
    for (let i = 1; i < parts.length; ++i) next.add(parts.slice(0, i).join('/'));
    setOpen(next);
    requestAnimationFrame(() =>
      view.current
        ?.querySelector(`[data-node="${CSS.escape(hit.name)}"]`)
        ?.scrollIntoView({ block: 'center', inline: 'center' }),
    );
  };
  const size = laid.graph() as { width?: number; height?: number };
  const matches = (item: Drawn) =>
    search !== '' && item.nodes.some((n) => graph.nodes[n].name.toLowerCase().includes(search.toLowerCase()));
  return (
    <div class="graph-page">
      <div class="choices">
        <input
          type="search"
          placeholder={w.search}
          aria-label={w.search}
          value={search}
          onChange={(event) => find(event.currentTarget.value)}
        />
        <span class="muted">
          {count(graph.nodes.length)} {w.nodes}
          {drawn.size > shown.length && ` · ${count(drawn.size - shown.length)} ${w.tooManyNodes}`}
        </span>
        {[...open].map((scope) => (
          <button type="button" key={scope} onClick={() => toggle(scope)}>
            {scope} ×
          </button>
        ))}
      </div>
      <div class="graph-body">
        <div class="graph-scroll" ref={view}>
          <svg
            width={(size.width ?? 100) + 40}
            height={(size.height ?? 100) + 40}
            role="img"
            aria-label={w.pages.graph}
          >
            <defs>
              <marker
                id="arrow"
                viewBox="0 0 8 8"
                refX="8"
                refY="4"
                markerWidth="7"
                markerHeight="7"
                orient="auto"
              >
                <path d="M0 0L8 4L0 8z" class="arrow" />
              </marker>
            </defs>
            <g transform="translate(20 20)">
              {laid.edges().map((edge) => {
                const points = (laid.edge(edge) as { points: { x: number; y: number }[] }).points;
                return (
                  <polyline
                    key={`${edge.v}>${edge.w}`}
                    class="edge"
                    marker-end="url(#arrow)"
                    points={points.map((p) => `${p.x},${p.y}`).join(' ')}
                  />
                );
              })}
              {shown.map((item) => {
                const at = laid.node(item.id) as { x: number; y: number };
                const cost = item.device_ns + item.host_ns;
                return (
                  <g
                    key={item.id}
                    data-node={item.id}
                    class={`node${item.scope ? ' scope' : ''}${matches(item) ? ' match' : ''}`}
                    transform={`translate(${at.x - 85} ${at.y - 20})`}
                    tabindex={0}
                    role="button"
                    aria-label={item.id}
                    onClick={() => setPicked(item)}
                    onDblClick={() => item.scope && toggle(item.id)}
                    onKeyDown={(event) => {
                      if (event.key !== 'Enter') return;
                      if (item.scope) toggle(item.id);
                      else setPicked(item);
                    }}
                  >
                    <title>{item.id}</title>
                    <rect width="170" height="40" rx={item.scope ? 8 : 3} />
                    <rect class="heat" width={Math.max(1, (170 * cost) / heaviest)} height="4" y="36" />
                    <text x="8" y="16">
                      {clip(item.label, 22)}
                    </text>
                    <text x="8" y="31" class="small">
                      {clip(
                        item.scope ? `${count(item.nodes.length)} ${w.nodes}` : `${item.op} ${item.shape}`,
                        27,
                      )}
                    </text>
                  </g>
                );
              })}
            </g>
          </svg>
        </div>
        {picked && (
          <aside class="graph-details">
            <h3>{picked.id}</h3>
            {picked.scope && (
              <button type="button" onClick={() => toggle(picked.id)}>
                {open.has(picked.id) ? w.collapse : w.expand}
              </button>
            )}
            <dl class="facts">
              {picked.op && <Row label={w.op} value={picked.op} />}
              {picked.shape && <Row label={w.shapes} value={picked.shape} />}
              <Row label={w.byHost} value={duration(picked.host_ns)} />
              <Row label={w.byDevice} value={duration(picked.device_ns)} />
              {!picked.scope && (
                <Row
                  label={w.inputs}
                  value={graph.nodes[picked.nodes[0]].inputs.map((i) => graph.nodes[i].name).join(', ')}
                />
              )}
            </dl>
          </aside>
        )}
      </div>
    </div>
  );
}

const clip = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function Row({ label, value }: { label: string; value: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </>
  );
}
