import { signal } from '@preact/signals';

// The address holds the view: #/<profile>/<page>?key=value…, so that a link shows a colleague the
// same thing.

export interface Route {
  profile: number | null;
  page: string;
  params: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#\/?/, '');
  const [path, query] = text.split('?', 2);
  const [profile, page] = path.split('/');
  const number = /^\d+$/.test(profile ?? '') ? Number(profile) : null;
  return { profile: number, page: page || 'overview', params: new URLSearchParams(query ?? '') };
}

export function formatRoute(route: Route): string {
  const query = route.params.toString();
  if (route.profile === null) return `#/${query ? `?${query}` : ''}`;
  return `#/${route.profile}/${route.page}${query ? `?${query}` : ''}`;
}

export const route = signal<Route>(parseRoute(globalThis.location?.hash ?? ''));

let written = '';
globalThis.addEventListener?.('hashchange', () => {
  if (location.hash !== written) route.value = parseRoute(location.hash);
});

/** A new entry in the history: what a link does. */
export function go(profile: number | null, page: string, params: Record<string, string> = {}): void {
  const next: Route = { profile, page, params: new URLSearchParams(params) };
  written = formatRoute(next);
  history.pushState(null, '', written);
  route.value = next;
}

export function href(profile: number | null, page: string, params: Record<string, string> = {}): string {
  return formatRoute({ profile, page, params: new URLSearchParams(params) });
}

/** Parameters of a page about one trace of several. */
export function onTrace(trace: number): Record<string, string> {
  return trace > 0 ? { trace: String(trace) } : {};
}

/** Parameters of a timeline whose times are on the clock of one trace. */
export function onClockOf(trace: number): Record<string, string> {
  return trace > 0 ? { trace: String(trace), of: String(trace) } : {};
}

/** Longer names are searched by their beginning, because an address must fit into the head of a request. */
const MOST_OF_NAME = 1200;

/** Parameters of a timeline that finds all calls of a name, and nothing that only contains it. */
export function callsOf(name: string, kind = ''): Record<string, string> {
  const literal = name.slice(0, MOST_OF_NAME).replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
  // Of steps, what their names have in common is known here.
  const end = name.length > MOST_OF_NAME ? '' : kind === 'step' ? '(#|$)' : '$';
  return { q: `^${literal}${end}`, re: '1' };
}

/** Parameters of a timeline that finds all calls of several names. */
export function callsOfAll(names: string[]): Record<string, string> {
  const literal = (name: string) => name.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
  // As many of them as an address can carry; each whole.
  const kept: string[] = [];
  let length = 0;
  for (const name of names) {
    length += encodeURIComponent(literal(name)).length;
    if (length > 3000 && kept.length > 0) break;
    kept.push(name);
  }
  return kept.length === 1 ? callsOf(kept[0]) : { q: `^(${kept.map(literal).join('|')})$`, re: '1' };
}

/** Changes parameters of the current page in place: panning must not fill the history. */
export function note(params: Record<string, string | null>): void {
  const now = route.value;
  const next = new URLSearchParams(now.params);
  for (const [key, value] of Object.entries(params)) {
    if (value === null) next.delete(key);
    else next.set(key, value);
  }
  written = formatRoute({ ...now, params: next });
  history.replaceState(null, '', written);
  now.params = next;
}

globalThis.addEventListener?.('popstate', () => {
  written = location.hash;
  route.value = parseRoute(location.hash);
});
