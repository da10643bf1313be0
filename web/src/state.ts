import { signal } from '@preact/signals';
import type { Report, Session, TimelineInfo } from './api';
import { ServerError } from './http_source';
import { language } from './i18n';
import { route } from './route';
import type { Source } from './source';

export const source = signal<Source | null>(null);
export const session = signal<Session | null>(null);
export const trouble = signal<'lost' | 'token' | null>(null);

const reports = new Map<string, Promise<Report[]>>();
const timelines = new Map<string, Promise<TimelineInfo[]>>();

const revisionOf = (profile: number) => session.value?.profiles.find((p) => p.id === profile)?.revision ?? 0;

/** Answers are kept as long as the profile is the one that was read; their sentences are in the page's language. */
function kept<T>(cache: Map<string, Promise<T>>, profile: number, ask: () => Promise<T>): Promise<T> {
  const key = `${profile}/${revisionOf(profile)}/${language.value}`;
  let answer = cache.get(key);
  if (!answer) {
    answer = ask();
    answer.catch(() => cache.delete(key));
    cache.set(key, answer);
  }
  return answer;
}

export const reportsOf = (profile: number) => kept(reports, profile, () => source.value!.reports(profile));
export const timelineOf = (profile: number) =>
  kept(timelines, profile, () => source.value!.timeline(profile));

/** The lines of a profile if some page has asked for them. */
export const timelineIfKnown = (profile: number) =>
  timelines.get(`${profile}/${revisionOf(profile)}`) ?? null;

/** Every page begins with the report, so it is requested before the page that shows it is ready. */
function askAhead({ profiles }: Session): void {
  const wanted = route.value.profile ?? (profiles.length === 1 ? profiles[0].id : null);
  const ready = profiles.some(({ id, state }) => id === wanted && state === 'ready');
  if (ready) void reportsOf(wanted!).catch(() => {});
}

/** Follows the server's state for as long as the page lives, and says when the server is gone. */
export async function follow(from: Source): Promise<void> {
  source.value = from;
  for (;;) {
    // The state has sentences, too: it is asked for again in another language.
    const asked = language.peek();
    const other = new AbortController();
    const leave = language.subscribe((now) => {
      if (now !== asked) other.abort();
    });
    try {
      await from.watch((state) => {
        session.value = state;
        trouble.value = null;
        askAhead(state);
      }, other.signal);
      if (!from.live) return;
    } catch (error) {
      if (other.signal.aborted) continue;
      trouble.value = error instanceof ServerError && error.status === 403 ? 'token' : 'lost';
      if (trouble.value === 'token') return;
    } finally {
      leave();
    }
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
}
