// Uses the page on a large trace as a person does, for a long time, and says whether anything grew or slowed down.
//   soak.mjs SECONDS (600)      BENCH_WEB_EVENTS: events of the trace (10,000,000)
import { statSync } from 'node:fs';
import { launch, newPage } from '../tests/browser/chromium.mjs';
import { ready, resident, serve } from '../tests/browser/server.mjs';
import { laidOut, settled } from '../tests/browser/waiting.mjs';
import { head, largeTraceFile, MB, many, ms, percentile, quiet, random, row } from './measure.mjs';

const seconds = Number(process.argv[2] || 600);
const WARM = 0.25; // of the time: caches fill, then nothing may grow
const PAGES = ['overview', 'ops', 'kernels', 'memory', 'launches', 'input', 'query'];
const next = random(11);
const one = (list) => list[Math.floor(next() * list.length)];

/** Frames while the view moves, each drawn at once and flushed: their times in ms. */
const move = (page, seed) =>
  page.evaluate(async (chance) => {
    const view = globalThis.stepscopeTimeline;
    const context = document.querySelector('[data-testid=timeline-canvas]').getContext('2d');
    const times = [];
    for (let i = 0; i < 40; ++i) {
      const { from, to } = view.window.value;
      if (chance < 0.35) view.zoom(0.9, from + (to - from) * chance * 2);
      else if (chance < 0.6) view.zoom(1 / 0.9, from + (to - from) * 0.5);
      else view.pan(((chance < 0.8 ? 1 : -1) * (to - from)) / 30);
      if (i === 20) view.scrollTo(Math.floor(chance * 900));
      await new Promise((done) => requestAnimationFrame(done));
      const began = performance.now();
      view.drawNow();
      context.getImageData(0, 0, 1, 1);
      times.push(performance.now() - began);
    }
    return times;
  }, seed);

const ACTS = {
  move: async (page, note) => note(await move(page, next())),
  click: async (page) => {
    const box = await page.locator('.canvas-host').boundingBox();
    await page.mouse.click(box.x + next() * box.width, box.y + next() * box.height);
  },
  area: async (page) => {
    const box = await page.locator('.canvas-host').boundingBox();
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + box.width * 0.2, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * (0.3 + next() * 0.5), box.y + 160, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
  },
  find: async (page) => {
    await page.fill(
      '.timeline-tools .search input[type=search]',
      one(['aten::mm', 'conv', 'Memcpy', 'backward']),
    );
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.locator('.timeline-tools .search input[type=search]').blur();
  },
  keys: async (page) => {
    for (const key of [one(['.', ',']), one([']', '[']), 'e', 'f', 'Escape', 'f'])
      await page.keyboard.press(key);
  },
  leave: async (page) => {
    await page.evaluate((hash) => (location.hash = hash), `#/0/${one(PAGES)}`);
    await page.locator('[data-page]').waitFor();
    await settled(page);
    await page.evaluate(() => (location.hash = '#/0/timeline'));
    await laidOut(page);
  },
};

head();
const file = largeTraceFile();
const server = await serve(file);
await ready(server, 0, 1800);
const { memory } = (await (await server.api('session')).json()).profiles[0];
const browser = await launch();
const page = await newPage(browser, { watched: false });
page.setDefaultTimeout(300_000);
const devtools = await page.context().newCDPSession(page);
await devtools.send('Performance.enable');
await page.goto(server.at('#/0/timeline'));
await laidOut(page);

/** What is held now, after the browser has thrown away what it can. */
async function sample(frames) {
  await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const of = (name) => metrics.find((metric) => metric.name === name).value;
  return {
    heap: of('JSHeapUsedSize'),
    nodes: of('Nodes'),
    listeners: of('JSEventListeners'),
    server: resident(server.pid),
    p95: frames.length > 0 ? percentile(frames, 0.95) : Number.NaN,
  };
}

const began = Date.now();
const samples = [];
let frames = [];
let acts = 0;
let lastSample = began;
while (Date.now() - began < seconds * 1000) {
  await ACTS[one(Object.keys(ACTS))](page, (times) => frames.push(...times));
  ++acts;
  if (Date.now() - lastSample < Math.min(10_000, seconds * 40)) continue;
  samples.push({ ...(await sample(frames)), at: (Date.now() - began) / 1000 });
  frames = [];
  lastSample = Date.now();
}
const warm = samples.filter(({ at }) => at >= seconds * WARM);
const middle = (list, what) =>
  percentile(
    list.map((s) => s[what]).filter((v) => !Number.isNaN(v)),
    0.5,
  );
const [early, late] = [warm.slice(0, Math.ceil(warm.length / 3)), warm.slice(-Math.ceil(warm.length / 3))];
const grown = (what) => [middle(early, what), middle(late, what)];
const size = `${MB(statSync(file).size)}, ${many(memory.events)} events`;
row(`used for ${seconds} s (${size}): things done`, many(acts), '', null);
for (const [what, name, show, allowed] of [
  ['heap', "heap of the page's script, after the first quarter → at the end", MB, 20e6],
  ['nodes', 'nodes of the document, the same (the engine keeps one page that is gone)', many, 3000],
  ['listeners', 'listeners, the same', many, 400],
  ['server', 'memory of the server, the same', MB, 0.05 * memory.profile_bytes],
]) {
  const [from, to] = grown(what);
  row(name, `${show(from)} → ${show(to)}`, `at most ${show(allowed)} more`, to - from <= allowed);
}
const [firstFrames, lastFrames] = grown('p95');
row(
  'frame, p95, the same',
  `${ms(firstFrames)} → ${ms(lastFrames)}`,
  'no more than a quarter slower',
  quiet ? lastFrames <= firstFrames * 1.25 + 2 : null,
);
row(
  'server above the loaded profile',
  MB(resident(server.pid) - memory.profile_bytes),
  '≤ 25 %',
  resident(server.pid) - memory.profile_bytes <= 0.25 * memory.profile_bytes,
);
row(
  'faults of the page',
  page.faults.length === 0 ? 'none' : page.faults.slice(0, 5).join('; '),
  'none',
  page.faults.length === 0,
);
await browser.close();
await server.stop();
