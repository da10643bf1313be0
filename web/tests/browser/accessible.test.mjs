// The page without a mouse and for a screen reader: what Chromium's own accessibility tree says of
// every page, and a walk through each with the Tab key.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { example, has, ready, report, serve, shared } from './server.mjs';
import { laidOut, settled } from './waiting.mjs';

const skip = executable ? false : 'SKIPPED: no chromium here (scripts/setup --dev installs it)';
const profiles = [
  example('resnet50_inputbound.pt.trace.json.gz'),
  shared('h200/resnet50_good.pt.trace.json.gz'),
].filter(has);
const PAGES = ['overview', 'timeline', 'ops', 'kernels', 'memory', 'launches', 'input', 'code', 'compare'];
/** Roles that a person acts on, or is told of, by name. */
const NAMED = new Set([
  'button',
  'link',
  'textbox',
  'searchbox',
  'checkbox',
  'combobox',
  'slider',
  'tab',
  'image',
  'img',
  'dialog',
  'navigation',
  'application',
  'columnheader',
  'progressbar',
  'DisclosureTriangle',
]);

describe('without a mouse', { skip, concurrency: false }, () => {
  let browser;
  let server;
  let page;
  const open = async (name) => {
    await page.goto('about:blank');
    await page.goto(server.at(name === 'start' ? '#/' : `#/0/${name}`));
    await page.waitForSelector(
      name === 'start' ? '.profiles li' : name === 'timeline' ? '.timeline-page' : `[data-page=${name}]`,
    );
    await (name === 'timeline' ? laidOut(page) : settled(page));
  };
  before(async () => {
    browser = await launch();
    server = await serve(...profiles);
    for (const index of profiles.keys()) await ready(server, index);
    page = await newPage(browser);
  });
  after(async () => {
    await page?.goto('about:blank');
    await server?.stop();
    await browser?.close();
  });

  test('everything to act on has a name, and each page its landmarks', async () => {
    const devtools = await page.context().newCDPSession(page);
    for (const name of ['start', ...PAGES]) {
      await open(name);
      const { nodes } = await devtools.send('Accessibility.getFullAXTree');
      const shown = nodes.filter((node) => !node.ignored);
      const nameless = shown
        .filter((node) => NAMED.has(node.role?.value) && !node.name?.value?.trim())
        .map((node) => `${node.role.value} #${node.backendDOMNodeId}`);
      assert.deepEqual(nameless, [], name);
      const roles = shown.map((node) => node.role?.value);
      assert.equal(roles.filter((role) => role === 'main').length, 1, name);
      if (name !== 'start' || profiles.length === 1) assert.ok(roles.includes('navigation'), name);
      // Arrows and stars are not words, so people who cannot see them must hear what they do.
      const signs = shown
        .filter((node) => ['button', 'link'].includes(node.role?.value))
        .map((node) => node.name.value)
        .filter((text) => !/[\p{L}\p{N}]/u.test(text));
      assert.deepEqual(signs, [], name);
    }
    assert.equal(await page.locator('html').getAttribute('lang'), 'en');
    assert.deepEqual(page.faults, []);
  });

  test('Tab goes through every page, always with a focus that can be seen, and out again', async () => {
    for (const name of ['start', ...PAGES]) {
      await open(name);
      const stops = [];
      for (let i = 0; i < 400; ++i) {
        await page.keyboard.press('Tab');
        const stop = await page.evaluate(() => {
          const element = document.activeElement;
          if (!element || element === document.body) return null;
          const { outlineStyle, outlineWidth } = getComputedStyle(element);
          const box = element.getBoundingClientRect();
          globalThis.walked ??= new Map();
          if (!globalThis.walked.has(element)) globalThis.walked.set(element, globalThis.walked.size);
          return {
            id: globalThis.walked.get(element),
            what: `${element.tagName} ${element.className?.baseVal ?? element.className} ${element.textContent.slice(0, 30)}`,
            ring: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
            seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
            order: element.tabIndex,
          };
        });
        if (!stop || stops.some((old) => old.id === stop.id)) break;
        stops.push(stop);
      }
      assert.ok(stops.length >= 4 && stops.length < 400, `${name}: ${stops.length} stops`);
      const wrong = stops.filter((stop) => !stop.ring || !stop.seen || stop.order > 0);
      assert.deepEqual(wrong, [], name);
      assert.ok(stops[0].what.includes('Skip to content'), stops[0].what);
    }
  });

  test('from the list of profiles to the longest wait for input, and its cause, by keys', async (t) => {
    if (profiles.length < 2) return t.skip('SKIPPED: no shared data');
    const [wanted] = report(profiles[0]);
    const focused = (selector) => page.evaluate((s) => document.activeElement.matches(s), selector);
    const tabTo = async (selector) => {
      for (let i = 0; i < 300; ++i) {
        await page.keyboard.press('Tab');
        if (await focused(selector)) return;
      }
      assert.fail(`Tab never came to ${selector}`);
    };
    await open('start');
    await tabTo('.profiles a');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-testid=verdict]');
    await page.waitForSelector('[data-table=idle-causes] .table-row');
    await tabTo('[data-table=idle-causes] .table-row');
    // One stop per table; the arrow keys continue from there.
    const row = () => page.evaluate(() => Number(document.activeElement.getAttribute('aria-rowindex')) - 2);
    assert.equal(await row(), 0);
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement.getAttribute('aria-rowindex') === '3');
    await page.keyboard.press('End');
    await page.waitForFunction(
      (last) => Number(document.activeElement.getAttribute('aria-rowindex')) === last,
      wanted.idle_causes.length + 1,
    );
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement.getAttribute('aria-rowindex') === '2');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-testid=selection]');
    const range = await page.evaluate(() => globalThis.stepscopeTimeline.overlay.value.range);
    assert.equal(range.from, wanted.idle_causes[0].longest.start_ns);
    assert.equal(range.to - range.from, wanted.idle_causes[0].longest.ns);
    assert.deepEqual(page.faults, []);
  });

  test('a table of many rows is walked to its end by keys', async () => {
    const [wanted] = report(profiles[0]);
    await open('kernels');
    await page.locator('[data-table=kernels] .table-row').first().focus();
    const at = (index) =>
      page.waitForFunction(
        (row) => document.activeElement.getAttribute('aria-rowindex') === String(row),
        index + 2,
      );
    await page.keyboard.press('PageDown');
    await page.waitForFunction(() => Number(document.activeElement.getAttribute('aria-rowindex')) > 10);
    await page.keyboard.press('End');
    await at(wanted.kernels.length - 1);
    await page.keyboard.press('ArrowUp');
    await at(wanted.kernels.length - 2);
    await page.keyboard.press('Home');
    await at(0);
    // Enter finds exactly the calls that the row counts.
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /\d/.test(document.querySelector('[data-testid=hits]')?.textContent));
    const name = wanted.kernels[0].name;
    const calls = wanted.kernels.filter((k) => k.name === name).reduce((sum, k) => sum + k.calls, 0);
    const hits = await page.locator('[data-testid=hits]').innerText();
    assert.ok(hits.endsWith(`/ ${calls.toLocaleString('en-US')} hits`), hits);
  });

  test('less motion where that is asked for', async () => {
    const still = await newPage(browser, { reducedMotion: 'reduce' });
    await still.goto(server.at('#/0/overview'));
    await still.waitForSelector('[data-testid=verdict]');
    await settled(still);
    const moving = await still.evaluate(
      () =>
        [...document.querySelectorAll('*')].filter((element) => {
          const { animationName, animationDuration, transitionDuration } = getComputedStyle(element);
          return (animationName !== 'none' && animationDuration !== '0s') || transitionDuration !== '0s';
        }).length,
    );
    assert.equal(moving, 0);
    await still.goto('about:blank');
    await still.context().close();
  });
});
