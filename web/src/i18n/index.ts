import { signal } from '@preact/signals';
import { en, type Words } from './en';
import { zh } from './zh';

export type { Words };
export const languages: Record<string, Words> = { en, zh };

export function languageFrom(search: string, preferred: readonly string[]): string {
  const asked = new URLSearchParams(search).get('lang');
  for (const tag of [asked, ...preferred]) {
    const short = tag?.toLowerCase().split('-')[0];
    if (short && short in languages) return short;
  }
  return 'en';
}

export const language = signal(
  languageFrom(globalThis.location?.search ?? '', globalThis.navigator?.languages ?? []),
);

/** The words of the current language. Read inside components, so that a change redraws them. */
export const words = (): Words => languages[language.value];

export const fill = (text: string, value: string | number): string => text.replace('{}', String(value));

/** The same for several values: {0}, {1} … */
export const fillEach = (text: string, ...values: (string | number)[]): string =>
  text.replace(/\{(\d)\}/g, (_, place) => String(values[Number(place)] ?? ''));
