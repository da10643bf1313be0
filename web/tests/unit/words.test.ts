import { describe, expect, it } from 'vitest';
import { axisTime, bytes, count, duration, percent } from '../../src/format';
import { en } from '../../src/i18n/en';
import { fillEach, languageFrom } from '../../src/i18n/index';
import { zh } from '../../src/i18n/zh';

describe('words', () => {
  it('has every key in every language', () => {
    const keys = (value: object, at = ''): string[] =>
      Object.entries(value).flatMap(([key, part]) =>
        typeof part === 'object' ? keys(part, `${at}${key}.`) : [`${at}${key}`],
      );
    expect(keys(zh)).toEqual(keys(en));
  });
  it('follows the address, then the browser', () => {
    expect(languageFrom('?lang=zh', ['en-US'])).toBe('zh');
    expect(languageFrom('', ['zh-CN', 'en'])).toBe('zh');
    expect(languageFrom('?lang=fr', ['de'])).toBe('en');
  });
  it('fills several places', () => {
    expect(fillEach('{1} of {0}', 4, 'x')).toBe('x of 4');
  });
});

describe('numbers', () => {
  it('are worded as in the terminal', () => {
    expect(duration(850)).toBe('850 ns');
    expect(duration(12_345)).toBe('12.35 µs');
    expect(duration(196_400_000)).toBe('196.4 ms');
    expect(duration(205e9)).toBe('3 m 25 s');
    expect(bytes(33_554_432)).toBe('32.00 MiB');
    expect(bytes(512)).toBe('512 B');
    expect(count(61_234)).toBe('61,234');
    expect(percent(1, 8)).toBe('12.5 %');
    expect(percent(1, 0)).toBe('–');
    expect(axisTime(1_500_000, 500_000)).toBe('1,500 µs');
  });
});
