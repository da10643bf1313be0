import { useEffect, useRef, useState } from 'preact/hooks';
import type { ProfileState } from './api';
import { capturing } from './capture';
import { language, words } from './i18n';
import { ComparePage } from './pages/compare';
import { GraphPage } from './pages/graph';
import { MemoryPage } from './pages/memory';
import { Overview } from './pages/overview';
import { LoadingPage, StartPage } from './pages/start';
import { CodePage, InputPage, KernelsPage, LaunchesPage, OpsPage, type PageProps } from './pages/tables';
import { TimelinePage } from './pages/timeline';
import { go, href, route } from './route';
import { reportsOf, session, source, timelineOf, trouble } from './state';
import { dark, toggleTheme } from './theme';
import { useAsk } from './ui/ask';
import { CaptureDialog } from './ui/capture_dialog';
import { Failed, Working } from './ui/empty';

const PAGES = [
  'overview',
  'timeline',
  'ops',
  'kernels',
  'memory',
  'launches',
  'input',
  'graph',
  'code',
  'compare',
] as const;

/** Pages that need the lines of the timeline; the others do not. */
const NEEDS_TIMELINE = new Set(['timeline', 'memory', 'launches', 'graph', 'code']);

const tablePages: Record<string, (page: PageProps) => preact.JSX.Element> = {
  ops: OpsPage,
  kernels: KernelsPage,
  memory: MemoryPage,
  launches: LaunchesPage,
  input: InputPage,
  graph: GraphPage,
  code: CodePage,
};

export function App() {
  const w = words();
  useEffect(() => {
    document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en';
    document.documentElement.dataset.theme = dark.value ? 'dark' : 'light';
  });
  const now = session.value;
  const only = now?.profiles.length === 1 ? now.profiles[0].id : null;
  const wanted = route.value.profile ?? only;
  const profile = now?.profiles.find((p) => p.id === wanted) ?? null;
  useEffect(() => {
    if (profile?.state === 'waiting') void source.value?.open(profile.id);
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
      <main id="content" tabIndex={-1}>
        {!now && !trouble.value && <Working text={w.loading} />}
        {now && !profile && <StartPage session={now} />}
        {profile && profile.state !== 'ready' && (
          <LoadingPage profile={profile} onRetry={() => void source.value?.reload(profile.id)} />
        )}
        {profile?.state === 'ready' && <Ready key={`${profile.id}/${profile.revision}`} profile={profile} />}
      </main>
    </>
  );
}

function skip(): void {
  document.getElementById('content')?.focus();
}

function Header({ profile }: { profile: ProfileState | null }) {
  const w = words();
  const page = route.value.page;
  const many = (session.value?.profiles.length ?? 0) > 1;
  const trace = route.value.params.get('trace');
  const keep: Record<string, string> = trace ? { trace } : {};
  const nav = useRef<HTMLElement>(null);
  const capture = source.value?.capture;
  const [mayCapture, setMayCapture] = useState(false);
  useEffect(() => {
    // A server that may not capture has no such question.
    capture?.targets().then(
      () => setMayCapture(true),
      () => setMayCapture(false),
    );
  }, [capture]);
  const pages = source.value?.live === false ? PAGES.filter((p) => p !== 'compare' && p !== 'graph') : PAGES;
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
      {profile && (
        <nav ref={nav} aria-label={w.title}>
          {pages.map((p) => (
            <a key={p} href={href(profile.id, p, keep)} aria-current={p === page ? 'page' : undefined}>
              {w.pages[p]}
            </a>
          ))}
        </nav>
      )}
      <span class="spring" />
      {profile && many && (
        <select
          aria-label={w.profiles}
          value={profile.id}
          onChange={(event) => go(Number(event.currentTarget.value), page)}
        >
          {session.value!.profiles.map((p) => (
            <option key={p.id} value={p.id}>
              {p.name}
            </option>
          ))}
        </select>
      )}
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
  const search = new URLSearchParams(location.search);
  search.set('lang', language.value);
  history.replaceState(null, '', `?${search}${location.hash}`);
}

function Ready({ profile }: { profile: ProfileState }) {
  const w = words();
  const from = source.value!;
  const { page, params } = route.value;
  const key = `${profile.id}/${profile.revision}`;
  const told = useAsk(`${key}/${language.value}`, () => reportsOf(profile.id));
  const laidOut = useAsk(key, NEEDS_TIMELINE.has(page) ? () => timelineOf(profile.id) : null);
  if (told.state === 'failed') return <Failed error={told.error} />;
  if (laidOut.state === 'failed') return <Failed error={laidOut.error} />;
  if (told.state === 'waiting' || (NEEDS_TIMELINE.has(page) && laidOut.state === 'waiting')) {
    return <Working text={w.loading} />;
  }
  const reports = told.value;
  const infos = laidOut.state === 'done' ? laidOut.value : [];
  const trace = Math.min(Number(params.get('trace') ?? 0) || 0, reports.length - 1);
  if (page === 'timeline') {
    return <TimelinePage source={from} profile={profile.id} infos={infos} reports={reports} />;
  }
  if (page === 'compare') {
    return (
      <div class="page" data-page={page}>
        <ComparePage
          profiles={session.value!.profiles}
          base={profile.id}
          other={params.has('with') ? Number(params.get('with')) : null}
        />
      </div>
    );
  }
  const Page = tablePages[page];
  return (
    <div class="page" data-page={page}>
      {reports.length > 1 && (
        <label class="choices">
          {w.rank}{' '}
          <select
            value={trace}
            onChange={(event) => go(profile.id, page, { trace: event.currentTarget.value })}
          >
            {reports.map((report, index) => (
              <option key={report.profile.paths.join()} value={index}>
                {report.profile.rank ?? index} ·{' '}
                {report.profile.paths.map((p) => p.split('/').at(-1)).join(' ')}
              </option>
            ))}
          </select>
        </label>
      )}
      {Page ? (
        <Page
          source={from}
          profile={profile.id}
          trace={trace}
          report={reports[trace]}
          info={infos[trace] ?? null}
        />
      ) : (
        <Overview
          source={from}
          report={reports[trace]}
          profile={profile.id}
          trace={trace}
          ranks={reports.map((report) => report.profile.rank)}
        />
      )}
    </div>
  );
}
