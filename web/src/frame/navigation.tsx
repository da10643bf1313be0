import type { ProfileState, Report, TimelineInfo } from '../api';
import { fill, words } from '../i18n';
import type { Known } from '../pages/page';
import { PAGES, type PageEntry } from '../pages/registry';
import { href, route } from '../route';
import { reportsOf, session, source, timelineIfKnown } from '../state';
import { useAsk } from '../ui/ask';

const GROUPS = ['look', 'device', 'program', 'more'] as const;

/** What is known of a profile without making its timeline, which costs a tenth of reading it. */
function useKnown(profile: ProfileState): Known {
  const key = `${profile.id}/${profile.revision}/${profile.state}`;
  const told = useAsk<Report[]>(key, profile.state === 'ready' ? () => reportsOf(profile.id) : null);
  const known = timelineIfKnown(profile.id);
  const laidOut = useAsk<TimelineInfo[]>(`${key}/${known !== null}`, known ? () => known : null);
  const { params } = route.value;
  const reports = told.state === 'done' ? told.value : [];
  const trace = Math.max(0, Math.min(Number(params.get('trace') ?? 0) || 0, reports.length - 1));
  return {
    report: reports[trace] ?? null,
    facts: profile.about?.facts ?? (laidOut.state === 'done' ? laidOut.value[trace]?.facts : null) ?? null,
    job: told.state === 'done' ? reports[0]?.ranks !== undefined : null,
    live: source.value?.live ?? true,
    profiles: session.value?.profiles.length ?? 0,
  };
}

/** The pages that this profile can answer; below them those it cannot, each with the reason. */
export function Navigation({ profile }: { profile: ProfileState }) {
  const w = words();
  const known = useKnown(profile);
  const now = route.value.page;
  const trace = route.value.params.get('trace');
  const keep: Record<string, string> = trace ? { trace } : {};
  const link = (page: PageEntry) => (
    <a href={href(profile.id, page.id, keep)} aria-current={page.id === now ? 'page' : undefined}>
      {page.title(w)}
    </a>
  );
  // A one-file comparison has one page.
  const only = source.value?.only;
  const all = only ? PAGES.filter((page) => page.id === only) : PAGES;
  const reasons = new Map(all.map((page) => [page.id, only ? null : (page.missing?.(known, w) ?? null)]));
  const missing = all.filter((page) => reasons.get(page.id));
  return (
    <nav class="side" aria-label={w.navigation}>
      {GROUPS.map((group) => {
        const pages = all.filter((page) => page.group === group && !reasons.get(page.id));
        if (pages.length === 0) return null;
        return (
          <div key={group} class="side-group">
            <h2>{w.groups[group]}</h2>
            <ul>
              {pages.map((page) => (
                <li key={page.id}>{link(page)}</li>
              ))}
            </ul>
          </div>
        );
      })}
      {missing.length > 0 && (
        <details class="side-missing" open={missing.some((page) => page.id === now)}>
          <summary>{fill(w.notInProfile, missing.length)}</summary>
          <ul>
            {missing.map((page) => (
              <li key={page.id}>
                {link(page)}
                <small>{reasons.get(page.id)!.what}</small>
              </li>
            ))}
          </ul>
        </details>
      )}
    </nav>
  );
}
