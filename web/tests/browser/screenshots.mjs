// Writes a picture of every page into a directory (build/screenshots by default): light and dark at 1600 wide, and the pages
// that are looked at most at 1280 and 1920, on a tablet, and in Chinese.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch, newPage } from './chromium.mjs';
import { data, example, ready, root, serve } from './server.mjs';
import { laidOut, settled } from './waiting.mjs';

const out = process.argv[2] ?? join(root, 'build/screenshots');
mkdirSync(out, { recursive: true });
const browser = await launch();
if (!browser) {
  console.log('SKIPPED: no chromium here');
  process.exit(0);
}
const files = [
  example('resnet50_inputbound.pt.trace.json.gz'),
  data('h200/resnet50_good.pt.trace.json.zst'),
  data('h200/gpt2_modules.pt.trace.json.zst'),
  data('h200/memory_leak.pt.trace.json.zst'),
  data('tf/deep/run_meta_0.pb'),
  data('tf/deep/graph.pb'),
];
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
  ['ops_tree', '#/0/ops?as=tree'],
  ['ops_flame', '#/0/ops?as=flame'],
  ['kernels', '#/0/kernels'],
  ['memory', `#/${find('memory_leak')}/memory`],
  ['memory_overview', `#/${find('memory_leak')}/overview`],
  ['launches', '#/0/launches'],
  ['input', '#/0/input'],
  ['graph', `#/${Math.max(graph, 0)}/graph`],
  ['code', `#/${find('gpt2_modules')}/code`],
  ['compare', '#/0/compare?with=1'],
];
const views = [
  ['light', { colorScheme: 'light' }, shots],
  ['dark', { colorScheme: 'dark' }, shots],
];
const most = shots.filter(([name]) => ['start', 'overview', 'timeline_kernel', 'kernels'].includes(name));
for (const [name, width, height] of [
  ['1280', 1280, 800],
  ['1920', 1920, 1080],
  ['tablet', 820, 1180],
])
  views.push([name, { viewport: { width, height } }, most]);
views.push(['zh', { locale: 'zh-CN' }, shots.filter(([name]) => !name.includes('kernel'))]);

let pictures = 0;
for (const [view, options, wanted] of views) {
  const page = await newPage(browser, options);
  for (const [name, hash] of wanted) {
    await ready(server, Number(hash.match(/^#\/(\d+)/)?.[1] ?? 0));
    await page.goto('about:blank');
    await page.goto(server.at(hash));
    await page.waitForSelector(name === 'start' ? '.profiles' : '.timeline-page, [data-page]');
    await (name.startsWith('timeline') ? laidOut(page) : settled(page));
    await page.waitForTimeout(300); // charts are drawn when they know their size
    const whole = name === 'overview' && view !== 'light' && view !== 'dark';
    await page.screenshot({ path: join(out, `${name}_${view}.png`), fullPage: whole });
    ++pictures;
  }
  if (page.faults.length > 0) console.log(page.faults.join('\n'));
  await page.context().close();
}
await server.stop();
await browser.close();
console.log(`${pictures} pictures in ${out}`);
