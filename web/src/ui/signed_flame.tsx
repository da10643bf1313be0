import { useMemo, useState } from 'preact/hooks';
import { type DiffNode, type SignedBox, signedBoxes } from '../diff';
import { duration } from '../format';
import { words } from '../i18n';

const ROW = 20;

/** Red: takes longer now; green: takes less. The stronger, the more of it changed. */
function colorOf({ base, now }: SignedBox): string {
  const share = (now - base) / Math.max(base, now, 1);
  const strength = Math.round(Math.min(Math.abs(share) * 2, 1) * 100);
  return `color-mix(in oklab, ${share > 0 ? '#d6453d' : '#2f9e5b'} ${strength}%, var(--flame-same, #b9bcc4))`;
}

/** The box that an arrow key leads to: the one below, above, or beside at the same depth. */
export function neighbour(boxes: SignedBox[], at: SignedBox, key: string): SignedBox | undefined {
  const within = (inner: SignedBox, outer: SignedBox) => inner.from >= outer.from && inner.to <= outer.to;
  if (key === 'ArrowDown') return boxes.find((box) => box.depth === at.depth + 1 && within(box, at));
  if (key === 'ArrowUp') return boxes.find((box) => box.depth === at.depth - 1 && within(at, box));
  const row = boxes.filter((box) => box.depth === at.depth).toSorted((a, b) => a.from - b.from);
  const place = row.indexOf(at);
  if (key === 'ArrowRight') return row[place + 1];
  return key === 'ArrowLeft' ? row[place - 1] : undefined;
}

export function SignedFlame({ nodes }: { nodes: DiffNode[] }) {
  const w = words();
  const boxes = useMemo(() => signedBoxes(nodes, w.everything), [nodes, w]);
  const depths = boxes.reduce((most, box) => Math.max(most, box.depth + 1), 1);
  const [at, setAt] = useState<SignedBox | null>(null);
  const about = at ?? boxes[0];
  const change = about ? about.now - about.base : 0;
  return (
    <div class="signed-flame" data-testid="signed-flame">
      <p class="flame-about" aria-live="polite">
        {about && (
          <>
            <strong>{about.title}</strong> {duration(about.base)} → {duration(about.now)} (
            {change > 0 ? '+' : change < 0 ? '−' : ''}
            {duration(Math.abs(change))})
          </>
        )}
      </p>
      {/* One stop of the Tab key; arrows go from box to box, and the line above says which. */}
      <div
        class="signed-flame-boxes"
        style={{ height: `${depths * ROW}px` }}
        tabIndex={0}
        role="application"
        aria-label={w.compare.flame}
        onKeyDown={(event) => {
          const next = about && neighbour(boxes, about, event.key);
          if (!next) return;
          event.preventDefault();
          setAt(next);
        }}
      >
        {boxes.map((box) => (
          <span
            class={box === at ? 'at' : undefined}
            key={`${box.depth} ${box.from} ${box.title}`}
            style={{
              left: `${100 * box.from}%`,
              width: `${100 * (box.to - box.from)}%`,
              top: `${box.depth * ROW}px`,
              height: `${ROW - 1}px`,
              backgroundColor: colorOf(box),
            }}
            title={`${box.title}: ${duration(box.base)} → ${duration(box.now)}`}
            onMouseEnter={() => setAt(box)}
          >
            {box.to - box.from > 0.03 ? box.title : ''}
          </span>
        ))}
      </div>
    </div>
  );
}
