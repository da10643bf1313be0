import { callsOf, callsOfAll, href, onTrace } from '../route';
import type { PageProps } from './page';

/** All calls of a name, in the timeline; a one-file report has no search. */
export const linkTo = (page: PageProps, name: string) =>
  page.source.live ? href(page.profile, 'timeline', { ...callsOf(name), ...onTrace(page.trace) }) : null;

export const linkToAll = (page: PageProps, rows: { name: string }[]) =>
  page.source.live
    ? href(page.profile, 'timeline', {
        ...callsOfAll([...new Set(rows.map((row) => row.name))]),
        ...onTrace(page.trace),
      })
    : null;
