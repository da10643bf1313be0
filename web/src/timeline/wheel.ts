import { useEffect } from 'preact/hooks';
import type { TimelineView } from './view';

/**
 * The wheel does the same everywhere on the timeline: it scrolls the lines, with Shift it moves in time, with Ctrl it zooms
 * around the pointer (around the middle, where the pointer is on names).
 */
export function useWheel(view: TimelineView, host: { current: HTMLElement | null }): void {
  useEffect(() => {
    const element = host.current!;
    // Not passive: the page itself must neither zoom nor go back in history.
    const wheel = (event: WheelEvent) => {
      if ((event.target as HTMLElement).closest('.pane, dialog')) return;
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 16 : 1;
      if (event.ctrlKey || event.metaKey) {
        const lines = element.querySelector('.canvas-host')!.getBoundingClientRect();
        const x = event.clientX - lines.left;
        const onMap = (event.target as HTMLElement).closest('.minimap') !== null;
        const around = x >= 0 && !onMap ? view.timeAt(x) : view.focus;
        view.glideZoom(1.0018 ** (event.deltaY * unit), around);
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        view.pan((event.deltaX || event.deltaY) * unit * view.nsPerPixel);
      } else {
        view.scrollTo(view.scroll.value + event.deltaY * unit);
      }
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, [view]);
}
