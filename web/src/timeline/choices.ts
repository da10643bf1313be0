import type { LineChoices } from './layout';

const list = (text: string | null): string[] => (text ? text.split('~') : []);

/** What the user did to the lines, as it stands in the address. */
export function readChoices(params: URLSearchParams): LineChoices {
  return {
    pinned: new Set(list(params.get('pin'))),
    folded: new Set(list(params.get('fold'))),
    unfolded: new Set(list(params.get('open'))),
    hidden: new Set(list(params.get('hide'))),
    order: list(params.get('order')),
  };
}

export function writeChoices(choices: LineChoices): Record<string, string | null> {
  const join = (keys: Iterable<string>) => [...keys].join('~') || null;
  return {
    pin: join(choices.pinned),
    fold: join(choices.folded),
    open: join(choices.unfolded),
    hide: join(choices.hidden),
    order: join(choices.order),
  };
}
