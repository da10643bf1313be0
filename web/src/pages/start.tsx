import { useState } from 'preact/hooks';
import type { ProfileState, Session } from '../api';
import { bytes, count, duration } from '../format';
import { namesApart } from '../frame/names';
import { keyOf, recent } from '../frame/recent';
import { groupBy } from '../group_by';
import { fill, language, type Words, words } from '../i18n';
import { go, href, note, route } from '../route';

/** The folder that a profile lies in: what one job writes is in one folder. */
export const folderOf = (profile: Pick<ProfileState, 'paths'>): string =>
  profile.paths[0].split('/').slice(0, -1).join('/') || '.';

/** Whether all words of a search are in what a card says. */
export function matches(profile: ProfileState, text: string): boolean {
  const about = profile.about;
  const said = [
    profile.name,
    ...profile.paths,
    about?.framework ?? '',
    about?.bound_by ?? '',
    ...(about?.devices.map((device) => device.name) ?? []),
    ...(about?.findings.map((finding) => finding.title) ?? []),
  ]
    .join(' ')
    .toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => said.includes(word));
}

/** Profiles by folder, in the order of the list; one group where they are not to be grouped. */
export function grouped(profiles: ProfileState[], byFolder: boolean): [string, ProfileState[]][] {
  return byFolder ? [...groupBy(profiles, folderOf)] : [['', profiles]];
}

export function StartPage({ session }: { session: Session }) {
  const w = words();
  const params = route.value.params;
  const [text, setText] = useState(params.get('find') ?? '');
  const [byFolder, setByFolder] = useState(params.get('group') === 'job');
  const [chosen, setChosen] = useState<number[]>([]);
  const names = namesApart(session.profiles);
  const shown = session.profiles.filter((profile) => matches(profile, text));
  const last = recent.value
    .map((key) => session.profiles.find((profile) => keyOf(profile) === key))
    .filter((profile) => profile !== undefined)
    .slice(0, 4);
  const choose = (id: number) =>
    setChosen(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id].slice(-2));
  return (
    <section class="start">
      <h1>{w.chooseProfile}</h1>
      <div class="choices">
        <input
          type="search"
          placeholder={w.findProfile}
          aria-label={w.findProfile}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            note({ find: event.currentTarget.value || null });
          }}
        />
        <label>
          <input
            type="checkbox"
            checked={byFolder}
            onChange={(event) => {
              setByFolder(event.currentTarget.checked);
              note({ group: event.currentTarget.checked ? 'job' : null });
            }}
          />{' '}
          {w.groupByJob}
        </label>
        <button
          type="button"
          disabled={chosen.length !== 2}
          onClick={() => go(chosen[0], 'compare', { with: String(chosen[1]) })}
          data-testid="compare-chosen"
        >
          {chosen.length === 2 ? w.compareThese : w.chooseTwo}
        </button>
        <span class="muted" role="status">
          {shown.length === session.profiles.length
            ? fill(w.profilesHere, count(shown.length))
            : `${count(shown.length)} ${w.of} ${fill(w.profilesHere, count(session.profiles.length))}`}
        </span>
      </div>
      {last.length > 0 && session.profiles.length > 4 && (
        <p class="recent">
          <b>{w.recent}:</b>
          {last.map((profile) => (
            <a key={profile.id} href={href(profile.id, 'overview')}>
              {names.get(profile.id)}
            </a>
          ))}
        </p>
      )}
      {session.profiles.length === 0 && <p class="muted">{w.noProfiles}</p>}
      {session.profiles.length > 0 && shown.length === 0 && <p class="muted">{w.noMatch}</p>}
      {grouped(shown, byFolder).map(([folder, profiles]) => (
        <section key={folder}>
          {byFolder && (
            <h2 class="folder">
              {folder} <small>{fill(w.profilesHere, count(profiles.length))}</small>
            </h2>
          )}
          <ul class="profiles">
            {profiles.map((profile) => (
              <li key={profile.id} class={profile.state} data-profile={profile.id}>
                <Card profile={profile} name={names.get(profile.id) ?? profile.name} />
                <label class="choose">
                  <input
                    type="checkbox"
                    checked={chosen.includes(profile.id)}
                    disabled={profile.state === 'failed'}
                    onChange={() => choose(profile.id)}
                  />
                  {w.compareWith}
                  <span class="visually-hidden"> {names.get(profile.id)}</span>
                </label>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
}

function stateOf(profile: ProfileState, w: Words): string {
  if (profile.state === 'ready') return w.ready;
  if (profile.state === 'failed') return w.failed;
  return profile.state === 'loading' ? w.loading : w.notRead;
}

function dateOf(ns: number): string {
  return new Date(ns / 1e6).toLocaleString(language.value === 'zh' ? 'zh-CN' : 'en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
}

function verdictOf(bound: string, w: Words): string {
  return bound === 'unknown' ? w.noVerdict : w.boundBy(w.bound[bound as keyof Words['bound']] ?? bound);
}

function Card({ profile, name }: { profile: ProfileState; name: string }) {
  const w = words();
  const { about, error } = profile;
  return (
    <a href={href(profile.id, 'overview')}>
      <strong>{name}</strong>
      <small>{profile.paths.join(' ')}</small>
      {about && (
        <>
          <span class="card-verdict">
            <b>{verdictOf(about.bound_by, w)}</b>
            {about.median_step_ns !== null && ` · ${w.step} ${duration(about.median_step_ns)}`}
          </span>
          {about.findings[0] && (
            <span class={`card-finding ${about.findings[0].severity}`}>
              <span class="severity">
                {w.severity[about.findings[0].severity] ?? about.findings[0].severity}
              </span>{' '}
              {about.findings[0].title}
            </span>
          )}
          <span class="muted">
            {[
              about.framework,
              ...about.devices.map((device) => `${device.count} × ${device.name}`),
              about.traces > 1 ? fill(w.ranksHere, count(about.traces)) : '',
              about.start_unix_ns === null ? '' : dateOf(about.start_unix_ns),
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </>
      )}
      {error && <span class="card-error">{error.sentence}</span>}
      <span class="muted state">
        {profile.state === 'failed' && <b aria-hidden="true">✖ </b>}
        {stateOf(profile, w)}
        {profile.bytes > 0 ? ` · ${bytes(profile.bytes)}` : ''}
      </span>
      {profile.state === 'loading' && <Bar share={profile.share} />}
    </a>
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
