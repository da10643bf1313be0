// Hands on the page: the timeline by mouse, wheel, fingers and keys; tables; the graph; a file that is dropped.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { data, example, ready, report, serve } from './server.mjs';
import { laidOut, settled } from './waiting.mjs';

const skip = executable ? false : 'SKIPPED: no chromium here (scripts/setup --dev installs it)';
const inputbound = example('resnet50_inputbound.pt.trace.json.gz');

describe('handling', { skip, concurrency: false }, () => {
  let browser;
  let server;
  let page;
  const goTo = async (at, where, wait) => {
    await at.goto('about:blank');
    await at.goto(server.at(`#/${where}`));
    await wait(at);
  };
  const timeline = (at = page) => goTo(at, '0/timeline?from=200000000&to=400000000', laidOut);
  const window = (at = page) => at.evaluate(() => ({ ...globalThis.stepscopeTimeline.window.value }));
  const canvas = (at = page) => at.locator('.canvas-host').boundingBox();
  before(async () => {
    browser = await launch();
    server = await serve(inputbound, data('tf/deep/run_meta_0.pb'), data('tf/deep/graph.pb'));
    await ready(server);
    await ready(server, 1);
    page = await newPage(browser, { viewport: { width: 1400, height: 700 }, acceptDownloads: true });
  });
  after(async () => {
    await page?.goto('about:blank');
    await server?.stop();
    await browser?.close();
  });

  test('a drag, Shift and the wheel, and a wheel that tilts move in time', async () => {
    await timeline();
    const box = await canvas();
    const before = await window();
    await page.mouse.move(box.x + 600, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + 300, { steps: 4 });
    await page.mouse.up();
    const dragged = await window();
    const perPixel = (before.to - before.from) / box.width;
    assert.ok(
      Math.abs(dragged.from - before.from - 100 * perPixel) < 2 * perPixel,
      'what was held stays under the pointer',
    );
    await page.keyboard.down('Shift');
    await page.mouse.wheel(0, 120);
    await page.keyboard.up('Shift');
    await page.waitForFunction((from) => globalThis.stepscopeTimeline.window.value.from > from, dragged.from);
    const wheeled = await window();
    await page.mouse.wheel(-200, 0);
    await page.waitForFunction((from) => globalThis.stepscopeTimeline.window.value.from < from, wheeled.from);
    assert.ok(Math.abs((await window()).to - (await window()).from - (before.to - before.from)) < 2);
  });

  test('two fingers zoom around the one that rests', async () => {
    const tablet = await newPage(browser, { viewport: { width: 1000, height: 700 }, hasTouch: true });
    await timeline(tablet);
    const box = await canvas(tablet);
    const before = await window(tablet);
    const devtools = await tablet.context().newCDPSession(tablet);
    const touch = (type, ...xs) =>
      devtools.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: xs.map((x, id) => ({ x: box.x + x, y: box.y + 150, id })),
      });
    await touch('touchStart', 200);
    await touch('touchStart', 200, 400);
    for (const x of [450, 500, 550, 600]) await touch('touchMove', 200, x);
    await touch('touchEnd');
    const after = await window(tablet);
    const factor = (after.to - after.from) / (before.to - before.from);
    assert.ok(Math.abs(factor - 0.5) < 0.05, `fingers twice as far apart show ${factor} of the time`);
    const at = ({ from, to }) => from + ((to - from) * 200) / box.width;
    assert.ok(Math.abs(at(after) - at(before)) < (after.to - after.from) / 100);
    await tablet.context().close();
  });

  test('a drag on the axis selects on all tracks; Page Down scrolls them; Q, X and E go from step to step', async () => {
    const [{ steps }] = report(inputbound);
    await timeline();
    const axis = await page.locator('.axis').boundingBox();
    await page.mouse.move(axis.x + 100, axis.y + 6);
    await page.mouse.down();
    await page.mouse.move(axis.x + 300, axis.y + 6, { steps: 4 });
    await page.mouse.up();
    await page.waitForSelector('[data-testid=selection]');
    const { range } = await page.evaluate(() => ({
      range: globalThis.stepscopeTimeline.overlay.value.range,
    }));
    assert.ok(!range.keys?.length && range.to > range.from, JSON.stringify(range));
    // Its end is taken and moved; its start stays.
    const end = await page.evaluate((time) => globalThis.stepscopeTimeline.xOf(time), range.to);
    await page.mouse.move(axis.x + end + 1, axis.y + 6);
    await page.mouse.down();
    await page.mouse.move(axis.x + end + 130, axis.y + 6, { steps: 4 });
    await page.mouse.up();
    const longer = await page.evaluate(() => globalThis.stepscopeTimeline.overlay.value.range);
    assert.equal(longer.from, range.from);
    assert.ok(longer.to > range.to, JSON.stringify(longer));
    await page.keyboard.press('Escape');
    await page.keyboard.press('PageDown');
    await page.waitForFunction(() => globalThis.stepscopeTimeline.scroll.value > 0);
    await page.evaluate(({ from, to }) => globalThis.stepscopeTimeline.show({ from, to }), {
      from: steps.items[1].start_ns + 1e6,
      to: steps.items[1].start_ns + 2e6,
    });
    const holds = async (step) => {
      const { from, to } = await window();
      const end = step.start_ns + step.duration_ns;
      assert.ok(from <= step.start_ns && to >= end && to - from < step.duration_ns * 1.1, `${from} ${to}`);
    };
    await page.keyboard.press('x');
    await holds(steps.items[1]);
    await page.keyboard.press('e');
    await holds(steps.items[2]);
    await page.keyboard.press('q');
    await holds(steps.items[1]);
  });

  test('bands of steps have numbers that tell them apart', async () => {
    await goTo(page, '0/timeline', laidOut);
    const titles = await page.locator('.axis-step').evaluateAll((all) => all.map((band) => band.title));
    assert.equal(new Set(titles.map((title) => title.split(' · ')[0])).size, titles.length);
    assert.ok(
      titles.every((title) => /#\d+/.test(title)),
      titles.join(),
    );
  });

  test('columns are resized and hidden, and the address keeps it; CSV is downloaded in the units of its headings', async () => {
    const [wanted] = report(inputbound);
    await goTo(page, '0/ops', settled);
    const width = async (n) =>
      (await page.locator('[data-table=ops] [role=columnheader]').nth(n).boundingBox()).width;
    const before = await width(0);
    const grip = await page.locator('[data-table=ops] .grip').first().boundingBox();
    await page.mouse.move(grip.x + 3, grip.y + 8);
    await page.mouse.down();
    await page.mouse.move(grip.x + 63, grip.y + 8, { steps: 4 });
    await page.mouse.up();
    assert.ok(Math.abs((await width(0)) - before - 60) < 4, `${before} became ${await width(0)}`);
    await page.click('[data-table=ops] .columns-menu summary');
    await page.locator('[data-table=ops] .columns-menu label', { hasText: 'Tensor cores' }).click();
    await page.click('[data-table=ops] .columns-menu summary');
    const headings = () => page.locator('[data-table=ops] [role=columnheader]').allInnerTexts();
    assert.ok(!(await headings()).some((text) => text.includes('Tensor')));
    const [shown, wide, address] = [await headings(), await width(0), page.url()];
    await page.goto('about:blank');
    await page.goto(address);
    await settled(page);
    assert.deepEqual(await headings(), shown);
    assert.equal(await width(0), wide);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.click('[data-table=ops] .table-tools button:has-text("Download")'),
    ]);
    const [head, ...lines] = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n');
    assert.equal(lines.length, wanted.ops.length);
    assert.ok(head.includes('"Device self, ms"') && !head.includes('Tensor'), head);
    assert.ok(lines[0].includes(String(wanted.ops[0].device_self_ns / 1e6)), lines[0]);
  });

  test('rows that are chosen lead to their calls in the timeline', async () => {
    const [wanted] = report(inputbound);
    await goTo(page, '0/ops', settled);
    const rows = page.locator('[data-table=ops] .table-row');
    await rows.nth(0).click({ modifiers: ['Control'] });
    await rows.nth(2).click({ modifiers: ['Control'] });
    await page.click('[data-table=ops] a.button');
    await page.waitForFunction(() => /\d/.test(document.querySelector('[data-testid=hits]')?.textContent));
    const calls = wanted.ops[0].calls + wanted.ops[2].calls;
    const hits = await page.locator('[data-testid=hits]').innerText();
    assert.ok(hits.endsWith(`/ ${calls.toLocaleString('en-US')} hits`), `${hits}, ${calls} calls`);
  });

  test('the graph zooms, fits, unfolds and folds, walks its hits and is coloured by time, memory and device', async () => {
    await goTo(page, '1/graph', settled);
    await page.waitForSelector('[data-node=resnet]');
    const placed = () =>
      page
        .locator('.graph-scroll svg > g')
        .first()
        .evaluate((g) => g.getCTM().a);
    const fitted = await placed();
    await page.click('.graph-page button[title="Zoom in"]');
    assert.ok((await placed()) > fitted);
    await page.locator('.graph-scroll').focus();
    await page.keyboard.press('0');
    assert.equal(await placed(), fitted);
    const drawn = () => page.locator('g.node').count();
    const folded = await drawn();
    await page.locator('[data-node=resnet]').dblclick();
    await page.waitForFunction((n) => document.querySelectorAll('g.node').length > n, folded);
    await page.click('.graph-page button:has-text("Close all")');
    await page.waitForFunction((n) => document.querySelectorAll('g.node').length === n, folded);
    const graph = await (await server.api('profiles/1/traces/0/graph')).json();
    const expected = graph.nodes.filter((node) => node.name.toLowerCase().includes('conv2d')).length;
    await page.fill('.graph-page input[type=search]', 'conv2d');
    await page.keyboard.press('Enter');
    const count = page.locator('.graph-page [role=status]').first();
    await page.waitForFunction(() =>
      /1 \//.test(document.querySelector('.graph-page [role=status]')?.textContent),
    );
    assert.ok((await count.innerText()).includes(expected.toLocaleString('en-US')), await count.innerText());
    await page.click('.graph-page button[aria-label="Next"]');
    await page.waitForFunction(() =>
      /2 \//.test(document.querySelector('.graph-page [role=status]')?.textContent),
    );
    await page.click('.graph-page button:has-text("Close all")');
    const warm = () =>
      page.locator('[data-node=resnet] rect.warm').evaluate((rect) => Number(getComputedStyle(rect).opacity));
    const byTime = await warm();
    await page.selectOption('.graph-page select', 'memory');
    assert.notEqual(await warm(), byTime);
    assert.ok(page.url().includes('colour=memory'));
    await page.selectOption('.graph-page select', 'device');
    assert.ok((await page.locator('.graph-page .legend li').count()) > 0);
    assert.deepEqual(page.faults, []);
  });

  test('a file that is dropped anywhere opens', async () => {
    const one = await serve(inputbound);
    await ready(one);
    await page.goto('about:blank');
    await page.goto(one.at('#/0/overview'));
    await page.waitForSelector('[data-testid=open-file]', { state: 'attached' });
    const content = readFileSync(example('streams_overlap.pt.trace.json.gz')).toString('base64');
    await page.evaluate((base64) => {
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], 'dropped.pt.trace.json.gz'));
      for (const type of ['dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
    }, content);
    await page.waitForFunction(() => document.title.startsWith('dropped'));
    await page.waitForSelector('[data-testid=verdict]');
    await page.goto('about:blank');
    await one.stop();
    assert.deepEqual(page.faults, []);
  });
});
