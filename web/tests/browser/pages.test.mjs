// What a person does with the page, in a real browser, on real profiles; numbers are compared with `report --json`.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { data, diff, example, ready, report, serve } from './server.mjs';
import { addedUp, addressRests, laidOut, patience, settled } from './waiting.mjs';

const inputbound = example('resnet50_inputbound.pt.trace.json.gz');
const profiles = [
  inputbound,
  data('h200/resnet50_good.pt.trace.json.zst'),
  data('h200/memory_leak.pt.trace.json.zst'),
  data('h200/gpt2_modules.pt.trace.json.zst'),
];

const skip = executable ? false : 'SKIPPED: no chromium here (scripts/setup --dev installs it)';

describe('the page', { skip, concurrency: false }, () => {
  let browser;
  let server;
  let page;
  const open = async (hash, search = '') => {
    await page.goto('about:blank');
    const [base, query] = server.address.split('?');
    await page.goto(`${base}?${query ?? ''}${search}${hash}`);
  };

  before(async () => {
    browser = await launch();
    server = await serve(...profiles);
    await ready(server);
    page = await newPage(browser);
  });
  after(async () => {
    const end = await server?.stop();
    await browser?.close();
    assert.equal(end.code, 0);
    assert.ok(end.ms < 1000 * patience(), `Ctrl-C took ${end.ms} ms`);
  });

  test('a kernel is found, zoomed to, and its arrow followed to the launch', async () => {
    const [wanted] = report(inputbound);
    const kernel = wanted.kernels.find((k) => k.kind === 'kernel');
    await open('#/0/timeline');
    await page.waitForSelector('.gutter li');
    await page.keyboard.press('/');
    await page.keyboard.type(kernel.name.slice(0, 60));
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-testid=details]');
    assert.match(await page.locator('[data-testid=hits]').innerText(), /^1 \/ /);
    const hits = Number(
      (await page.locator('[data-testid=hits]').innerText()).match(/\/ ([\d,]+)/)[1].replaceAll(',', ''),
    );
    const expected = wanted.kernels
      .filter((k) => k.name.toLowerCase().includes(kernel.name.slice(0, 60).toLowerCase()))
      .reduce((sum, k) => sum + k.calls, 0);
    assert.equal(hits, expected);
    assert.ok(
      (await page.locator('[data-testid=details] h3').innerText()).includes(kernel.name.slice(0, 60)),
    );
    await page.waitForSelector('[data-testid=arguments]');
    assert.ok((await page.locator('[data-testid=arguments]').innerText()).includes('correlation'));
    await page.locator('.search input[type=search]').evaluate((input) => input.blur());
    await page.keyboard.press('f');
    await page.keyboard.press('[');
    await page.waitForFunction(() =>
      document.querySelector('[data-testid=details] h3')?.textContent.includes('Launch'),
    );
    const arrows = await page.evaluate(() => globalThis.stepscopeTimeline.overlay.value.arrows.length);
    assert.ok(arrows > 0);
    await addressRests(page);
    const address = page.url();
    await page.goto('about:blank');
    await page.goto(address);
    await page.waitForFunction(() =>
      document.querySelector('[data-testid=details] h3')?.textContent.includes('Launch'),
    );
    assert.deepEqual(page.faults, []);
  });

  test('clicking on the canvas selects what is drawn there', async () => {
    await open('#/0/timeline');
    await laidOut(page);
    const spot = await page.evaluate(() => {
      const view = globalThis.stepscopeTimeline;
      const row = view.rows.value.find((r) => r.info?.kind === 'idle');
      return { x: 40, y: row.top + 8 - view.scroll.value };
    });
    const box = await page.locator('.canvas-host').boundingBox();
    await page.mouse.click(box.x + spot.x, box.y + spot.y);
    await page.waitForSelector('[data-testid=idle-details]');
    assert.ok((await page.locator('[data-testid=idle-details]').innerText()).includes('waiting for input'));
    assert.ok((await page.locator('[data-testid=idle-details]').innerText()).includes('DataLoader'));
  });

  test('a stretch is selected with the mouse and added up', async () => {
    await open('#/0/timeline');
    await laidOut(page);
    const box = await page.locator('.canvas-host').boundingBox();
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + 200, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + 120, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await addedUp(page);
    const range = await page.evaluate(() => globalThis.stepscopeTimeline.overlay.value.range);
    const api = await (
      await server.api(
        `profiles/0/traces/0/selection?from=${Math.floor(range.from)}&to=${Math.ceil(range.to)}`,
      )
    ).json();
    const total = await page
      .locator('[data-testid=selection] .facts dd')
      .evaluateAll((cells) => cells.reduce((sum, cell) => sum + Number(cell.dataset.ns), 0));
    const expected = [...api.busy, ...api.idle].reduce((sum, row) => sum + row.ns, 0);
    assert.equal(total, expected);
    // Every nanosecond of a stretch inside the steps is busy or has a cause.
    assert.ok(Math.abs(total - (api.to_ns - api.from_ns)) <= 2, `${total} of ${api.to_ns - api.from_ns}`);
  });

  test('keys move, zoom, fit, mark and help', async () => {
    await open('#/0/timeline');
    await page.waitForFunction(() => globalThis.stepscopeTimeline?.rows.value.length > 3);
    const window = () => page.evaluate(() => ({ ...globalThis.stepscopeTimeline.window.value }));
    const whole = await window();
    await page.keyboard.press('w');
    const near = await window();
    assert.ok(near.to - near.from < whole.to - whole.from);
    await page.keyboard.press('d');
    assert.ok((await window()).from > near.from);
    await page.keyboard.press('ArrowLeft');
    assert.ok(Math.abs((await window()).from - near.from) < 2);
    await page.keyboard.press('f');
    assert.ok(Math.abs((await window()).to - whole.to) < 2);
    await page.keyboard.press('?');
    await page.waitForSelector('.help');
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.help').count(), 0);
  });

  test('tables sort, filter and copy', async () => {
    const [wanted] = report(inputbound);
    await open('#/0/ops');
    await page.waitForSelector('[data-table=ops] .table-row');
    const first = () =>
      page.locator('[data-table=ops] .table-row').first().locator('[role=cell]').first().innerText();
    await page.click('[data-table=ops] [role=columnheader]:has-text("Calls") button');
    const most = wanted.ops.toSorted((a, b) => b.calls - a.calls)[0];
    assert.equal(await first(), most.name);
    await page.fill('[data-table=ops] input[type=search]', 'aten::copy_');
    await page.waitForFunction(
      () => document.querySelector('[data-table=ops] .table-row [role=cell]').innerText === 'aten::copy_',
    );
    await page.fill('[data-table=ops] input[type=search]', '');
    await page.click('[data-table=ops] .table-tools button');
    const csv = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(csv.trim().split('\n').length, wanted.ops.length + 1);
  });

  test('the language changes and stays in the address', async () => {
    await open('#/0/overview', '&lang=zh');
    await page.waitForSelector('[data-testid=verdict]');
    assert.ok((await page.locator('nav').innerText()).includes('时间线'));
    await page.click('[data-testid=language]');
    assert.ok((await page.locator('nav').innerText()).includes('Timeline'));
    assert.ok(page.url().includes('lang=en'));
    await page.click('[data-testid=theme]');
    assert.ok(['light', 'dark'].includes(await page.locator('html').getAttribute('data-theme')));
  });

  test('the longest wait of a cause opens the timeline on it', async () => {
    const [wanted] = report(inputbound);
    await open('#/0/overview');
    await page.waitForSelector('[data-table=idle-causes] .table-row');
    await page.locator('[data-table=idle-causes] .table-row').first().click();
    await page.waitForSelector('[data-testid=selection]');
    const range = await page.evaluate(() => globalThis.stepscopeTimeline.overlay.value.range);
    assert.equal(range.from, wanted.idle_causes[0].longest.start_ns);
    assert.equal(range.to - range.from, wanted.idle_causes[0].longest.ns);
  });

  test('a finding opens its evidence', async () => {
    const shown = await (await server.api('profiles/0/report')).json();
    const finding = shown.findings.find((f) => f.evidence.length > 0);
    assert.equal(shown.findings[0].rule, 'input-bound-step');
    await open('#/0/overview');
    await page.waitForSelector('.findings li');
    assert.equal(await page.locator('.findings li').count(), shown.findings.length);
    await page.locator(`.findings li[data-rule="${finding.rule}"] .evidence a`).first().click();
    await page.waitForSelector('.timeline-page');
    const window = await page.evaluate(() => ({ ...globalThis.stepscopeTimeline.window.value }));
    const { start_ns: start, ns } = finding.evidence[0];
    assert.ok(window.from <= start && window.to >= start + ns, JSON.stringify([window, finding.evidence[0]]));
    if (finding.evidence[0].events.length > 0) await page.waitForSelector('[data-testid=details]');
    assert.deepEqual(page.faults, []);
  });

  test('memory: who holds what at a moment', async () => {
    const index = profiles.findIndex((path) => path.includes('memory_leak'));
    const [wanted] = report(profiles[index]);
    await open(`#/${index}/memory`);
    await page.waitForSelector('[data-table="holders-gpu:0"] .table-row');
    const peak = Number(await page.locator('.tile dd').first().getAttribute('data-raw'));
    assert.equal(peak, wanted.memory[0].peak_allocated_bytes);
    const growth = Number(await page.locator('.tile dd').nth(3).getAttribute('data-raw'));
    assert.equal(growth, 33_554_432);
  });

  test('memory: the pointer, a click and the slider tell who holds what', async () => {
    const index = profiles.findIndex((path) => path.includes('memory_leak'));
    await open(`#/${index}/memory`);
    await page.waitForSelector('[data-table="holders-gpu:0"] .table-row');
    const at = () => page.locator('[data-testid=holders-at]').first().getAttribute('data-ns').then(Number);
    const peak = await at();
    const box = await page.locator('.chart .u-over').first().boundingBox();
    await page.mouse.move(box.x + box.width * 0.25, box.y + 50);
    await page.waitForFunction(
      (old) => Number(document.querySelector('[data-testid=holders-at]').dataset.ns) !== old,
      peak,
    );
    const pointed = await at();
    const api = await (
      await server.api(`profiles/${index}/traces/0/memory?device=gpu:0&at=${Math.round(pointed)}`)
    ).json();
    const first = api.holders.toSorted((a, b) => b.bytes - a.bytes)[0];
    const shown = await page.locator('[data-table="holders-gpu:0"]').innerText();
    assert.ok(shown.includes(first.op), shown);
    await page.locator('.moment input').first().focus();
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.querySelector('[data-testid=holders-at]').dataset.ns === '0');
    assert.deepEqual(page.faults, []);
  });

  test('ops as a tree and as a flame, with the mouse and with keys', async () => {
    await open('#/0/ops');
    await page.click('[role=tab]:has-text("Tree")');
    await page.waitForSelector('[data-table=tree] .table-row');
    const flame = await (await server.api('profiles/0/traces/0/flame?by=stack&metric=host')).json();
    const top = flame.parent
      .map((parent, node) => ({ parent, node }))
      .filter(({ parent }) => parent === 0)
      .toSorted((a, b) => flame.value[b.node] - flame.value[a.node])[0].node;
    const cells = page.locator('[data-table=tree] .table-row').first().locator('[role=cell]');
    assert.ok((await cells.first().innerText()).includes(flame.names[flame.name[top]]));
    assert.equal(await cells.nth(2).getAttribute('data-value'), String(flame.value[top]));
    await page.click('[role=tab]:has-text("Flame graph")');
    await page.waitForSelector('.flame canvas');
    const box = await page.locator('.flame canvas').boundingBox();
    await page.mouse.click(box.x + 20, box.y + 28);
    await page.waitForFunction(() => document.querySelectorAll('.flame-path button').length === 2);
    assert.equal(await page.locator('.flame-path button').nth(1).innerText(), flame.names[flame.name[top]]);
    await page.locator('.flame-path button').first().click();
    await page.mouse.move(0, 0);
    await page.locator('.flame-canvas').focus();
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(
      (name) => document.querySelector('.flame-about strong').textContent === name,
      flame.names[flame.name[top]],
    );
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelectorAll('.flame-path button').length === 2);
    assert.deepEqual(page.faults, []);
  });

  test('two profiles side by side', async () => {
    const [[base], [other]] = [report(profiles[0]), report(profiles[1])];
    await open('#/0/compare?with=1');
    await page.waitForSelector('[data-testid=compare-steps] td[data-ns]');
    const figures = await page
      .locator('[data-testid=compare-steps] tbody tr:first-child td[data-ns]')
      .evaluateAll((cells) => cells.map((cell) => Number(cell.dataset.ns)));
    assert.deepEqual(figures, [base.steps.median_ns, other.steps.median_ns]);
    const compared = diff(profiles[0], profiles[1]);
    assert.equal(
      await page.locator('[data-testid=compare-verdict]').getAttribute('data-result'),
      compared.verdict.result,
    );
    const parts = await page
      .locator('[data-testid=compare-parts] td[data-ns]')
      .evaluateAll((cells) => cells.reduce((sum, cell) => sum + Number(cell.dataset.ns), 0));
    assert.equal(parts, compared.partition.step_delta_ns);
    const cells = await page
      .locator('[data-table=compare-ops] .table-row')
      .first()
      .locator('[role=cell]')
      .evaluateAll((all) => all.map((cell) => Number(cell.dataset.value)));
    const [node] = compared.nodes;
    assert.deepEqual(cells.slice(5, 8), [node.base.median, node.new.median, node.delta.abs]);
    await page.waitForSelector('[data-testid=compare-timelines] canvas');
    await page.waitForSelector('[data-testid=signed-flame] span');
    assert.deepEqual(page.faults, []);
  });

  test('the graph is folded by scope, opened and found by search', async () => {
    const files = [data('tf/deep/run_meta_0.pb'), data('tf/deep/graph.pb')];
    const model = await serve(...files);
    await ready(model);
    await page.goto('about:blank');
    await page.goto(model.at('#/0/graph'));
    await page.waitForSelector('[data-node=resnet]');
    const drawn = () => page.locator('g.node').count();
    const folded = await drawn();
    assert.ok(folded < 20, `${folded} nodes`);
    await page.locator('[data-node=resnet]').focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-node^="resnet/"]');
    const graph = await (await model.api('profiles/0/traces/0/graph')).json();
    const deep = graph.nodes.findLast((node) => node.op === 'Conv2D');
    await page.fill('.graph-page input[type=search]', deep.name);
    await page.keyboard.press('Enter');
    await page.waitForSelector(`[data-node="${deep.name}"].match`);
    await page.locator(`[data-node="${deep.name}"]`).click();
    const details = await page.locator('.graph-details').innerText();
    assert.ok(details.includes('Conv2D') && details.includes(deep.shape), details);
    assert.deepEqual(page.faults, []);
    await page.goto('about:blank');
    await model.stop();
  });

  test('pages without data say what to record', async () => {
    const bare = await serve(example('streams_overlap.pt.trace.json.gz'));
    await ready(bare);
    for (const name of ['memory', 'input', 'graph', 'code']) {
      await page.goto('about:blank');
      await page.goto(bare.at(`#/0/${name}`));
      await page.waitForSelector('.empty');
      assert.ok((await page.locator('.empty').innerText()).length > 60, name);
    }
    await page.goto('about:blank');
    await bare.stop();
  });

  test('works at 1280 and on a tablet', async () => {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 820, height: 1180 },
    ]) {
      await page.setViewportSize(viewport);
      for (const name of ['overview', 'timeline', 'kernels']) {
        await open(`#/0/${name}`);
        await page.waitForSelector(name === 'timeline' ? '.gutter li' : '.table-row');
        await settled(page);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 1, `${name} at ${viewport.width}: ${wide} px too wide`);
      }
    }
    await page.setViewportSize({ width: 1600, height: 900 });
    assert.deepEqual(page.faults, []);
  });

  test('a query is answered, kept in the address, and its rows lead to the timeline', async () => {
    await open('#/0/query');
    await page.waitForSelector('[data-testid=library] option:nth-child(5)', { state: 'attached' });
    await page.fill('[data-testid=sql]', 'SELECT slice_id, dur FROM kernel ORDER BY dur DESC LIMIT 3');
    await page.click('[data-testid=run]');
    await page.waitForSelector('[data-table=query] .table-row:nth-child(3)');
    assert.match(page.url(), /sql=SELECT/);
    const longest = Number(
      (await page.locator('[data-table=query] .table-row').first().innerText()).match(/\d+$/)[0],
    );
    const [told] = report(inputbound);
    assert.ok(told.kernels.some((kernel) => kernel.max_ns === longest));
    await page.locator('[data-table=query] .table-row').first().click();
    await page.waitForSelector('[data-testid=details]');
    await open('#/0/query?sql=SELECT+nme+FROM+slice');
    await page.waitForSelector('.failed');
    assert.match(await page.locator('.failed').innerText(), /did you mean name/);
  });
});
