// The gestures of the timeline, one by one (docs/page.md lists them beside Perfetto's), and what once went wrong with them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { example, ready, report, serve } from './server.mjs';
import { addedUp, addressRests, laidOut, settled } from './waiting.mjs';

const skip = executable ? false : 'SKIPPED: no chromium here (scripts/setup --dev installs it)';
const inputbound = example('resnet50_inputbound.pt.trace.json.gz');

describe('gestures', { skip, concurrency: false }, () => {
  let browser;
  let server;
  let page;
  const open = async (query = '') => {
    await page.goto('about:blank');
    await page.goto(server.at(`#/0/timeline${query}`));
    await laidOut(page);
  };
  const look = (fn, arg) =>
    page.evaluate(
      ([text, value]) =>
        new Function('view', 'value', `return (${text})(view, value)`)(globalThis.stepscopeTimeline, value),
      [fn.toString(), arg],
    );
  const window = () => look((view) => ({ ...view.window.value }));
  const canvas = () => page.locator('.canvas-host').boundingBox();
  /** A glide has ended: the window is the same in two frames. */
  const rests = () =>
    page.waitForFunction(
      () => {
        const { from, to } = globalThis.stepscopeTimeline.window.value;
        const same = globalThis.lastSeen === `${from}/${to}`;
        globalThis.lastSeen = `${from}/${to}`;
        return same;
      },
      null,
      { polling: 100 },
    );

  before(async () => {
    browser = await launch();
    server = await serve(inputbound);
    await ready(server);
    page = await newPage(browser, { viewport: { width: 1400, height: 700 } });
  });
  after(async () => {
    await page?.goto('about:blank');
    await server?.stop();
    await browser?.close();
  });

  test('pinned tracks stay while the wheel over the names scrolls the others', async () => {
    const line = await (async () => {
      await open();
      return look((view) => view.rows.value.find((row) => row.title.startsWith('stream 7')).key);
    })();
    await open(`?pin=${line}`);
    const top = () =>
      look((view, key) => view.topOf(view.rows.value.find((row) => row.key === key && row.pinned)), line);
    const before = await top();
    const names = await page.locator('.gutter').boundingBox();
    await page.mouse.move(names.x + 40, names.y + 200);
    await page.mouse.wheel(0, 150);
    await page.waitForFunction(() => globalThis.stepscopeTimeline.scroll.value > 0);
    assert.equal(await top(), before);
    const shown = await page.locator('.gutter-pinned li.line').first().boundingBox();
    assert.ok(shown.y >= names.y - 1, 'the name of the pinned track is in sight');
    // What is under the pointer there is the pinned track, not what has scrolled behind it.
    const under = await look((view, y) => view.rowAt(y).pinned, before + 4);
    assert.equal(under, true);
  });

  test('W and S zoom around the pointer, Ctrl-wheel on the axis too', async () => {
    await open();
    const box = await canvas();
    const x = Math.round(box.width * 0.25);
    await page.mouse.move(box.x + x, box.y + 60);
    const before = await look((view, at) => view.timeAt(at), x);
    await page.keyboard.press('w');
    const after = await look((view, at) => view.timeAt(at), x);
    const { from, to } = await window();
    assert.ok(Math.abs(after - before) < (to - from) / 500, `${before} became ${after}`);
    await page.keyboard.press('s');
    const axis = await page.locator('.axis').boundingBox();
    await page.mouse.move(axis.x + x, axis.y + 8);
    const there = await look((view, at) => view.timeAt(at), x);
    const wide = await window();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -400);
    await page.keyboard.up('Control');
    await rests();
    const narrow = await window();
    assert.ok(narrow.to - narrow.from < (wide.to - wide.from) * 0.8, 'it zoomed');
    const still = await look((view, at) => view.timeAt(at), x);
    assert.ok(Math.abs(still - there) < (narrow.to - narrow.from) / 200, `${there} became ${still}`);
  });

  test('a strip of all tracks shows that there is more, and scrolls', async () => {
    await open();
    const bar = page.locator('.lines-scrollbar');
    assert.ok(await page.locator('.lines-thumb').isVisible());
    const box = await bar.boundingBox();
    await page.mouse.click(box.x + 7, box.y + box.height - 4);
    await page.waitForFunction(() => globalThis.stepscopeTimeline.scroll.value > 0);
    await bar.focus();
    const at = await look((view) => view.scroll.value);
    await page.keyboard.press('ArrowUp');
    assert.ok((await look((view) => view.scroll.value)) < at);
  });

  test('names and details are resized with the mouse and with keys', async () => {
    await open();
    const names = page.locator('.splitter.upright');
    const width = async () => (await page.locator('.gutter-column').boundingBox()).width;
    const before = await width();
    const box = await names.boundingBox();
    await page.mouse.move(box.x + 2, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 82, box.y + 100, { steps: 4 });
    await page.mouse.up();
    assert.ok(Math.abs((await width()) - before - 80) < 3, String(await width()));
    await names.focus();
    await page.keyboard.press('ArrowLeft');
    assert.ok((await width()) < before + 80);
    await page.evaluate(() => localStorage.clear());
  });

  test('a click on a step selects it, two zoom to it', async () => {
    const [wanted] = report(inputbound);
    await open();
    const step = wanted.steps.items[1];
    await page.locator('.axis-step').nth(1).click();
    await addedUp(page);
    const range = await look((view) => view.overlay.value.range);
    assert.equal(range.from, step.start_ns);
    assert.equal(range.to - range.from, step.duration_ns);
    await page.locator('.axis-step').nth(1).dblclick();
    const { from, to } = await window();
    assert.ok(from < step.start_ns && to > step.start_ns + step.duration_ns);
    assert.ok(to - from < step.duration_ns * 1.1);
  });

  test('an area counts only the tracks it crosses, by name, kind and op', async () => {
    await open();
    const area = await look((view) => {
      const row = view.rows.value.find((r) => r.title.startsWith('stream 7'));
      return { y: view.topOf(row), height: row.height, key: row.key };
    });
    const box = await canvas();
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + 150, box.y + area.y + 4);
    await page.mouse.down();
    await page.mouse.move(box.x + 700, box.y + area.y + area.height - 4, { steps: 6 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await addedUp(page);
    const range = await look((view) => view.overlay.value.range);
    assert.deepEqual(range.keys, [area.key]);
    const ask = (by) =>
      server
        .api(
          `profiles/0/traces/0/selection?from=${Math.floor(range.from)}&to=${Math.ceil(range.to)}&lines=${area.key.split('.')[1]}&by=${by}`,
        )
        .then((answer) => answer.json());
    const sum = (answer, field) => answer.rows.reduce((all, row) => all + row[field], 0);
    const [byName, byKind, byOp] = await Promise.all(['name', 'kind', 'op'].map(ask));
    assert.equal(sum(byKind, 'total_ns'), sum(byName, 'total_ns'));
    assert.equal(sum(byOp, 'total_ns'), sum(byName, 'total_ns'));
    assert.equal(sum(byKind, 'self_ns'), sum(byName, 'self_ns'));
    const kinds = await page
      .locator('[data-table=selection] .table-row [role=cell]:nth-child(2)')
      .allInnerTexts();
    assert.ok(kinds.length > 0 && kinds.every((kind) => kind !== 'framework op'), kinds.join());
    await page.selectOption('[data-testid=group-by]', 'op');
    await page.waitForFunction(() =>
      document.querySelector('[data-table=selection]')?.innerText.includes('framework op'),
    );
    await addressRests(page);
    assert.ok(page.url().includes('by=op') && page.url().includes('on='));
    const address = page.url();
    await page.goto('about:blank');
    await page.goto(address);
    await laidOut(page);
    await page.waitForSelector('[data-testid=selection]');
    assert.deepEqual(await look((view) => view.overlay.value.range.keys), [area.key]);
  });

  test('edges snap to spans and steps', async () => {
    const [wanted] = report(inputbound);
    await open();
    const step = wanted.steps.items[1];
    const x = await look((view, time) => view.xOf(time), step.start_ns);
    const near = await look((view, at) => view.snap(at + 4, -1), x);
    assert.deepEqual(near, { time: step.start_ns, snapped: true });
    const far = await look((view, at) => view.snap(at + 30, -1), x);
    assert.equal(far.snapped, false);
  });

  test('a mark keeps its note in the address', async () => {
    const [wanted] = report(inputbound);
    const { start_ns: from, ns } = wanted.idle_causes[0].longest;
    await open(`?a=${from}&b=${from + ns}`);
    await page.waitForSelector('[data-testid=selection]');
    await page.keyboard.press('m');
    await page.click('.marks summary');
    await page.fill('.marks input', 'the loader starves it');
    await addressRests(page);
    const address = page.url();
    await page.goto('about:blank');
    await page.goto(address);
    await laidOut(page);
    const [mark] = await look((view) => view.overlay.value.marks);
    assert.equal(mark.note, 'the loader starves it');
    assert.equal(mark.from, from);
  });

  test('g goes to a step or a time; nonsense is refused', async () => {
    const [wanted] = report(inputbound);
    await open();
    const step = wanted.steps.items[2];
    await page.keyboard.press('g');
    await page.keyboard.type(`step ${step.number}`);
    await page.keyboard.press('Enter');
    const { from, to } = await window();
    assert.ok(
      from < step.start_ns && to > step.start_ns + step.duration_ns && to - from < step.duration_ns * 1.1,
    );
    await page.keyboard.press('g');
    await page.fill('.jump input', '500 ms');
    await page.keyboard.press('Enter');
    const there = await window();
    assert.ok(Math.abs((there.from + there.to) / 2 - 500e6) < 10);
    await page.keyboard.press('g');
    await page.fill('.jump input', 'nowhere');
    await page.keyboard.press('Enter');
    assert.ok(await page.locator('.jump [role=alert]').isVisible());
    assert.deepEqual(await window(), there);
  });

  test('"zoom in" goes away when one has zoomed in; what is picked is said aloud', async () => {
    await open();
    // Spans too close to tell apart, once their tiles are there.
    const found = await page.waitForFunction(() => {
      const view = globalThis.stepscopeTimeline;
      for (const row of view.rows.value) {
        if (row.kind !== 'line' || row.info.kind !== 'track') continue;
        for (let y = view.topOf(row) + 10; y < view.topOf(row) + row.height && y < view.height; y += 17) {
          for (let x = 2; x < view.width; x += 3) {
            const hit = view.hit(x, y);
            if (hit?.block.count[hit.item] > 1) return { x, y };
          }
        }
      }
      return null;
    });
    const spot = await found.jsonValue();
    const box = await canvas();
    await page.mouse.click(box.x + spot.x, box.y + spot.y);
    await page.waitForSelector('[data-testid=details]');
    const name = await page.locator('[data-testid=details] h3').innerText();
    assert.ok((await page.locator('[data-testid=said]').textContent()).startsWith(name.trim()));
    assert.ok((await page.locator('.pane').innerText()).includes('too close to tell apart'));
    await page.keyboard.press('f');
    await page.waitForFunction(() => !document.querySelector('.pane').innerText.includes('too close'));
  });

  test('the tracks are one stop of the Tab key; arrows go from track to track and along its buttons', async () => {
    await open();
    const stops = await page
      .locator('.gutter button')
      .evaluateAll((all) => all.filter((button) => button.tabIndex === 0).length);
    assert.equal(stops, 1);
    await page.locator('.gutter button[tabindex="0"]').focus();
    const line = () => page.evaluate(() => document.activeElement.closest('[data-line]')?.dataset.line);
    const first = await line();
    const before = await window();
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(
      (old) => document.activeElement.closest('[data-line]')?.dataset.line !== old,
      first,
    );
    const second = await line();
    await page.keyboard.press('ArrowRight');
    assert.equal(await line(), second);
    assert.deepEqual(await window(), before, 'arrows on names do not move the time');
  });

  test('tracks regroup, and the address keeps it', async () => {
    await open();
    await page.selectOption('select[aria-label="How tracks are grouped"]', 'kind');
    const groups = () =>
      look((view) => view.rows.value.filter((row) => row.kind === 'group').map((row) => row.title));
    assert.deepEqual((await groups()).slice(0, 3), ['Idle time', 'Device streams', 'Threads']);
    assert.ok(page.url().includes('group=kind'));
  });

  test('groups with next to nothing in them begin folded', async () => {
    await open();
    const folded = await look((view) =>
      view.rows.value.filter((row) => row.kind === 'group' && row.folded).map((row) => row.title),
    );
    assert.ok(folded.includes('Traces'), folded.join());
  });

  test('the critical path is a track whose parts are the report’s', async () => {
    const [{ critical_path: wanted, steps }] = report(inputbound);
    assert.equal(wanted.host_ns + wanted.device_ns + wanted.delay_ns, wanted.ns);
    assert.equal(wanted.ns, steps.items.find((step) => step.number === wanted.step).duration_ns);
    await open();
    await page.waitForFunction(() => globalThis.stepscopeTimeline.paths.get(0) !== null);
    const drawn = await look((view) => view.paths.get(0).extent.reduce((sum, ns) => sum + ns, 0));
    assert.equal(drawn, wanted.ns);
    assert.equal(await look((view) => view.rows.value[0].title), 'critical path of the median step');
  });

  test('a double click in the flame graph finds the calls of what was clicked', async () => {
    await page.goto('about:blank');
    await page.goto(server.at('#/0/ops?as=flame'));
    await page.waitForSelector('.flame canvas');
    await settled(page);
    const flame = await (await server.api('profiles/0/traces/0/flame?by=stack&metric=host')).json();
    const top = flame.parent
      .map((parent, node) => ({ parent, node }))
      .filter(({ parent }) => parent === 0)
      .toSorted((a, b) => flame.value[b.node] - flame.value[a.node])[0].node;
    const box = await page.locator('.flame canvas').boundingBox();
    await page.mouse.dblclick(box.x + 20, box.y + 28);
    await page.waitForFunction(() => /\d/.test(document.querySelector('[data-testid=hits]')?.textContent));
    const said = await page.locator('.search input[type=search]').inputValue();
    const name = flame.names[flame.name[top]];
    assert.ok(said.replaceAll('\\', '').includes(name), `${said} of ${name}`);
  });

  test('nothing went wrong on the way', () => {
    assert.deepEqual(page.faults, []);
  });
});
