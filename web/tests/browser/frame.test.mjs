// The frame around the pages: a navigation of what the profile can answer, with a reason for the rest, and a heading.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { data, example, ready, report, serve } from './server.mjs';
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
