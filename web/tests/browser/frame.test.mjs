// The frame around the pages: a navigation of what the profile can answer, with a reason for the rest, and a heading.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { data, example, ready, report, serve, stepscope } from './server.mjs';
import { settled } from './waiting.mjs';

const skip = executable ? false : 'SKIPPED: no chromium here (scripts/setup --dev installs it)';
const collective = data('rules/comm-exposed.bad.r0.json.zst');
const onnx = data('h200/ort_mobilenet.json.zst');
const files = [
  example('resnet50_inputbound.pt.trace.json.gz'),
  collective,
  onnx,
  data('tf/gpu/run_meta_0.pb'),
];
const PAGES = ['overview', 'timeline', 'ops', 'kernels', 'launches', 'memory', 'communication', 'input'];

describe('the frame', { skip, concurrency: false }, () => {
  let browser;
  let server;
  let page;
  const open = async (id, name, search = '') => {
    await ready(server, id);
    await page.goto('about:blank');
    await page.goto(server.at(`#/${id}/${name}`, search));
    await page.waitForSelector(name === 'timeline' ? '.timeline-page' : `[data-page=${name}]`);
    await settled(page);
  };
  before(async () => {
    browser = await launch();
    server = await serve(...files);
    page = await newPage(browser);
  });
  after(async () => {
    await page?.goto('about:blank');
    await server?.stop();
    await browser?.close();
  });

  test('every page has one heading of the first rank', async () => {
    for (const name of [...PAGES, 'code', 'graph', 'compare']) {
      await open(0, name);
      assert.equal(await page.locator('h1').count(), 1, name);
      assert.ok((await page.locator('h1').textContent()).includes('resnet50_inputbound'), name);
    }
    assert.deepEqual(page.faults, []);
  });

  test('collectives that the report counts are shown', async () => {
    const [wanted] = report(collective);
    await open(1, 'communication');
    const raw = await page
      .locator('.tile dd')
      .evaluateAll((cells) => cells.map((cell) => Number(cell.dataset.raw)));
    const { union_ns, overlap_with_kernels_ns, exposed_vs_kernels_ns, by_collective } = wanted.communication;
    assert.deepEqual(raw, [union_ns, overlap_with_kernels_ns, exposed_vs_kernels_ns]);
    const names = await page.locator('[data-table=collectives] .table-row').allInnerTexts();
    assert.equal(names.length, by_collective.length);
    for (const { name } of by_collective) assert.ok(names.some((text) => text.includes(name)));
    await page.waitForSelector('nav .side-group a[href*="/communication"]');
  });

  test('a file is opened from the browser, and gone with the server', async () => {
    const one = await serve(onnx);
    await ready(one);
    await page.goto('about:blank');
    await page.goto(one.at('#/0/overview'));
    await page.waitForSelector('[data-testid=verdict]');
    await page.setInputFiles('[data-testid=open-file]', files[0]);
    await page.waitForFunction(() => document.title.startsWith('resnet50_inputbound'));
    await page.waitForSelector('[data-testid=median]');
    const [wanted] = report(files[0]);
    const median = await page.locator('[data-testid=median]').getAttribute('data-ns');
    assert.equal(Number(median), wanted.steps.median_ns);
    const state = await (await one.api('session')).json();
    const [stored] = state.profiles[1].paths;
    assert.ok(existsSync(stored));
    // Only who knows the token may send, and nothing else takes a body.
    const origin = new URL(one.address).origin;
    const send = (path, headers) =>
      fetch(`${origin}${path}`, { method: 'POST', body: '[]', headers }).then(
        (answer) => answer.status,
        () => 0,
      );
    assert.equal(await send('/api/upload?name=a.json', {}), 403);
    assert.equal(await send('/api/profiles/0/reload', { 'X-Stepscope-Token': one.token }), 413);
    await page.goto('about:blank');
    await one.stop();
    assert.ok(!existsSync(stored));
    assert.deepEqual(page.faults, []);
  });

  test('cards say what a profile is, or why it is none; two are chosen and compared', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stepscope-cards-'));
    for (const name of ['a', 'b']) {
      mkdirSync(join(folder, name));
      copyFileSync(files[0], join(folder, name, 'trace.json.gz'));
    }
    const broken = join(folder, 'broken.pt.trace.json');
    writeFileSync(broken, '{"traceEvents": "none"}');
    const many = await serve(join(folder, 'a', 'trace.json.gz'), join(folder, 'b', 'trace.json.gz'), broken);
    await page.goto('about:blank');
    await page.goto(many.at('#/'));
    await page.waitForSelector('.profiles li.failed .card-error');
    await page.waitForFunction(() => document.querySelectorAll('.card-verdict').length === 2);
    const names = await page.locator('.profiles strong').allInnerTexts();
    assert.deepEqual(names.slice(0, 2), ['a/trace.json.gz', 'b/trace.json.gz']);
    assert.ok((await page.locator('.profiles li').first().innerText()).includes('Bound by input'));
    await page.fill('.start input[type=search]', 'b/trace');
    assert.equal(await page.locator('.profiles li').count(), 1);
    await page.fill('.start input[type=search]', '');
    await page.locator('.choose input').nth(0).check();
    await page.locator('.choose input').nth(1).check();
    await page.click('[data-testid=compare-chosen]');
    await page.waitForSelector('[data-page=compare]');
    assert.ok(page.url().includes('with=1'));
    await page.goto('about:blank');
    await many.stop();
    rmSync(folder, { recursive: true });
    assert.deepEqual(page.faults, []);
  });

  test('serve ends at once where there is nothing to show', () => {
    const ended = spawnSync(stepscope, ['serve', 'nosuch.json'], { timeout: 20_000, encoding: 'utf8' });
    assert.equal(ended.status, 1);
    assert.ok(!ended.stdout.includes('http://'), ended.stdout);
    assert.ok(ended.stderr.includes('nosuch.json'), ended.stderr);
  });

  test('every page fits from 390 to 2,560 pixels', async () => {
    for (const width of [390, 1280, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      for (const name of [...PAGES, 'code', 'compare']) {
        await open(0, name);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 1, `${name} at ${width}: ${wide} px too wide`);
      }
    }
    await page.setViewportSize({ width: 1600, height: 900 });
  });

  test('a copied table is in the unit of its headings, and a filter finds what is shown', async () => {
    const [wanted] = report(files[0]);
    await open(0, 'ops');
    const [op] = wanted.ops;
    const shown = (op.device_self_ns / 1e6).toFixed(3);
    await page.fill('[data-table=ops] input[type=search]', shown);
    await page.waitForFunction(
      (name) => document.querySelector('[data-table=ops] .table-row [role=cell]')?.innerText === name,
      op.name,
    );
    await page.fill('[data-table=ops] input[type=search]', String(op.device_self_ns));
    await page.waitForSelector('[data-table=ops] .table-empty');
    await page.fill('[data-table=ops] input[type=search]', '');
    await page.click('[data-table=ops] .table-tools button');
    const [head, first] = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
    const place = head.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).indexOf('"Device self, ms"');
    assert.ok(place > 0, head);
    assert.equal(Number(first.split(',')[place]), op.device_self_ns / 1e6);
    // What was done to a table is in the address.
    await page.click('[data-table=ops] [role=columnheader]:has-text("Calls") button');
    await page.click('[data-table=ops] [role=columnheader]:has-text("Host self") button', {
      modifiers: ['Shift'],
    });
    assert.equal(await page.locator('[data-table=ops] [role=columnheader] sup').count(), 2);
    const order = await page.locator('[data-table=ops] .table-row').first().innerText();
    const address = page.url();
    await page.goto('about:blank');
    await page.goto(address);
    await page.waitForSelector('[data-table=ops] .table-row');
    assert.equal(await page.locator('[data-table=ops] .table-row').first().innerText(), order);
    assert.equal(await page.locator('[data-table=ops] [role=columnheader] sup').count(), 2);
  });

  test('verdict and findings are one judgement; a fix is copied; why not is answered', async () => {
    const shown = await (await server.api('profiles/0/report')).json();
    await open(0, 'overview');
    assert.equal(shown.findings[0].severity, 'high');
    assert.equal(await page.locator('[data-testid=verdict]').getAttribute('data-mood'), 'bad');
    await page.locator('.copy-fix').first().click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), shown.findings[0].fix);
    await page.locator('.unchecked summary').click();
    assert.equal(await page.locator('.quiet li').count(), shown.rules.quiet.length);
    const path = page.locator('[data-testid=critical-path]');
    const parts = await path
      .locator('[data-part]')
      .evaluateAll((all) => all.map((part) => Number(part.dataset.ns)));
    assert.equal(
      parts.reduce((sum, ns) => sum + ns, 0),
      shown.critical_path.ns,
    );
  });

  test('what the profile lacks is named with the reason, in the words of its framework', async () => {
    await open(2, 'overview');
    const missing = page.locator('nav .side-missing');
    await missing.locator('summary').click();
    const text = await missing.innerText();
    assert.ok(text.includes('Memory') && text.includes('no memory events'), text);
    assert.equal(await page.locator('nav .side-group a[href*="/memory"]').count(), 0);
    for (const [id, framework] of [
      [2, 'ONNX Runtime'],
      [3, 'TensorFlow'],
    ]) {
      for (const name of ['memory', 'code', 'input', 'communication', 'launches']) {
        await open(id, name);
        const empty = page.locator('.empty');
        if ((await empty.count()) === 0) continue;
        const said = await empty.innerText();
        assert.ok(!/with_stack|profile_memory|torch/i.test(said), `${framework} ${name}: ${said}`);
        assert.ok(said.length > 60, `${framework} ${name}: ${said}`);
      }
    }
    assert.deepEqual(page.faults, []);
  });
});
