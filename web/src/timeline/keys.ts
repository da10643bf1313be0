import { useEffect } from 'preact/hooks';
import type { TimelineView } from './view';

export interface KeyActions {
  escape: (target: HTMLElement) => void;
  fit: () => void;
  mark: () => void;
  selectInSight: () => void;
  search: () => void;
  help: () => void;
  follow: (forward: boolean) => void;
  neighbour: (by: -1 | 1) => void;
  hit: (by: -1 | 1) => void;
  jump: () => void;
  wholeStep: (by: -1 | 0 | 1) => void;
}

/** All keys of the timeline, wherever the focus is; fields keep theirs, tables their arrows. */
export function useTimelineKeys(view: TimelineView, act: KeyActions): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.key === 'Escape') return act.escape(target);
      const typing = ['TEXTAREA', 'SELECT'].includes(target.tagName) || isField(target);
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const action = actionOf(event.key, view, act, target.closest('.table-scroll') !== null);
      if (!action) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}

/** Fields keep their letters; a check box has none. */
const isField = (element: HTMLElement) =>
  element instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(element.type);

function actionOf(
  key: string,
  view: TimelineView,
  act: KeyActions,
  inTable: boolean,
): (() => void) | undefined {
  const { from, to } = view.window.value;
  const width = to - from;
  const zoomIn = () => view.zoom(0.7, view.focus);
  const zoomOut = () => view.zoom(1 / 0.7, view.focus);
  const left = () => view.pan(-width / 5);
  const right = () => view.pan(width / 5);
  const scroll = (share: number) => () => view.scrollTo(view.scroll.value + view.height * share);
  const letters: Record<string, () => void> = {
    w: zoomIn,
    s: zoomOut,
    a: left,
    d: right,
    f: act.fit,
    m: act.mark,
    r: act.selectInSight,
    '/': act.search,
    '?': act.help,
    '[': () => act.follow(false),
    ']': () => act.follow(true),
    ',': () => act.neighbour(-1),
    '.': () => act.neighbour(1),
    n: () => act.hit(1),
    N: () => act.hit(-1),
    g: act.jump,
    q: () => act.wholeStep(-1),
    e: () => act.wholeStep(1),
    x: () => act.wholeStep(0),
  };
  const arrows: Record<string, () => void> = {
    ArrowUp: zoomIn,
    ArrowDown: zoomOut,
    ArrowLeft: left,
    ArrowRight: right,
    PageDown: scroll(0.8),
    PageUp: scroll(-0.8),
    Home: () => view.show({ ...view.limit }),
    End: () => view.show({ from: view.limit.to - width, to: view.limit.to }),
  };
  const letter = key.length === 1 && key !== 'N' ? key.toLowerCase() : key;
  return letters[letter] ?? (inTable ? undefined : arrows[key]);
}
