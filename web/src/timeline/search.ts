import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SearchAnswer, SliceRef } from '../api';
import { count } from '../format';
import type { Words } from '../i18n';
import { note, route } from '../route';
import type { Source } from '../source';
import type { TimelineView } from './view';

/** Which trace the n-th of all hits is in, and which of its hits that is. */
export function placeOf(counts: number[], at: number): { trace: number; index: number } {
  let index = at;
  let trace = 0;
  while (trace + 1 < counts.length && index >= counts[trace]) index -= counts[trace++];
  return { trace, index };
}

/** Search by name or expression with next and previous, over all traces; what does not match is dimmed. */
export function useSearch(
  view: TimelineView,
  source: Source,
  profile: number,
  onHit: (trace: number, slice: SliceRef) => void,
) {
  const text = useSignal(route.value.params.get('q') ?? '');
  const regex = useSignal(route.value.params.get('re') === '1');
  const answers = useSignal<SearchAnswer[] | null>(null);
  const refusal = useSignal('');
  const asked = useRef('');
  const at = useSignal(-1);
  const total = () => answers.value?.reduce((sum, answer) => sum + answer.count, 0) ?? 0;
  const ask = (trace: number, first: number) => source.search(profile, trace, text.value, regex.value, first);
  const step = async (by: number) => {
    const found = answers.value;
    const hits = total();
    if (!found || hits === 0) return;
    at.value = (at.value + by + hits) % hits;
    const { trace, index } = placeOf(
      found.map((answer) => answer.count),
      at.value,
    );
    let page = found[trace];
    if (!page.hits[index - page.first]) {
      page = { ...page, ...(await ask(trace, Math.max(0, index - 100))) };
      answers.value = found.with(trace, page);
    }
    const hit = page.hits[index - page.first];
    if (hit) onHit(trace, hit);
  };
  const forget = () => {
    asked.current = '';
    answers.value = null;
    refusal.value = '';
    view.overlay.value = { ...view.overlay.value, keep: null };
  };
  const run = async (by: number) => {
    if (text.value === '') {
      forget();
      note({ q: null, re: null });
      return;
    }
    const key = `${regex.value}/${text.value}`;
    try {
      if (asked.current === key) return await step(by);
      forget();
      asked.current = key;
      const found = await Promise.all(view.infos.map((_, trace) => ask(trace, 0)));
      if (asked.current !== key) return;
      answers.value = found;
      at.value = by > 0 ? -1 : 0;
      view.overlay.value = {
        ...view.overlay.value,
        keep: total() > 0 ? found.map((answer) => new Set(answer.name_ids)) : null,
      };
      note({ q: text.value, re: regex.value ? '1' : null });
      await step(by);
    } catch (error) {
      forget();
      refusal.value = error instanceof Error ? error.message : String(error);
    }
  };
  const label = (w: Words): string => {
    if (refusal.value) return refusal.value;
    if (!answers.value) return '';
    return total() === 0 ? w.noHits : `${count(at.value + 1)} / ${count(total())} ${w.hits}`;
  };
  useEffect(() => {
    if (text.value !== '' && source.live && !route.value.params.has('row')) void run(1);
  }, [view]);
  return { text, regex, run, step, label };
}
