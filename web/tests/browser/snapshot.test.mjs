// A memory snapshot of PyTorch: its overview says what it is, its page of memory who held what.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { data, ready, report, serve } from './server.mjs';
import { settled } from './waiting.mjs';

const skip = executable ? false : 'SKIPPED: no chromium here (scripts/setup --dev installs it)';
const snapshot = data('h200/leak_snapshot.pickle.zst');

describe('a memory snapshot', { skip, concurrency: false }, () => {
  let browser;
  let page;
  let server;
  const [wanted] = skip ? [] : report(snapshot);
  const open = async (name) => {
    await page.goto('about:blank');
    await page.goto(server.at(`#/0/${name}`));
    await page.waitForSelector(`[data-page=${name}]`);
    await settled(page);
  };
  before(async () => {
    browser = await launch();
    server = await serve(snapshot);
    await ready(server);
    page = await newPage(browser);
  });
  after(async () => {
    await page?.goto('about:blank');
    await server?.stop();
    await browser?.close();
  });

  test('says what it is, and leads to who holds memory instead of showing empty cards', async () => {
    await open('overview');
    const headings = await page.locator('.overview .card:visible h2').allInnerTexts();
    assert.ok(
      !headings.some((text) => /Step time|Where a step goes|idles|kernels/.test(text)),
      headings.join(),
    );
    await page.click('.head a[href*="/memory"]');
    await page.waitForSelector('[data-page=memory]');
    const [gpu] = wanted.memory;
    const tiles = await page
      .locator('.tile dd')
      .evaluateAll((all) => all.map((dd) => Number(dd.dataset.raw)));
    assert.equal(tiles[0], gpu.peak_allocated_bytes);
    assert.equal(tiles[1], gpu.peak_reserved_bytes);
    assert.deepEqual(page.faults, []);
  });

  test('names the lines of Python that held the peak, and who holds what at any moment', async () => {
    await open('memory');
    const [gpu] = wanted.memory;
    const owners = await page
      .locator('.owner > :first-child')
      .evaluateAll((all) => all.map((span) => span.title));
    assert.deepEqual(
      owners,
      gpu.top_ops.slice(0, 8).map((owner) => owner.op),
    );
    assert.match(owners[0], /\.py:\d+ /);
    await page.waitForSelector('.chart canvas');
    const held = async () =>
      (
        await page
          .locator(`[data-table="holders-${gpu.device}"] .table-row [role=cell]:last-child`)
          .evaluateAll((all) => all.map((cell) => Number(cell.dataset.value)))
      ).reduce((sum, bytes) => sum + bytes, 0);
    assert.equal(await held(), gpu.peak_allocated_bytes);
    await page.locator('.moment input').focus();
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.querySelector('[data-testid=holders-at]').dataset.ns === '0');
    assert.ok((await held()) < gpu.peak_allocated_bytes);
    assert.deepEqual(page.faults, []);
  });
});
