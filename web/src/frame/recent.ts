import { signal } from '@preact/signals';
import type { ProfileState } from '../api';

// Which profiles were looked at last, by their paths: numbers change with every start of the server.

const KEY = 'stepscope-recent';
const MOST = 8;

function read(): string[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((path) => typeof path === 'string') : [];
  } catch {
    return []; // no storage: a page from the disk, or a browser that forbids it
  }
}

export const recent = signal(read());

export const keyOf = (profile: Pick<ProfileState, 'paths'>): string => profile.paths.join('\n');

/** Puts a profile in front of the list. */
export function noteRecent(profile: Pick<ProfileState, 'paths'>): void {
  const key = keyOf(profile);
  if (recent.peek()[0] === key) return;
  recent.value = [key, ...recent.peek().filter((other) => other !== key)].slice(0, MOST);
  try {
    localStorage.setItem(KEY, JSON.stringify(recent.value));
  } catch {
    // See above: the list then lasts as long as the page.
  }
}
