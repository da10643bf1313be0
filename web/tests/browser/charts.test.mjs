// The charts that people expect, each on a recording that fills it, and what they show against `report --json`.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { data, example, ready, report, serve } from './server.mjs';
import { settled } from './waiting.mjs';

const skip = executable ? false : 'SKIPPED: no chromium here (scripts/setup --dev installs it)';
const files = [
  example('resnet50_inputbound.pt.trace.json.gz'),
  data('h200/ort_mobilenet.json.zst'),
  data('h200/jax_mlp.xplane.pb.zst'),
  data('rules/input-bound-step.bad.xplane.pb.zst'),
];
const [TORCH, ORT, JAX, TFDATA] = files.keys();

describe('charts', { skip, concurrency: false }, () => {
  let browser;
  let server;
  let page;
  const open = async (id, name) => {
    await page.goto('about:blank');
    await page.goto(server.at(`#/${id}/${name}`));
    await page.waitForSelector(`[data-page=${name}]`);
    await settled(page);
  };
  /** Whether a canvas has more than its background: colours that are not grey. */
  const painted = (selector) =>
    page.waitForFunction((css) => {
      const canvas = document.querySelector(css);
      const { data: pixels } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let coloured = 0;
      for (let i = 0; i < pixels.length; i += 4)
        if (Math.max(...pixels.slice(i, i + 3)) - Math.min(...pixels.slice(i, i + 3)) > 60) ++coloured;
      return coloured > 100;
    }, selector);
  before(async () => {
    browser = await launch();
    server = await serve(...files);
    for (const index of files.keys()) await ready(server, index);
    page = await newPage(browser);
  });
  after(async () => {
    await page?.goto('about:blank');
    await server?.stop();
    await browser?.close();
  });

  test('step times one after the other, and how often each length occurs', async () => {
    const [wanted] = report(files[ORT]);
    await open(ORT, 'overview');
    await painted('.overview .chart canvas');
    const counts = await page
      .locator('.overview .histogram span')
      .evaluateAll((bars) => bars.map((bar) => Number(bar.dataset.count)));
    assert.equal(
      counts.reduce((sum, n) => sum + n, 0),
      wanted.steps.items.filter((step) => step.used).length,
    );
  });

  test('where each step goes, as a bar a step; a click shows that step in numbers', async () => {
    const [wanted] = report(files[TORCH]);
    const step = wanted.steps.items[0];
    await open(TORCH, 'overview');
    await page.locator('.breakdown-step .bars').first().click();
    const shown = page.locator(`table.parts[data-step="${step.start_ns}"]`).first();
    await shown.waitFor();
    const parts = await shown
      .locator('td[data-part]')
      .evaluateAll((cells) => cells.map((c) => Number(c.dataset.ns)));
    assert.equal(
      parts.reduce((sum, ns) => sum + ns, 0),
      step.duration_ns,
    );
  });

  test('operations against bytes, where both are known', async () => {
    const [wanted] = report(files[JAX]);
    const known = wanted.hlo.filter((row) => row.flops && row.bytes && row.total_ns > 0);
    await open(JAX, 'kernels');
    assert.ok(known.length > 3);
    assert.equal(await page.locator('.scatter circle').count(), known.length);
    const said = await page.locator('.scatter circle title').first().textContent();
    const [first] = known;
    const rate = (first.flops * first.calls) / first.total_ns;
    assert.ok(said.startsWith(`${first.name}: ${rate.toPrecision(3)} GFLOP/s`), said);
    await page.waitForSelector('.scatter .roof', { state: 'attached' });
  });

  test('how long the calls of each kernel take, from the shortest to the longest', async () => {
    const [wanted] = report(files[TORCH]);
    await open(TORCH, 'kernels');
    const rows = page.locator('.spread-row:not(.spread-axis)');
    assert.equal(await rows.count(), Math.min(15, wanted.kernels.length));
    const said = await rows.first().getAttribute('title');
    const milliseconds = (wanted.kernels[0].max_ns / 1e6).toPrecision(4);
    assert.ok(said.includes(`${milliseconds} ms`), `${said} has no ${milliseconds} ms`);
  });

  test('memory over time has steps, no slopes, and its owners at the peak', async () => {
    const [wanted] = report(files[TORCH]);
    await open(TORCH, 'memory');
    await painted('.chart canvas');
    const owners = await page.locator('[data-testid=owners]').first().locator('.owner').count();
    assert.equal(owners, Math.min(8, wanted.memory[0].top_ops.length));
    // The orange line of reserved memory rises at once: no column of pixels between its first two heights has another one.
    const heights = await page.evaluate(() => {
      const canvas = document.querySelector('.chart canvas');
      const {
        data: pixels,
        width,
        height,
      } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const tops = [];
      for (let x = 0; x < width; ++x) {
        for (let y = 0; y < height; ++y) {
          const [red, green, blue] = pixels.slice(4 * (y * width + x), 4 * (y * width + x) + 3);
          if (red > 190 && green < 120 && blue < 60) {
            tops.push(y);
            break;
          }
        }
      }
      return [...new Set(tops)];
    });
    assert.ok(heights.length > 0 && heights.length <= 12, `${heights.length} heights: ${heights}`);
  });

  test('the input pipeline as a graph, each stage fed by the one before', async () => {
    const [wanted] = report(files[TFDATA]);
    await open(TFDATA, 'input');
    assert.equal(await page.locator('.input-graph .node').count(), wanted.input.stages.length);
    assert.equal(await page.locator('.input-graph .edge').count(), wanted.input.stages.length - 1);
  });

  test('how much work waits on each stream', async () => {
    await open(TORCH, 'launches');
    await painted('.chart canvas');
    const { queues } = await (await server.api(`profiles/${TORCH}/traces/0/queues`)).json();
    const legend = await page.locator('[data-page=launches] section p.muted').first().innerText();
    for (const { device, stream } of queues.slice(0, 6))
      assert.ok(legend.includes(`${device} stream ${stream}`), legend);
    await page.locator('.chart .u-over').click();
    await page.waitForSelector('.timeline-page');
    assert.deepEqual(page.faults, []);
  });
});
