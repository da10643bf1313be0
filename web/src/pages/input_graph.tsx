import dagre from '@dagrejs/dagre';
import { useMemo } from 'preact/hooks';
import type { InputStage } from '../api';
import { count, duration } from '../format';
import { words } from '../i18n';

const WIDTH = 190;
const HEIGHT = 52;

/** What a stage takes its elements from: the longest path below its own. */
export function feeds(stages: Pick<InputStage, 'path'>[]): [number, number][] {
  const edges: [number, number][] = [];
  stages.forEach((stage, index) => {
    let parent = -1;
    stages.forEach((other, at) => {
      const above = stage.path !== other.path && stage.path.startsWith(other.path);
      if (above && (parent < 0 || other.path.length > stages[parent].path.length)) parent = at;
    });
    if (parent >= 0) edges.push([index, parent]);
  });
  return edges;
}

/** The input pipeline from where data is read to the step that takes it; the more of the time a stage takes, the redder. */
export function InputGraph({
  stages,
  link,
}: {
  stages: InputStage[];
  link: (stage: InputStage) => string | null;
}) {
  const w = words();
  const laid = useMemo(() => {
    const g = new dagre.graphlib.Graph();
    g.setGraph({ rankdir: 'LR', nodesep: 16, ranksep: 36 });
    g.setDefaultEdgeLabel(() => ({}));
    stages.forEach((_, index) => {
      g.setNode(String(index), { width: WIDTH, height: HEIGHT });
    });
    for (const [from, to] of feeds(stages)) g.setEdge(String(from), String(to));
    dagre.layout(g);
    return g;
  }, [stages]);
  const size = laid.graph() as { width?: number; height?: number };
  const most = Math.max(1, ...stages.map((stage) => stage.self_ns));
  return (
    <div class="input-graph" tabIndex={0} role="group" aria-label={w.pipeline}>
      <svg width={(size.width ?? 100) + 20} height={(size.height ?? 60) + 20} role="presentation">
        <defs>
          <marker
            id="feeds"
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
        <g transform="translate(10 10)">
          {laid.edges().map((edge) => {
            const { points } = laid.edge(edge) as { points: { x: number; y: number }[] };
            return (
              <polyline
                key={`${edge.v}>${edge.w}`}
                class="edge"
                marker-end="url(#feeds)"
                points={points.map((p) => `${p.x},${p.y}`).join(' ')}
              />
            );
          })}
          {stages.map((stage, index) => {
            const at = laid.node(String(index)) as { x: number; y: number };
            const facts = [
              duration(stage.self_ns),
              `${count(stage.calls)} ×`,
              stage.parallelism ? `∥ ${stage.parallelism}` : '',
              stage.buffer_limit ? `${w.buffer} ${stage.buffer_limit}` : '',
            ].filter(Boolean);
            const box = (
              <g transform={`translate(${at.x - WIDTH / 2} ${at.y - HEIGHT / 2})`} class="node">
                <title>{`${stage.name}: ${facts.join(' · ')}`}</title>
                <rect width={WIDTH} height={HEIGHT} rx="6" />
                <rect
                  class="heat"
                  width={Math.max(1, (WIDTH * stage.self_ns) / most)}
                  height="5"
                  y={HEIGHT - 5}
                />
                <text x="8" y="20">
                  {stage.name.length > 26 ? `${stage.name.slice(0, 25)}…` : stage.name}
                </text>
                <text x="8" y="37" class="small">
                  {facts.join(' · ')}
                </text>
              </g>
            );
            const to = link(stage);
            return to ? (
              <a key={stage.path} href={to}>
                {box}
              </a>
            ) : (
              <g key={stage.path}>{box}</g>
            );
          })}
        </g>
      </svg>
    </div>
  );
}
