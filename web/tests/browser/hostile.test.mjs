// A profile full of markup and script in every name it can carry: all of it must show as text, in
// the page and in the one-file report.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { ready, serve, stepscope } from './server.mjs';
import { laidOut, settled } from './waiting.mjs';

const skip = executable ? false : 'SKIPPED: no chromium here (scripts/setup --dev installs it)';
const attack =
  '</script><script>globalThis.hacked=1</script><img src=x onerror="globalThis.hacked=1"><svg/onload=globalThis.hacked=1>';
const base = { pid: 1, tid: 1 };
const span = (cat, name, ts, dur, args = {}, place = base) => ({
  ph: 'X',
  cat,
  name,
  ts,
  dur,
  args,
  ...place,
});
const stream = { pid: 0, tid: 7 };
const step = (n) => [
  span('user_annotation', `ProfilerStep#${n}`, n * 1000, 900),
  span('user_annotation', `enumerate(DataLoader)#${attack}`, n * 1000 + 1, 8),
  span('python_function', `nn.Module: ${attack}_0`, n * 1000 + 9, 400, {
    'Python id': n,
    'Python module id': 0,
  }),
  span('cpu_op', `${attack}op`, n * 1000 + 10, 100, {
    [attack]: attack,
    'Input Dims': [[1, attack]],
    'Input type': [attack],
    'External id': n,
    'Call stack': `${attack};${attack}`,
  }),
  span('cuda_runtime', 'cudaLaunchKernel', n * 1000 + 20, 5, { correlation: n, 'External id': n }),
  span('cuda_runtime', `cuda${attack}`, n * 1000 + 40, 5),
  span(
    'kernel',
    `${attack}kernel`,
    n * 1000 + 160,
    200,
    { correlation: n, device: 0, stream: 7, [attack]: { deep: [attack] }, 'External id': n },
    stream,
  ),
  {
    ph: 'i',
    cat: 'cpu_instant_event',
    name: '[memory]',
    ts: n * 1000 + 15,
    ...base,
    args: {
      'Device Type': 1,
      'Device Id': 0,
      Bytes: 1024 * n,
      Addr: n,
      'Total Allocated': 1024 * n,
      'Total Reserved': 4096 * n,
    },
  },
  { ph: 'C', name: `${attack}counter`, pid: 1, ts: n * 1000 + 30, args: { [attack]: n } },
  { ph: 'i', s: 't', name: `${attack}instant`, ts: n * 1000 + 31, ...base },
];
const events = [
  { ph: 'M', name: 'process_name', ...base, args: { name: attack } },
  { ph: 'M', name: 'process_labels', ...base, args: { labels: attack } },
  { ph: 'M', name: 'thread_name', ...base, args: { name: `${attack}thread` } },
  ...[1, 2, 3, 4].flatMap(step),
];
const trace = {
  schemaVersion: 1,
  deviceProperties: [{ id: 0, name: attack, totalGlobalMem: 1 }],
  distributedInfo: { backend: attack, rank: 0, world_size: 1 },
  host_name: attack,
  traceEvents: events,
};
const folder = mkdtempSync(join(tmpdir(), 'stepscope-hostile-'));
// No slash is allowed in a file name; in the name of a folder it is the separator.
const place = join(folder, 'd<img src=x onerror=globalThis.hacked=1>');
const file = join(place, 'a<img src=x onerror=globalThis.hacked=1>&"\'.json');
const broken = join(place, 'b<img src=x onerror=globalThis.hacked=1>.json');
const PAGES = ['overview', 'timeline', 'ops', 'kernels', 'memory', 'launches', 'input', 'graph', 'code'];

/** No text of the profile became an element, none of it ran, and all of it is readable. */
async function unharmed(page, name) {
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined, name);
  assert.equal(await page.locator('img, svg[onload], script:not([src]):not([type])').count(), 0, name);
}

describe('hostile traces', { skip, concurrency: false }, () => {
  let browser;
  let page;
  const dialogs = [];
  before(async () => {
    mkdirSync(place);
    writeFileSync(file, JSON.stringify(trace));
    writeFileSync(broken, `{"traceEvents": [${attack}`);
    browser = await launch();
    page = await newPage(browser);
    page.on('dialog', (dialog) => dialogs.push(dialog.message()));
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  test('show as text on every page', async () => {
    const server = await serve(file, broken, place);
    await ready(server);
    await page.goto(server.address);
    await page.waitForSelector('.profiles li');
    assert.ok((await page.locator('.profiles').innerText()).includes('<img src=x'));
    await unharmed(page, 'start');
    for (const name of PAGES) {
      await page.goto('about:blank');
      await page.goto(`${server.address}#/0/${name}`);
      await page.waitForSelector(name === 'timeline' ? '.timeline-page' : `[data-page=${name}]`);
      await settled(page);
      if (name === 'kernels')
        assert.ok((await page.locator('.table-row').first().innerText()).includes('<script>'));
      if (name === 'timeline') {
        for (const hit of ['kernel', 'DataLoader', 'op']) {
          await page.keyboard.press('/');
          await page.fill('.search input[type=search]', hit);
          await page.keyboard.press('Enter');
          await page.waitForSelector('[data-testid=arguments]');
          assert.ok((await page.locator('[data-testid=details]').innerText()).includes('<script>'), hit);
          await unharmed(page, hit);
        }
        await page.keyboard.press('Escape');
        await page.keyboard.press('r');
        await page.waitForSelector('[data-testid=selection]');
      }
      if (name === 'ops') {
        for (const tab of await page.locator('[role=tab]').all()) {
          await tab.click();
          await settled(page);
          await unharmed(page, `ops ${await tab.innerText()}`);
        }
      }
      await unharmed(page, name);
    }
    // The page shows the reader's message for a file that cannot be read.
    await page.goto('about:blank');
    await page.goto(`${server.address}#/1/overview`);
    await page.waitForSelector('.empty, [data-testid=verdict]');
    await unharmed(page, 'broken');
    await page.goto('about:blank');
    await page.goto(
      `${server.address}&lang=%3Cscript%3E#/0/timeline?q=%3Cimg+src%3Dx%3E&tracks=%3Cb%3E&marks=%3Ci%3E`,
    );
    await page.waitForSelector('.timeline-page');
    await unharmed(page, 'address');
    assert.deepEqual(page.faults, []);
    assert.deepEqual(dialogs, []);
    await page.goto('about:blank');
    await server.stop();
  });

  test('show as text in the one-file report', async () => {
    const out = join(folder, 'out.html');
    execFileSync(stepscope, ['report', '--html', out, file], { stdio: 'ignore' });
    for (const name of PAGES.filter((p) => p !== 'graph')) {
      await page.goto('about:blank');
      await page.goto(`file://${out}#/0/${name}`);
      await page.waitForSelector(name === 'timeline' ? '.timeline-page' : `[data-page=${name}]`);
      await (name === 'timeline' ? laidOut(page) : settled(page));
      assert.equal(await page.evaluate(() => globalThis.hacked), undefined, name);
      assert.equal(await page.locator('img, svg[onload]').count(), 0);
    }
    assert.deepEqual(page.faults, []);
    assert.deepEqual(dialogs, []);
  });
});
