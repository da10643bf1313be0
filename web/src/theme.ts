import { computed, signal } from '@preact/signals';

const system = globalThis.matchMedia?.('(prefers-color-scheme: dark)');
const systemDark = signal(system?.matches ?? false);
system?.addEventListener('change', (event) => {
  systemDark.value = event.matches;
});

const kept = () => {
  try {
    return localStorage.getItem('stepscope-theme');
  } catch {
    return null; // a one-file report opened from disk may have no storage
  }
};

export const chosen = signal<string | null>(
  new URLSearchParams(globalThis.location?.search ?? '').get('theme') ?? kept(),
);
export const dark = computed(() => (chosen.value ? chosen.value === 'dark' : systemDark.value));

export function toggleTheme(): void {
  chosen.value = dark.value ? 'light' : 'dark';
  try {
    localStorage.setItem('stepscope-theme', chosen.value);
  } catch {
    // See above: the choice then lasts as long as the page.
  }
}
