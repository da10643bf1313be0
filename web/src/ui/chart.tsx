import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { dark } from '../theme';

interface Props {
  label: string;
  data: uPlot.AlignedData;
  series: uPlot.Series[];
  height: number;
  formatX: (value: number) => string;
  formatY: (value: number) => string;
  onClick?: (x: number) => void;
  /** Where the pointer is, as it moves. */
  onPoint?: (x: number) => void;
  /** Ticks at powers of two, for bytes. */
  binary?: boolean;
  /** Categories instead of a scale: whole numbers only. */
  discrete?: boolean;
}

const WHOLE = Array.from({ length: 9 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat();
const POWERS_OF_TWO = Array.from({ length: 50 }, (_, power) => 2 ** power);

export function Chart(props: Props) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const isDark = dark.value;
  useEffect(() => {
    const element = host.current!;
    const ink = isDark ? '#c8ccd4' : '#3c4048';
    const grid = isDark ? '#33373f' : '#e4e6ea';
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const chart = new uPlot(
      {
        width: Math.max(200, element.clientWidth),
        height: props.height,
        legend: { show: false },
        cursor: { drag: { x: true, y: false }, points: { size: 6 } },
        scales: { x: { time: false }, y: { range: (_, low, high) => [Math.min(0, low), high * 1.08 || 1] } },
        axes: [
          {
            ...axis,
            values: (_, ticks) => ticks.map((t) => props.formatX(t)),
            ...(props.discrete ? { incrs: WHOLE } : {}),
          },
          {
            ...axis,
            size: 78,
            values: (_, ticks) => ticks.map((t) => props.formatY(t)),
            ...(props.binary ? { incrs: POWERS_OF_TWO } : {}),
          },
        ],
        series: [{}, ...props.series],
      },
      props.data,
      element,
    );
    const resize = new ResizeObserver(() =>
      chart.setSize({ width: Math.max(200, element.clientWidth), height: props.height }),
    );
    resize.observe(element);
    const click = () => {
      const left = chart.cursor.left ?? -1;
      if (left >= 0 && chart.select.width < 3) latest.current.onClick?.(chart.posToVal(left, 'x'));
    };
    const point = () => {
      const left = chart.cursor.left ?? -1;
      if (left >= 0) latest.current.onPoint?.(chart.posToVal(left, 'x'));
    };
    chart.over.addEventListener('click', click);
    chart.over.addEventListener('mousemove', point);
    return () => {
      resize.disconnect();
      chart.destroy();
    };
  }, [props.data, isDark, props.height]);
  return <div class="chart" ref={host} role="img" aria-label={props.label} />;
}
