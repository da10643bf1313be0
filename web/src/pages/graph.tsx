import dagre from '@dagrejs/dagre';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Graph } from '../api';
import { bytes, count, duration } from '../format';
import { words } from '../i18n';
import { note, route } from '../route';
import { useAsk } from '../ui/ask';
import { Empty, Failed, Working } from '../ui/empty';
import { usePanZoom } from '../ui/pan_zoom';
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
  allocated_bytes: number;
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
        allocated_bytes: 0,
      };
      drawn.set(id, item);
    }
    item.nodes.push(index);
    item.host_ns += node.host_ns;
    item.device_ns += node.device_ns;
    item.allocated_bytes += node.allocated_bytes;
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

type ColourBy = 'time' | 'memory' | 'device' | 'op';
const COLOURS: ColourBy[] = ['time', 'memory', 'device', 'op'];
/** These two are how much; the others are which. */
const isHeat = (by: ColourBy) => by === 'time' || by === 'memory';
const PALETTE = ['#56b4e9', '#e69f00', '#009e73', '#cc79a7', '#f0e442', '#0072b2', '#d55e00', '#999999'];

/** All scopes of a graph, the outer before the inner. */
export function scopesOf(graph: Graph): string[] {
  const scopes = new Set<string>();
  for (const { name } of graph.nodes) {
    const parts = name.split('/');
    for (let i = 1; i < parts.length; ++i) scopes.add(parts.slice(0, i).join('/'));
  }
  return [...scopes];
}

/** Nodes whose name has the text: the one with just this name, then the most costly first. */
export function found(graph: Graph, text: string): number[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const cost = (n: number) => graph.nodes[n].host_ns + graph.nodes[n].device_ns;
  const exact = (n: number) => Number(graph.nodes[n].name.toLowerCase() === wanted);
  return graph.nodes
    .flatMap((node, index) => (node.name.toLowerCase().includes(wanted) ? [index] : []))
    .sort((a, b) => exact(b) - exact(a) || cost(b) - cost(a) || a - b);
}

function GraphView({ graph }: { graph: Graph }) {
  const w = words();
  const [open, setOpen] = useState(
    () => new Set((route.value.params.get('open') ?? '').split('~').filter(Boolean)),
  );
  const [search, setSearch] = useState('');
  const [hit, setHit] = useState(0);
  const [by, setBy] = useState<ColourBy>(
    COLOURS.find((one) => one === route.value.params.get('colour')) ?? 'time',
  );
  const [picked, setPicked] = useState<Drawn | null>(null);
  const { drawn, edges } = useMemo(() => folded(graph, open), [graph, open]);
  const hits = useMemo(() => found(graph, search), [graph, search]);
  const costOf = (item: Drawn) => (by === 'memory' ? item.allocated_bytes : item.device_ns + item.host_ns);
  const heaviest = Math.max(1, ...[...drawn.values()].map(costOf));
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
  const label = laid.graph() as { width?: number; height?: number };
  const size = { width: label.width ?? 100, height: label.height ?? 100 };
  const { host, at, fit, zoom, centre, drag, onKeyDown } = usePanZoom(size);
  useEffect(fit, []);
  const show = (next: Set<string>) => {
    setOpen(next);
    note({ open: [...next].join('~') || null });
  };
  const toggle = (scope: string) => {
    const next = new Set(open);
    if (next.has(scope))
      for (const other of open) if (other === scope || other.startsWith(`${scope}/`)) next.delete(other);
    if (!open.has(scope)) next.add(scope);
    show(next);
  };
  // The node to go to once the scopes around it are open and laid out.
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const place = laid.node(wanted.current) as { x: number; y: number } | undefined;
    wanted.current = null;
    if (place) centre(place.x, place.y);
  });
  const goTo = (index: number, list = hits) => {
    if (list.length === 0) return;
    const place = (index + list.length) % list.length;
    setHit(place);
    const { name } = graph.nodes[list[place]];
    const parts = name.split('/');
    const next = new Set(open);
    for (let i = 1; i < parts.length; ++i) next.add(parts.slice(0, i).join('/'));
    wanted.current = name;
    show(next);
  };
  const find = (text: string) => {
    setSearch(text);
    goTo(0, found(graph, text));
  };
  const groups = useMemo(() => {
    const of = (item: Drawn) =>
      by === 'device' ? graph.nodes[item.nodes[0]].device || w.noDevice : item.scope ? w.scope : item.op;
    const names = [...new Set(shown.map(of))].slice(0, PALETTE.length - 1);
    return {
      of,
      color: (item: Drawn) =>
        PALETTE[names.indexOf(of(item)) < 0 ? PALETTE.length - 1 : names.indexOf(of(item))],
      names,
    };
  }, [shown, by, w]);
  const under = (item: Drawn) =>
    clip(item.scope ? `${count(item.nodes.length)} ${w.nodes}` : `${item.op} ${item.shape}`, 26);
  const heat = (item: Drawn) => Math.sqrt(costOf(item) / heaviest);
  const matched = new Set(hits.map((index) => graph.nodes[index].name));
  const matches = (item: Drawn) => item.nodes.some((n) => matched.has(graph.nodes[n].name));
  return (
    <div class="graph-page">
      <div class="choices">
        <form
          role="search"
          class="search"
          onSubmit={(event) => {
            event.preventDefault();
            const text = event.currentTarget.querySelector('input')!.value;
            if (text === search) goTo(hit + 1);
            else find(text);
          }}
        >
          <input type="search" placeholder={w.search} aria-label={w.search} />
          <span class="muted" role="status" data-testid="graph-hits">
            {search && (hits.length === 0 ? w.noHits : `${count(hit + 1)} / ${count(hits.length)} ${w.hits}`)}
          </span>
          <button type="button" title={w.previous} aria-label={w.previous} onClick={() => goTo(hit - 1)}>
            ‹
          </button>
          <button type="button" title={w.next} aria-label={w.next} onClick={() => goTo(hit + 1)}>
            ›
          </button>
        </form>
        <button type="button" onClick={() => zoom(1.25)} aria-label={w.zoomIn} title={w.zoomIn}>
          +
        </button>
        <button type="button" onClick={() => zoom(0.8)} aria-label={w.zoomOut} title={w.zoomOut}>
          −
        </button>
        <button type="button" onClick={fit}>
          {w.fit}
        </button>
        <button type="button" onClick={() => show(new Set(scopesOf(graph)))}>
          {w.expandAll}
        </button>
        <button type="button" disabled={open.size === 0} onClick={() => show(new Set())}>
          {w.collapseAll}
        </button>
        <label>
          {w.colourBy}{' '}
          <select
            value={by}
            onChange={(event) => {
              setBy(event.currentTarget.value as ColourBy);
              note({ colour: event.currentTarget.value });
            }}
          >
            {COLOURS.map((one) => (
              <option key={one} value={one}>
                {w.colours[one]}
              </option>
            ))}
          </select>
        </label>
        <span class="muted">
          {count(graph.nodes.length)} {w.nodes}
          {drawn.size > shown.length && ` · ${count(drawn.size - shown.length)} ${w.tooManyNodes}`}
        </span>
        {!isHeat(by) && (
          <ul class="legend">
            {groups.names.map((name, i) => (
              <li key={name}>
                <span class="swatch" style={{ backgroundColor: PALETTE[i] }} /> {name}
              </li>
            ))}
          </ul>
        )}
        {[...open].slice(0, 12).map((scope) => (
          <button type="button" key={scope} onClick={() => toggle(scope)}>
            {scope} ×
          </button>
        ))}
      </div>
      <div class="graph-body">
        <div
          class="graph-scroll"
          ref={host}
          role="application"
          aria-label={`${w.pages.graph}. ${w.graphHelp}`}
          tabIndex={0}
          data-zoom={at.k}
          onKeyDown={onKeyDown}
          {...drag}
        >
          {/* biome-ignore lint/a11y/noSvgWithoutTitle: the application around it has the name; its nodes are buttons */}
          <svg width="100%" height="100%">
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
            <g transform={`translate(${at.x} ${at.y}) scale(${at.k})`}>
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
                const place = laid.node(item.id) as { x: number; y: number };
                const cost = costOf(item);
                return (
                  <g
                    key={item.id}
                    data-node={item.id}
                    class={`node${item.scope ? ' scope' : ''}${matches(item) ? ' match' : ''}`}
                    transform={`translate(${place.x - 85} ${place.y - 20})`}
                    tabindex={0}
                    role="button"
                    aria-expanded={item.scope ? false : undefined}
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
                    {isHeat(by) ? (
                      <rect
                        class="warm"
                        width="170"
                        height="40"
                        rx="3"
                        style={{ opacity: heat(item) * 0.55 }}
                      />
                    ) : (
                      <rect width="6" height="40" style={{ fill: groups.color(item), stroke: 'none' }} />
                    )}
                    <rect class="heat" width={Math.max(1, (170 * cost) / heaviest)} height="4" y="36" />
                    <text x="10" y="16">
                      {clip(item.label, 22)}
                    </text>
                    <text x="10" y="31" class="small">
                      {under(item)}
                    </text>
                  </g>
                );
              })}
            </g>
          </svg>
        </div>
        {picked && (
          <aside class="graph-details" aria-label={w.details}>
            <h2>{picked.id}</h2>
            {picked.scope && (
              <button type="button" onClick={() => toggle(picked.id)}>
                {open.has(picked.id) ? w.collapse : w.expand}
              </button>
            )}
            <dl class="facts">
              {picked.op && <Row label={w.op} value={picked.op} />}
              {picked.shape && <Row label={w.shapes} value={picked.shape} />}
              {!picked.scope && graph.nodes[picked.nodes[0]].device && (
                <Row label={w.device} value={graph.nodes[picked.nodes[0]].device} />
              )}
              <Row label={w.byHost} value={duration(picked.host_ns)} />
              <Row label={w.byDevice} value={duration(picked.device_ns)} />
              {picked.allocated_bytes > 0 && (
                <Row label={w.colours.memory} value={bytes(picked.allocated_bytes)} />
              )}
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
