// Every page with a profile that fills it, and how to open it: for what looks at all of them (pictures, axe).
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { data, example, ready, serve, stepscope } from './server.mjs';
import { laidOut, settled } from './waiting.mjs';

const FILES = [
  example('resnet50_inputbound.pt.trace.json.gz'),
  data('h200/resnet50_good.pt.trace.json.zst'),
  data('h200/gpt2_modules.pt.trace.json.zst'),
  data('h200/memory_leak.pt.trace.json.zst'),
  data('h200/leak_snapshot.pickle.zst'),
  data('h200/ort_mobilenet.json.zst'),
  data('h200/jax_mlp.xplane.pb.zst'),
  data('rules/comm-exposed.bad.r0.json.zst'),
  data('rules/input-bound-step.bad.xplane.pb.zst'),
  data('rules/trace-truncated.bad.t.json.zst'),
  data('tf/deep/run_meta_0.pb'),
  data('tf/deep/graph.pb'),
  data('ranks'),
];

/** [what it is called, part of the profile's name, page and query, what is done before one looks]. {NAME} is that profile's number. */
export const SIGHTS = [
  ['start', null, ''],
  ['overview', 'resnet50_inputbound', 'overview'],
  ['overview_ort', 'ort_mobilenet', 'overview'],
  ['overview_snapshot', 'leak_snapshot', 'overview'],
  ['overview_tf', 'run_meta', 'overview'],
  ['timeline', 'resnet50_inputbound', 'timeline'],
  ['timeline_event', 'resnet50_inputbound', 'timeline?q=batch_norm_backward&from=375000000&to=425000000'],
  ['timeline_area', 'resnet50_inputbound', 'timeline?a=180000000&b=394000000'],
  ['timeline_keys', 'resnet50_inputbound', 'timeline', (page) => page.keyboard.press('?')],
  ['timeline_snapshot', 'leak_snapshot', 'timeline'],
  ['timeline_ranks', 'ranks', 'timeline'],
  ['ranks', 'ranks', 'ranks'],
  ['ops', 'resnet50_inputbound', 'ops'],
  ['ops_tree', 'resnet50_inputbound', 'ops?as=tree'],
  ['ops_flame', 'resnet50_inputbound', 'ops?as=flame'],
  ['kernels', 'resnet50_inputbound', 'kernels'],
  ['kernels_xla', 'jax_mlp', 'kernels'],
  ['launches', 'resnet50_inputbound', 'launches'],
  ['memory', 'memory_leak', 'memory'],
  ['memory_snapshot', 'leak_snapshot', 'memory'],
  ['communication', 'comm-exposed', 'communication'],
  ['input', 'resnet50_inputbound', 'input'],
  ['input_stages', 'input-bound-step', 'input'],
  ['code', 'gpt2_modules', 'code'],
  ['graph', 'run_meta', 'graph'],
  ['query', 'resnet50_inputbound', 'query?sql=SELECT+*+FROM+kernel+LIMIT+20'],
  ['compare', 'resnet50_inputbound', 'compare?with={resnet50_good}'],
  ['capture', 'resnet50_inputbound', 'overview', (page) => page.getByTestId('capture').click()],
  ['nothing', 'ort_mobilenet', 'memory'],
  ['fleet', null, 'fleet.html'],
];

/** A fleet as `fleet page` shows it, of jobs that are drawn: {path of the page}. */
function fleetPage(folder) {
  const jobs = ['llama-7b', 'resnet50', 'whisper-large', 'bert-base'];
  const days = Array.from({ length: 20 }, (_, day) => `2026-10-${String(day + 1).padStart(2, '0')}`);
  const fleet = {
    totals: { profiles: 80, jobs: 4, hosts: 6, device_hours: 1234.5 },
    jobs_left_out: 3,
    days,
    jobs: {
      job_id: jobs,
      bound_by: ['input', 'compute', 'communication', null],
      profiles: [20, 20, 20, 20],
      device_hours: [700, 300, 200, 34.5],
      wasted_device_hours: [350, 60, 40, 3],
      idle_device_hours: [300, 40, 10, 2],
      communication_device_hours: [50, 20, 30, 1],
      path: jobs.map((job) => `jobs/${job}.json.gz`),
    },
    trends: Object.fromEntries(
      jobs.map((job, n) => [
        job,
        [0, days.map((_, day) => (n + 1) * 1e5 * (day > 12 ? 1.1 : 1) + day * 1e3)],
      ]),
    ),
    changes: {
      job_id: ['llama-7b', 'resnet50'],
      verdict: ['slower', 'faster'],
      delta_rel: [0.1, -0.07],
      before_ns: [1e8, 2e8],
      after_ns: [1.1e8, 1.86e8],
      since_run: ['r7', 'r9'],
      since_day: ['2026-10-13', '2026-10-14'],
      q: [0.01, 0.02],
    },
    savings: {
      rule: ['input-bound-step', 'tf32-disabled'],
      jobs: [2, 1],
      profiles: [30, 12],
      saved_device_hours_at_least: [120, 8],
      saved_device_hours_likely: [140, 10],
      saved_device_hours_at_most: [160, 14],
    },
    hosts: { host: ['gpu-17'], jobs: [3], slow_jobs: [3], mean_ratio: [1.12] },
    unreadable: { reason: ['damaged'], profiles: [1], example: ['x.json'] },
    link: 'https://profiles.example/{path}',
  };
  const out = join(folder, 'fleet.html');
  const input = JSON.stringify({ version: 'stepscope.fleet-page/1', language: 'en', fleet });
  execFileSync(stepscope, ['fleet', 'page', '--data', '-', '-o', out], { input });
  return out;
}

/** A server with all profiles read: {show(page, sight, language), stop()}. The page of a fleet is written into `folder`. */
export async function everyPage(folder) {
  const server = await serve(...FILES);
  const fleet = fleetPage(folder);
  const { profiles } = await (await server.api('session')).json();
  const numberOf = (name) => profiles.findIndex((profile) => profile.name.includes(name));
  for (const name of new Set(SIGHTS.map(([, profile]) => profile).filter(Boolean)))
    await ready(server, numberOf(name));
  return {
    stop: server.stop,
    /** Goes there and waits until all is drawn. */
    show: async (page, [name, profile, where, act], language = 'en') => {
      await page.goto('about:blank');
      const place = where.replace(/\{(.*)\}/, (_, other) => numberOf(other));
      const query = `${server.address.includes('?') ? '&' : '?'}lang=${language}`;
      await page.goto(
        name === 'fleet'
          ? `file://${fleet}?lang=${language}`
          : server.at(profile === null ? '#/' : `#/${numberOf(profile)}/${place}`, query),
      );
      await page.waitForSelector('.profiles li, .timeline-page, [data-page], .fleet');
      await (name.startsWith('timeline') ? laidOut(page, 1) : settled(page));
      await act?.(page);
      if (act) await settled(page);
    },
  };
}
