// The report that is one file: opened from the disk, without a server and without a network.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { compareOverview } from './numbers.mjs';
import { diff, example, findingsOf, report, stepscope } from './server.mjs';
import { settled } from './waiting.mjs';

const skip = executable ? false : 'SKIPPED: no chromium here (scripts/setup --dev installs it)';
const profile = example('resnet50_inputbound.pt.trace.json.gz');
const folder = mkdtempSync(join(tmpdir(), 'stepscope-one-'));

/** How many colours are on the timeline: a picture has some, an empty canvas two or three. */
const colours = () => {
  const canvas = document.querySelector('[data-testid=timeline-canvas]');
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = new Set();
  for (let i = 0; i < pixels.length; i += 4)
    seen.add(pixels[i] + 256 * pixels[i + 1] + 65536 * pixels[i + 2]);
  return seen.size;
};

describe('the one-file report', { skip, concurrency: false }, () => {
  after(() => rmSync(folder, { recursive: true }));
  test('opens offline with the same numbers and pages', async () => {
    const out = join(folder, 'report.html');
    execFileSync(stepscope, ['report', '--html', out, profile], { stdio: 'ignore' });
    const browser = await launch();
    const page = await newPage(browser, { offline: true });
    await page.goto(`file://${out}`);
    await compareOverview(page, report(profile)[0], findingsOf(profile));
    await page.waitForSelector('.overview .chart canvas');
    for (const name of ['ops', 'kernels', 'memory', 'launches', 'input', 'code']) {
      await page.click(`nav a[href*="/${name}"]`);
      await page.waitForSelector(`[data-page=${name}]`);
      await settled(page);
      assert.equal(await page.locator('.failed').count(), 0, name);
    }
    await page.click('nav a[href*="/timeline"]');
    await page.waitForFunction(() => globalThis.stepscopeTimeline?.rows.value.length > 3);
    await page.waitForFunction(`(${colours})() > 10`);
    await page.keyboard.press('w');
    await page.keyboard.press('w');
    await page.waitForFunction(`(${colours})() > 10`);
    assert.deepEqual(page.faults, []);
    await browser.close();
  });

  test('a comparison opens offline with the same numbers', async () => {
    const out = join(folder, 'diff.html');
    const other = example('cudagraph_infer.pt.trace.json.gz');
    const base = example('nograph_infer.pt.trace.json.gz');
    execFileSync(stepscope, ['diff', '--html', out, base, other], { stdio: 'ignore' });
    const compared = diff(base, other);
    const browser = await launch();
    const page = await newPage(browser, { offline: true });
    await page.goto(`file://${out}`);
    await page.waitForSelector('[data-testid=compare-verdict]');
    const figures = await page
      .locator('[data-testid=compare-steps] tbody tr:first-child td[data-ns]')
      .evaluateAll((cells) => cells.map((cell) => Number(cell.dataset.ns)));
    const [step] = compared.metrics;
    assert.deepEqual(figures, [step.base.median, step.new.median]);
    await page.waitForSelector('[data-testid=compare-timelines] canvas');
    assert.equal(await page.locator('nav a').count(), 1);
    assert.equal(await page.locator('.failed').count(), 0);
    assert.deepEqual(page.faults, []);
    await browser.close();
  });
});
