import type { ProfileState, Session } from '../api';
import { bytes, count } from '../format';
import { words } from '../i18n';
import { href } from '../route';

export function StartPage({ session }: { session: Session }) {
  const w = words();
  return (
    <section class="start">
      <h1>{w.chooseProfile}</h1>
      {session.profiles.length === 0 && <p class="muted">{w.noProfiles}</p>}
      <ul class="profiles">
        {session.profiles.map((profile) => (
          <li key={profile.id}>
            <a href={href(profile.id, 'overview')}>
              <strong>{profile.name}</strong>
              <small>{profile.paths.join(' ')}</small>
              <span class="muted">
                {profile.bytes > 0 ? `${bytes(profile.bytes)} · ` : ''}
                {profile.state === 'ready' ? w.ready : profile.state === 'failed' ? w.failed : w.loading}
              </span>
              {profile.state === 'loading' && <Bar share={profile.share} />}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Bar({ share }: { share: number }) {
  return <progress max={1} value={share} aria-label={words().loading} />;
}

export function LoadingPage({ profile, onRetry }: { profile: ProfileState; onRetry?: () => void }) {
  const w = words();
  if (profile.state === 'failed') {
    return (
      <section class="empty" role="alert">
        <h1>{w.failed}</h1>
        <p>{profile.error?.sentence}</p>
        <p class="muted">
          {profile.error?.file}
          {profile.error?.offset != null && ` · ${w.offset} ${count(profile.error.offset)}`}
        </p>
        {profile.error?.next_step && (
          <p>
            {w.nextStep}: {profile.error.next_step}
          </p>
        )}
        {onRetry && (
          <button type="button" onClick={onRetry}>
            {w.reload}
          </button>
        )}
      </section>
    );
  }
  return (
    <section class="empty" role="status">
      <h1>{profile.name}</h1>
      <p>
        {w.reading} · {(100 * profile.share).toFixed(0)} %
      </p>
      <Bar share={profile.share} />
    </section>
  );
}
