import { useEffect, useState } from 'preact/hooks';
import type { ProfileState } from '../api';
import { capturing } from '../capture';
import { language, words } from '../i18n';
import { go, href, route } from '../route';
import { session, source } from '../state';
import { dark, toggleTheme } from '../theme';
import { OpenFile } from '../ui/open_file';
import { namesApart } from './names';

/** What stands above every page: where to begin, which profile, language and theme. */
export function Header({ profile }: { profile: ProfileState | null }) {
  const w = words();
  const profiles = session.value?.profiles ?? [];
  const names = namesApart(profiles);
  const capture = source.value?.capture;
  const [mayCapture, setMayCapture] = useState(false);
  useEffect(() => {
    // A server that may not capture has no such question.
    capture?.targets().then(
      () => setMayCapture(true),
      () => setMayCapture(false),
    );
  }, [capture]);
  return (
    <header class="top">
      <a class="brand" href={href(null, '')} title={w.allProfiles}>
        <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
          <rect x="1" y="11" width="5" height="8" rx="1" />
          <rect x="7.5" y="6" width="5" height="13" rx="1" />
          <rect x="14" y="1" width="5" height="18" rx="1" />
        </svg>
        {w.title}
      </a>
      {profile && profiles.length > 1 && (
        <select
          aria-label={w.profiles}
          value={profile.id}
          onChange={(event) => go(Number(event.currentTarget.value), route.value.page)}
        >
          {profiles.map((p) => (
            <option key={p.id} value={p.id}>
              {names.get(p.id)}
            </option>
          ))}
        </select>
      )}
      {profile && profiles.length === 1 && <span class="profile-name">{profile.name}</span>}
      <span class="spring" />
      {source.value?.upload && <OpenFile upload={source.value.upload} />}
      {mayCapture && (
        <button type="button" onClick={() => (capturing.value = true)} data-testid="capture">
          {w.capture.title}
        </button>
      )}
      <button type="button" onClick={switchLanguage} data-testid="language">
        {w.language}
      </button>
      <button type="button" onClick={toggleTheme} title={w.theme} aria-label={w.theme} data-testid="theme">
        {dark.value ? '☀' : '☾'}
      </button>
    </header>
  );
}

function switchLanguage(): void {
  language.value = language.value === 'en' ? 'zh' : 'en';
  // A page in the cell of a notebook (about:srcdoc) has no address to write it into.
  if (location.protocol === 'about:') return;
  const search = new URLSearchParams(location.search);
  search.set('lang', language.value);
  history.replaceState(null, '', `?${search}${location.hash}`);
}
