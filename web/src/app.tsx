import { useEffect } from 'preact/hooks';
import type { ProfileState } from './api';
import { capturing } from './capture';
import { Header } from './frame/header';
import { Navigation } from './frame/navigation';
import { noteRecent } from './frame/recent';
import { language, words } from './i18n';
import { pageNamed } from './pages/registry';
import { LoadingPage, StartPage } from './pages/start';
import { go, route } from './route';
import { reportsOf, session, source, timelineOf, trouble } from './state';
import { dark } from './theme';
import { useAsk } from './ui/ask';
import { CaptureDialog } from './ui/capture_dialog';
import { Failed, Working } from './ui/empty';

export function App() {
  const w = words();
  useEffect(() => {
    document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en';
    document.documentElement.dataset.theme = dark.value ? 'dark' : 'light';
  });
  const now = session.value;
  const only = now?.profiles.length === 1 ? now.profiles[0].id : null;
  // A one-file comparison has one page.
  const compares = source.value?.only !== undefined;
  const wanted = route.value.profile ?? (compares ? 0 : only);
  const profile = now?.profiles.find((p) => p.id === wanted) ?? null;
  useEffect(() => {
    if (profile?.state === 'waiting') void source.value?.open(profile.id);
    if (profile?.state === 'ready') noteRecent(profile);
  }, [profile?.id, profile?.state]);
  document.title = profile ? `${profile.name} · Stepscope` : 'Stepscope';
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        {w.skip}
      </button>
      <Header profile={profile} />
      {capturing.value && source.value?.capture && <CaptureDialog source={source.value.capture} />}
      {trouble.value && (
        <p class="banner" role="alert">
          {trouble.value === 'token' ? w.wrongToken : w.lost}
        </p>
      )}
      {profile?.changed && (
        <p class="banner" role="status">
          {w.changed}{' '}
          <button type="button" onClick={() => void source.value?.reload(profile.id)}>
            {w.reload}
          </button>
        </p>
      )}
      <div class="frame">
        {profile && <Navigation profile={profile} />}
        <main id="content" tabIndex={-1}>
          {!now && !trouble.value && <Working text={w.loading} />}
          {now && !profile && <StartPage session={now} />}
          {profile && profile.state !== 'ready' && (
            <LoadingPage profile={profile} onRetry={() => void source.value?.reload(profile.id)} />
          )}
          {profile?.state === 'ready' && (
            <Ready key={`${profile.id}/${profile.revision}`} profile={profile} />
          )}
        </main>
      </div>
    </>
  );
}

function skip(): void {
  document.getElementById('content')?.focus();
}

function Ready({ profile }: { profile: ProfileState }) {
  const w = words();
  const { params } = route.value;
  const page = pageNamed(source.value!.only ?? route.value.page);
  const key = `${profile.id}/${profile.revision}`;
  const told = useAsk(`${key}/${language.value}`, () => reportsOf(profile.id));
  const laidOut = useAsk(key, page.needsTimeline ? () => timelineOf(profile.id) : null);
  if (told.state === 'failed') return <Failed error={told.error} />;
  if (laidOut.state === 'failed') return <Failed error={laidOut.error} />;
  if (told.state === 'waiting' || (page.needsTimeline && laidOut.state === 'waiting')) {
    return <Working text={w.loading} />;
  }
  const reports = told.value;
  const infos = laidOut.state === 'done' ? laidOut.value : [];
  const trace = Math.min(Number(params.get('trace') ?? 0) || 0, reports.length - 1);
  const view = (
    <page.view
      source={source.value!}
      profile={profile.id}
      trace={trace}
      report={reports[trace]}
      info={infos[trace] ?? null}
      reports={reports}
      infos={infos}
    />
  );
  // The heading is what a screen reader and the outline of the page begin with; the navigation shows it to all others.
  const heading = (
    <h1 class="visually-hidden">
      {page.title(w)} · {profile.name}
    </h1>
  );
  if (page.fillsWindow) {
    return (
      <>
        {heading}
        {view}
      </>
    );
  }
  return (
    <div class="page" data-page={page.id}>
      {heading}
      {reports.length > 1 && !page.wholeProfile && (
        <label class="choices">
          {reports[0].ranks ? w.rank : w.trace}{' '}
          <select
            value={trace}
            onChange={(event) => go(profile.id, page.id, { trace: event.currentTarget.value })}
          >
            {reports.map((report, index) => (
              <option key={report.profile.paths.join()} value={index}>
                {(reports[0].ranks && report.profile.rank) ?? index} ·{' '}
                {report.profile.paths.map((p) => p.split('/').at(-1)).join(' ')}
              </option>
            ))}
          </select>
        </label>
      )}
      {view}
    </div>
  );
}
