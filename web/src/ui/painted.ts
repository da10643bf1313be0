import { useEffect, useState } from 'preact/hooks';

/**
 * How many frames have been painted since the component appeared, up to `most`. What a person reads first is in the first of
 * them; the rest follows without holding it up. It also advances where nothing is painted (a tab in the background).
 */
export function usePainted(most: number): number {
  const [painted, setPainted] = useState(0);
  useEffect(() => {
    if (painted >= most) return;
    const next = () => setPainted(painted + 1);
    const frame = requestAnimationFrame(() => setTimeout(next));
    const unseen = setTimeout(next, 200);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(unseen);
    };
  }, [painted, most]);
  return painted;
}
