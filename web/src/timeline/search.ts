import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SearchAnswer, SliceRef } from '../api';
import { count } from '../format';
import type { Words } from '../i18n';
import { note, route } from '../route';
import type { Source } from '../source';
import type { TimelineView } from './view';

/** Search by name or expression with next and previous; what does not match is dimmed. */
export function useSearch(
  view: TimelineView,
  source: Source,
  profile: number,
  onHit: (trace: number, slice: SliceRef) => void,
) {
  const text = useSignal(route.value.params.get('q') ?? '');
  const regex = useSignal(route.value.params.get('re') === '1');
  const answer = useSignal<SearchAnswer | null>(null);
  const asked = useRef('');
  const at = useSignal(-1);
  const step = async (by: number) => {
    const found = answer.value;
    if (!found || found.count === 0) return;
    at.value = (at.value + by + found.count) % found.count;
    let hit = found.hits[at.value - found.first];
    if (!hit) {
      const first = Math.max(0, Math.min(at.value - 100, found.count - 1));
      const more = await source.search(profile, 0, text.value, regex.value, first);
      answer.value = { ...found, hits: more.hits, first: more.first };
      hit = more.hits[at.value - more.first];
    }
    if (hit) onHit(0, hit);
  };
  const run = async (by: number) => {
    const key = `${regex.value}/${text.value}`;
    if (text.value === '') {
      asked.current = '';
      answer.value = null;
      view.overlay.value = { ...view.overlay.value, keep: null };
      note({ q: null, re: null });
      return;
    }
    if (asked.current === key) return step(by);
    asked.current = key;
    const found = await source.search(profile, 0, text.value, regex.value, 0);
    answer.value = found;
    at.value = -1;
    view.overlay.value = {
      ...view.overlay.value,
      keep: found.count > 0 ? { trace: 0, names: new Set(found.name_ids) } : null,
    };
    note({ q: text.value, re: regex.value ? '1' : null });
    await step(1);
  };
  const label = (w: Words): string => {
    const found = answer.value;
    if (!found) return '';
    if (found.error) return found.error;
    return found.count === 0 ? w.noHits : `${count(at.value + 1)} / ${count(found.count)} ${w.hits}`;
  };
  useEffect(() => {
    if (text.value !== '' && source.live && !route.value.params.has('row')) void run(1);
  }, [view]);
  return { text, regex, run, step, label };
}
