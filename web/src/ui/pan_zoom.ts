import { useEffect, useRef, useState } from 'preact/hooks';

export interface Placed {
  /** Pixels per unit of the drawing, and where its origin is. */
  k: number;
  x: number;
  y: number;
}

const LEAST = 0.02;
const MOST = 4;

/** Zooms by a factor so that the point under (x, y) stays there. */
export function zoomedAt(now: Placed, factor: number, x: number, y: number): Placed {
  const k = Math.min(MOST, Math.max(LEAST, now.k * factor));
  const by = k / now.k;
  return { k, x: x - (x - now.x) * by, y: y - (y - now.y) * by };
}

/** The whole drawing in the middle of a window, never larger than life. */
export function fitted(
  size: { width: number; height: number },
  window: { width: number; height: number },
): Placed {
  const room = 20;
  const k = Math.min(
    1,
    Math.max(LEAST, Math.min((window.width - room) / size.width, (window.height - room) / size.height)),
  );
  return {
    k,
    x: (window.width - size.width * k) / 2,
    y: Math.max(room / 2, (window.height - size.height * k) / 2),
  };
}

/** Moving and zooming a drawing: drag, wheel, two fingers, and keys. What d3-zoom does, in the hundred lines it takes here. */
export function usePanZoom(size: { width: number; height: number }) {
  const host = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<Placed>({ k: 1, x: 0, y: 0 });
  const latest = useRef(at);
  latest.current = at;
  const window = () => ({
    width: host.current?.clientWidth ?? 800,
    height: host.current?.clientHeight ?? 500,
  });
  const fit = () => setAt(fitted(size, window()));
  const zoom = (factor: number) => {
    const { width, height } = window();
    setAt(zoomedAt(latest.current, factor, width / 2, height / 2));
  };
  /** Brings a point of the drawing to the middle, large enough to be read. */
  const centre = (x: number, y: number) => {
    const { width, height } = window();
    const k = Math.max(latest.current.k, 0.7);
    setAt({ k, x: width / 2 - x * k, y: height / 2 - y * k });
  };
  useEffect(() => {
    const element = host.current!;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const unit = event.deltaMode === 1 ? 16 : 1;
      if (event.shiftKey) {
        setAt({ ...latest.current, x: latest.current.x - (event.deltaX || event.deltaY) * unit });
        return;
      }
      const factor = 0.9985 ** (event.deltaY * unit);
      setAt(zoomedAt(latest.current, factor, event.clientX - box.left, event.clientY - box.top));
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, []);
  const fingers = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(0);
  const place = (event: PointerEvent) => {
    const box = host.current!.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const spread = () => {
    const [a, b] = [...fingers.current.values()];
    return { far: Math.max(10, Math.hypot(a.x - b.x, a.y - b.y)), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  };
  const drag = {
    onPointerDown: (event: PointerEvent) => {
      fingers.current.set(event.pointerId, place(event));
      moved.current = 0;
    },
    onPointerMove: (event: PointerEvent) => {
      const before = fingers.current.get(event.pointerId);
      if (!before) return;
      const now = place(event);
      moved.current += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      // Captured only once it moves: a click must reach the node under it.
      if (moved.current > 4) host.current!.setPointerCapture(event.pointerId);
      if (fingers.current.size === 2) {
        const old = spread();
        fingers.current.set(event.pointerId, now);
        const next = spread();
        setAt(zoomedAt(latest.current, next.far / old.far, next.x, next.y));
        return;
      }
      fingers.current.set(event.pointerId, now);
      const { k, x, y } = latest.current;
      setAt({ k, x: x + now.x - before.x, y: y + now.y - before.y });
    },
    onPointerUp: (event: PointerEvent) => fingers.current.delete(event.pointerId),
    onPointerCancel: (event: PointerEvent) => fingers.current.delete(event.pointerId),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = 60;
    const keys: Record<string, () => void> = {
      '+': () => zoom(1.25),
      '=': () => zoom(1.25),
      '-': () => zoom(0.8),
      '0': fit,
      ArrowLeft: () => setAt({ ...latest.current, x: latest.current.x + step }),
      ArrowRight: () => setAt({ ...latest.current, x: latest.current.x - step }),
      ArrowUp: () => setAt({ ...latest.current, y: latest.current.y + step }),
      ArrowDown: () => setAt({ ...latest.current, y: latest.current.y - step }),
    };
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  return { host, at, fit, zoom, centre, drag, onKeyDown };
}
