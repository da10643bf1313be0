// Writes a picture of every page, light and dark, into a directory (build/screenshots by default).
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch, newPage } from './chromium.mjs';
import { example, has, ready, root, serve, shared } from './server.mjs';

const out = process.argv[2] ?? join(root, 'build/screenshots');
mkdirSync(out, { recursive: true });
const browser = await launch();
if (!browser) {
  console.log('SKIPPED: no chromium here');
  process.exit(0);
}
const files = [
  example('resnet50_inputbound.pt.trace.json.gz'),
  shared('h200/resnet50_good.pt.trace.json.gz'),
  shared('h200/gpt2_modules.pt.trace.json.gz'),
  shared('h200/memory_leak.pt.trace.json.gz'),
  shared('tf/deep/run_meta_0.pb.gz'),
  shared('tf/deep/graph.pb.gz'),
].filter(has);
const server = await serve(...files);
const find = (name) =>
  Math.max(
    0,
    files.findIndex((file) => file.includes(name)),
  );
const state = await ready(server);
const graph = state.profiles.findIndex((p) => p.paths[0].includes('tf/deep'));
const shots = [
  ['start', '#/'],
  ['overview', '#/0/overview'],
  ['timeline', '#/0/timeline'],
  ['timeline_kernel', '#/0/timeline?q=batch_norm_backward&from=375000000&to=425000000'],
  ['timeline_range', '#/0/timeline?a=180000000&b=394000000'],
  ['ops', '#/0/ops'],
  ['kernels', '#/0/kernels'],
  ['memory', `#/${find('memory_leak')}/memory`],
  ['launches', '#/0/launches'],
  ['input', '#/0/input'],
  ['graph', `#/${Math.max(graph, 0)}/graph`],
  ['code', `#/${find('gpt2_modules')}/code`],
  ['compare', '#/0/compare?with=1'],
];
for (const colorScheme of ['light', 'dark']) {
  const page = await newPage(browser, { colorScheme });
  for (const [name, hash] of shots) {
    const profile = Number(hash.match(/^#\/(\d+)/)?.[1] ?? 0);
    await ready(server, profile);
    await page.goto('about:blank');
    await page.goto(server.at(hash));
    await page.waitForTimeout(1200);
    await page.screenshot({ path: join(out, `${name}_${colorScheme}.png`) });
  }
  if (page.faults.length > 0) console.log(page.faults.join('\n'));
}
await server.stop();
await browser.close();
console.log(`${2 * shots.length} pictures in ${out}`);
