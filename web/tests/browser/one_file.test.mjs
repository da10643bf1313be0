// The report that is one file: opened from the disk, without a server and without a network.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
  test('in the cell of a notebook its links stay in the frame', async () => {
    const out = join(folder, 'cell.html');
    execFileSync(stepscope, ['report', '--html', out, profile], { stdio: 'ignore' });
    const browser = await launch();
    const page = await newPage(browser, { offline: true });
    // As the Python package shows it. The page around has an address and no policy: a frame inherits that.
    const content = readFileSync(out, 'utf8').replace('<head>', '<head><base href="about:srcdoc">');
    const escaped = content.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    const notebook = join(folder, 'notebook.html');
    const frame = `<iframe sandbox="allow-scripts" width="100%" height="720" srcdoc="${escaped}"></iframe>`;
    writeFileSync(notebook, `<!doctype html><meta charset="utf-8">${frame}`);
    await page.goto(`file://${notebook}`);
    const cell = page.frameLocator('iframe');
    await cell.locator('nav a[href*="/kernels"]').click();
    await cell.locator('[data-page=kernels]').waitFor();
    await cell.locator('nav a[href*="/timeline"]').click();
    await cell.locator('[data-testid=timeline-canvas]').waitFor();
    await cell.locator('[data-testid=language]').click();
    await cell.getByText('时间线').first().waitFor();
    assert.deepEqual(page.faults, []);
    await browser.close();
  });
  test('opens offline with the same numbers and pages', async () => {
    const out = join(folder, 'report.html');
    execFileSync(stepscope, ['report', '--html', out, profile], { stdio: 'ignore' });
    assert.ok(statSync(out).size <= 4_000_000, `${statSync(out).size} bytes`);
    const browser = await launch();
    const page = await newPage(browser, { offline: true });
    await page.goto(`file://${out}`);
    await compareOverview(page, report(profile)[0], findingsOf(profile));
    await page.waitForSelector('.overview .chart canvas');
    for (const name of ['ops', 'kernels', 'memory', 'launches', 'input', 'code']) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, `#/0/${name}`);
      await page.waitForSelector(`[data-page=${name}]`);
      await settled(page);
      assert.equal(await page.locator('.failed').count(), 0, name);
    }
    // The flame graph is inside.
    await page.evaluate(() => {
      location.hash = '#/0/ops?as=flame';
    });
    await page.waitForSelector('.flame canvas');
    await page.click('nav a[href*="/timeline"]');
    await page.waitForFunction(() => globalThis.stepscopeTimeline?.rows.value.length > 3);
    await page.waitForFunction(`(${colours})() > 10`);
    await page.keyboard.press('w');
    await page.keyboard.press('w');
    await page.waitForFunction(`(${colours})() > 10`);
    // A kernel of the median step has its name and its length on a click.
    const [{ steps, kernels }] = report(profile);
    const median = steps.items.find((step) => step.used && step.duration_ns === steps.median_ns);
    await page.keyboard.press('g');
    await page.keyboard.type(`step ${median.number}`);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => !globalThis.stepscopeTimeline.loading.value);
    const spot = await page.evaluate((end) => {
      const view = globalThis.stepscopeTimeline;
      const row = view.rows.value.find((r) => r.title.startsWith('stream 7'));
      view.show({ from: end - 17e6, to: end - 13e6 });
      return { y: view.topOf(row), height: row.height };
    }, median.start_ns + median.duration_ns);
    await page.waitForFunction(() => !globalThis.stepscopeTimeline.loading.value);
    await page.waitForTimeout(300);
    const place = await page.evaluate(({ y, height }) => {
      const view = globalThis.stepscopeTimeline;
      for (let at = y + 10; at < y + height; at += 17) {
        for (let x = 2; x < view.width; x += 2) {
          const hit = view.hit(x, at);
          if (hit && hit.block.count[hit.item] === 1 && hit.block.kind[hit.item] === 9) return { x, y: at };
        }
      }
      return null;
    }, spot);
    const box = await page.locator('.canvas-host').boundingBox();
    await page.mouse.click(box.x + place.x, box.y + place.y);
    await page.waitForSelector('[data-testid=details]');
    const name = (await page.locator('[data-testid=details] h3').innerText()).trim();
    const kernel = kernels.find((row) => row.name.startsWith(name));
    assert.ok(name.length > 3 && kernel, name);
    const length = Number(
      await page.locator('[data-testid=details] .facts dd[data-ns]').nth(1).getAttribute('data-ns'),
    );
    assert.ok(length >= kernel.min_ns && length <= kernel.max_ns, `${length}`);
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
