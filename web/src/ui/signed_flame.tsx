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
      <div class="signed-flame-boxes" style={{ height: `${depths * ROW}px` }}>
        {boxes.map((box) => (
          <button
            type="button"
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
            onFocus={() => setAt(box)}
          >
            {box.to - box.from > 0.03 ? box.title : ''}
          </button>
        ))}
      </div>
    </div>
  );
}
