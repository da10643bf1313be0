import { type Signal, signal } from '@preact/signals';
import { useRef } from 'preact/hooks';

/** A size that the user chose, kept by the browser where it can. */
export function keptSize(name: string, usual: number): Signal<number> {
  const key = `stepscope-${name}`;
  let kept = Number.NaN;
  try {
    kept = Number(localStorage.getItem(key) ?? Number.NaN);
  } catch {
    // No storage: the size lasts as long as the page.
  }
  const size = signal(Number.isFinite(kept) && kept > 0 ? kept : usual);
  size.subscribe((value) => {
    try {
      if (value !== usual) localStorage.setItem(key, String(value));
    } catch {
      // See above.
    }
  });
  return size;
}

interface Props {
  label: string;
  size: Signal<number>;
  min: number;
  max: number;
  /** Whether it stands between left and right. */
  upright: boolean;
  /** Whether dragging to the right or down makes the size larger. */
  grows: 1 | -1;
}

/** A border that can be dragged, or moved with the arrow keys. */
export function Splitter({ label, size, min, max, upright, grows }: Props) {
  const began = useRef<{ at: number; size: number } | null>(null);
  const set = (value: number) => {
    size.value = Math.round(Math.min(max, Math.max(min, value)));
  };
  const place = (event: PointerEvent) => (upright ? event.clientX : event.clientY);
  return (
    <div
      class={`splitter ${upright ? 'upright' : 'level'}`}
      role="separator"
      aria-label={label}
      aria-orientation={upright ? 'vertical' : 'horizontal'}
      aria-valuenow={size.value}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        began.current = { at: place(event), size: size.value };
        event.preventDefault();
      }}
      onPointerMove={(event) => {
        const from = began.current;
        if (from) set(from.size + (place(event) - from.at) * grows);
      }}
      onPointerUp={() => {
        began.current = null;
      }}
      onKeyDown={(event) => {
        const [less, more] = upright ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
        if (event.key !== less && event.key !== more) return;
        event.preventDefault();
        event.stopPropagation();
        set(size.value + (event.key === more ? 16 : -16) * grows);
      }}
    />
  );
}
