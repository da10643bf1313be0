// The timeline beyond one click: lines moved by hand, measuring, searching with expressions, keys only, ranks of a job.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { data, example, ready, report, serve } from './server.mjs';
import { addressRests, laidOut } from './waiting.mjs';

const skip = executable ? false : 'SKIPPED: no chromium here (scripts/setup --dev installs it)';
const inputbound = example('resnet50_inputbound.pt.trace.json.gz');
const ranks = ['r0', 'r1', 'r2', 'r3'].map((rank) =>
  data(`rules/straggler-or-imbalance.bad.${rank}.json.zst`),
);

describe('the timeline', { skip, concurrency: false }, () => {
  let browser;
  let server;
  let page;
  const open = async (hash) => {
    await page.goto('about:blank');
    await page.goto(server.at(hash));
    await page.waitForFunction(() => globalThis.stepscopeTimeline?.rows.value.length > 3);
  };
  const again = async () => {
    await addressRests(page);
    const address = page.url();
    await page.goto('about:blank');
    await page.goto(address);
    await page.waitForFunction(() => globalThis.stepscopeTimeline?.rows.value.length > 1);
  };
  const titles = () => page.evaluate(() => globalThis.stepscopeTimeline.rows.value.map((row) => row.title));
  const window = () => page.evaluate(() => ({ ...globalThis.stepscopeTimeline.window.value }));
  const marks = () => page.evaluate(() => globalThis.stepscopeTimeline.overlay.value.marks.length);
  const search = async (text) => {
    await page.keyboard.press('/');
    await page.fill('.search input[type=search]', text);
    await page.keyboard.press('Enter');
  };
  const hits = () => page.locator('[data-testid=hits]').innerText();
  const heading = () => page.locator('[data-testid=details] h3').innerText();

  before(async () => {
    browser = await launch();
    server = await serve(inputbound);
    await ready(server);
    page = await newPage(browser);
  });
  after(async () => {
    await page?.goto('about:blank');
    await server?.stop();
    await browser?.close();
  });

  test('lines are pinned, moved, folded, hidden and filtered, and the address keeps it', async () => {
    await open('#/0/timeline');
    const line = (title) => page.locator('.gutter li.line').filter({ hasText: title }).first();
    const before = await titles();
    const stream = before.indexOf('stream 7');
    await line('stream 7').hover();
    await line('stream 7').locator('[title="Move up"]').click();
    assert.equal((await titles())[stream - 1], 'stream 7');
    await line('memory gpu:0 · reserved').hover();
    await line('memory gpu:0 · reserved').locator('[title="Pin"]').click();
    assert.deepEqual((await titles()).slice(0, 2), ['Pinned', 'memory gpu:0 · reserved']);
    await line('memory gpu:0 · allocated').hover();
    await line('memory gpu:0 · allocated').locator('[title="Hide"]').click();
    assert.ok(!(await titles()).includes('memory gpu:0 · allocated'));
    const tall = (title) =>
      page.evaluate(
        (name) => globalThis.stepscopeTimeline.rows.value.find((row) => row.title === name).height,
        title,
      );
    const height = await tall('stream 7');
    await line('stream 7').locator('[title="Fold"]').click();
    assert.ok((await tall('stream 7')) < height);
    const chosen = await titles();
    await again();
    assert.deepEqual(await titles(), chosen);
    await page.click('text=Show 1 hidden');
    assert.ok((await titles()).includes('memory gpu:0 · allocated'));
    await page.fill('.track-filter', 'gpu:0 idle');
    await page.waitForFunction(() => globalThis.stepscopeTimeline.rows.value.length === 2);
    await again();
    assert.equal((await titles()).length, 2);
    assert.deepEqual(page.faults, []);
  });

  test('a stretch is measured and marked, and the mark is still there from the address', async () => {
    const [wanted] = report(inputbound);
    const { start_ns: from, ns } = wanted.idle_causes[0].longest;
    await open(`#/0/timeline?a=${from}&b=${from + ns}`);
    await page.waitForSelector('[data-testid=selection]');
    assert.equal((await page.locator('[data-testid=measure]').innerText()).trim(), '144.8 ms');
    await page.keyboard.press('m');
    assert.equal(await marks(), 1);
    await page.keyboard.press('Escape');
    await again();
    assert.equal(await marks(), 1);
    assert.ok((await page.locator('[data-testid=measure]').innerText()).includes('144.8 ms'));
  });

  test('the minimap moves what is in sight', async () => {
    await open('#/0/timeline?from=0&to=100000000');
    const before = await window();
    const box = await page.locator('.minimap').boundingBox();
    await page.mouse.click(box.x + box.width * 0.6, box.y + 10);
    const after = await window();
    assert.ok(Math.abs(after.to - after.from - (before.to - before.from)) < 2);
    const whole = await page.evaluate(() => globalThis.stepscopeTimeline.limit);
    const middle = (after.from + after.to) / 2;
    assert.ok(Math.abs(middle / whole.to - 0.6) < 0.02, `${middle} of ${whole.to}`);
  });

  test('expressions count, step forward and back; a bad one is said', async () => {
    const [wanted] = report(inputbound);
    const expected = wanted.ops
      .filter((op) => /^aten::(mm|addmm)$/.test(op.name))
      .reduce((sum, op) => sum + op.calls, 0);
    await open('#/0/timeline');
    await page.check('.search input[type=checkbox]');
    await search('^aten::(mm|addmm)$');
    await page.waitForSelector('[data-testid=details]');
    assert.equal(await hits(), `1 / ${expected} hits`);
    assert.match(await heading(), /aten::(mm|addmm)/);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() =>
      document.querySelector('[data-testid=hits]').textContent.startsWith('2 /'),
    );
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Shift+Enter');
    await page.waitForFunction(
      (n) => document.querySelector('[data-testid=hits]').textContent.startsWith(`${n} /`),
      expected,
    );
    await page.fill('.search input[type=search]', '(');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /\S/.test(document.querySelector('[data-testid=hits]').textContent));
    assert.ok(!(await hits()).includes('/'), await hits());
    // Chromium logs every answer of 400 as an error of its own.
    assert.ok(
      page.faults.every((fault) => fault.includes('400')),
      page.faults.join(),
    );
    page.faults.length = 0;
  });

  test('every call of a kernel has the distribution of all its calls, within 50 ms', async () => {
    const [wanted] = report(inputbound);
    const kernel = wanted.kernels.find((k) => k.kind === 'kernel');
    await open('#/0/timeline');
    await search(kernel.name);
    await page.waitForSelector('[data-testid=every]');
    const text = await page.locator('[data-testid=every] .numbers').innerText();
    assert.ok(text.startsWith(`${kernel.calls.toLocaleString('en-US')} ×`), text);
    const bars = await page
      .locator('.histogram span')
      .evaluateAll((all) => all.map((bar) => Number(bar.title.match(/: ([\d,]+)$/)[1].replaceAll(',', ''))));
    assert.equal(
      bars.reduce((sum, n) => sum + n, 0),
      kernel.calls,
    );
    const row = await page.evaluate(() => new URLSearchParams(location.hash.split('?')[1]).get('row'));
    const answers = await Promise.all(
      ['slice', 'args'].map((what) => server.api(`profiles/0/traces/0/${what}?row=${row}`)),
    );
    for (const answer of answers) {
      const cpu = Number(answer.headers.get('server-timing').match(/cpu;dur=([\d.]+)/)[1]);
      assert.ok(cpu < 50, `${cpu} ms`);
    }
    assert.equal((await answers[1].json()).name, kernel.name);
  });

  test('works with keys alone', async () => {
    await open('#/0/timeline');
    await laidOut(page);
    await page.keyboard.press('.');
    await page.waitForSelector('[data-testid=details]');
    const first = await page.evaluate(() => globalThis.stepscopeTimeline.overlay.value.selected.from);
    await page.keyboard.press('.');
    await page.waitForFunction(
      (from) => globalThis.stepscopeTimeline.overlay.value.selected.from > from,
      first,
    );
    await page.keyboard.press(',');
    await page.waitForFunction(
      (from) => globalThis.stepscopeTimeline.overlay.value.selected.from === from,
      first,
    );
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await page.waitForSelector('[data-testid=selection]');
    // Through the head of the page to its pages, each with a focus that can be seen.
    await page.keyboard.press('Escape');
    await page.evaluate(() => document.activeElement?.blur());
    const seen = [];
    for (let i = 0; i < 20; ++i) {
      await page.keyboard.press('Tab');
      seen.push(
        await page.evaluate(() => {
          const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
          const ring = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
          return [document.activeElement.textContent.trim(), ring];
        }),
      );
    }
    for (const name of ['Skip to content', 'Overview', 'Timeline', 'Memory', '中文']) {
      assert.ok(
        seen.some(([text, ring]) => text === name && ring),
        `${name} in ${JSON.stringify(seen)}`,
      );
    }
    assert.deepEqual(page.faults, []);
  });

  test('ranks of a job: one clock, one search, one stretch', async () => {
    const job = await serve('--together', ...ranks);
    await ready(job);
    const wanted = report(...ranks);
    await page.goto('about:blank');
    await page.goto(job.at('#/0/timeline'));
    await page.waitForFunction(() => globalThis.stepscopeTimeline?.rows.value.length > 3);
    const name = wanted[0].ops[0].name;
    const expected = wanted
      .flatMap((one) => one.ops)
      .filter((k) => k.name.includes(name))
      .reduce((sum, k) => sum + k.calls, 0);
    await search(name);
    await page.waitForSelector('[data-testid=details]');
    assert.equal(await hits(), `1 / ${expected.toLocaleString('en-US')} hits`);
    await page.keyboard.press('Shift+Enter');
    await page.waitForFunction(() =>
      globalThis.stepscopeTimeline.overlay.value.selected.key.startsWith('3.'),
    );
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('f');
    await page.keyboard.press('r');
    await page.waitForSelector('[data-testid=selection]');
    const text = await page.locator('[data-testid=selection]').innerText();
    for (const rank of [0, 1, 2, 3]) assert.ok(text.includes(`Rank ${rank} cpu:0 busy`), text.slice(0, 400));
    // A step of the last rank is shown where that rank's clock puts it.
    await page.goto('about:blank');
    await page.goto(job.at('#/0/overview?trace=3'));
    await page.waitForSelector('.breakdown-step a');
    await page.locator('.breakdown-step a').first().click();
    await page.waitForFunction(() => globalThis.stepscopeTimeline?.rows.value.length > 3);
    const { from, to } = await window();
    const offset = await page.evaluate(() => globalThis.stepscopeTimeline.infos[3].offset_ns);
    const step = wanted[3].steps.items[0];
    assert.ok(from <= step.start_ns + offset && to >= step.start_ns + step.duration_ns + offset);
    // Evidence of a finding about ranks leads to the rank it names.
    const api = await (await job.api('profiles/0/report')).json();
    const found = api.reports
      .flatMap((one, trace) => one.findings.map((finding) => ({ trace, finding })))
      .filter(({ finding }) => finding.rule === 'straggler-or-imbalance')
      .find(({ finding }) => finding.evidence.some((item) => item.rank > 0));
    assert.ok(found, 'no finding about a late rank');
    // The cause stands above its symptom, which is time in collectives.
    assert.equal(api.reports[found.trace].findings[0].rule, 'straggler-or-imbalance');
    const { evidence } = found.finding;
    const nth = evidence.findIndex((item) => item.rank > 0);
    await page.goto('about:blank');
    await page.goto(job.at(`#/0/overview?trace=${found.trace}`));
    await page.locator(`.findings li[data-rule="${found.finding.rule}"] .evidence a`).nth(nth).click();
    await laidOut(page);
    const shown = await window();
    const shift = await page.evaluate(
      (trace) => globalThis.stepscopeTimeline.infos[trace].offset_ns,
      evidence[nth].rank,
    );
    const { start_ns: start, ns } = evidence[nth];
    assert.ok(shown.from <= start + shift && shown.to >= start + ns + shift, JSON.stringify(shown));
    assert.deepEqual(page.faults, []);
    await page.goto('about:blank');
    await job.stop();
  });
});
