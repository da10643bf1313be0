// axe-core on every page, in both themes and at the width of a telephone and of a desk: nothing serious, nothing critical.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { everyPage, SIGHTS } from './every_page.mjs';

const skip = executable ? false : 'SKIPPED: no chromium here (scripts/setup --dev installs it)';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

describe('axe', { skip, concurrency: false }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'stepscope-axe-'));
  let browser;
  let pages;
  before(async () => {
    browser = await launch();
    pages = await everyPage(folder);
  });
  after(async () => {
    await browser?.close();
    await pages?.stop();
    rmSync(folder, { recursive: true });
  });

  for (const [theme, width, language] of [
    ['light', 1280, 'en'],
    ['dark', 1280, 'zh'],
    ['light', 390, 'zh'],
  ]) {
    test(`every page, ${theme}, ${width} pixels, ${language}`, async () => {
      const viewport = { width, height: 800 };
      // The page's policy forbids scripts that are not its own; axe is one.
      const page = await newPage(browser, { viewport, colorScheme: theme, bypassCSP: true });
      const found = [];
      for (const sight of SIGHTS) {
        await pages.show(page, sight, language);
        await page.evaluate(axe);
        const { violations } = await page.evaluate(
          (values) => globalThis.axe.run(document, { runOnly: { type: 'tag', values } }),
          RULES,
        );
        for (const { id, impact, nodes } of violations) {
          if (!['serious', 'critical'].includes(impact) && !process.env.AXE_ALL) continue;
          found.push(
            `${sight[0]}: ${impact} ${id} on ${nodes.map((node) => node.html.slice(0, 160)).slice(0, 3)}`,
          );
        }
      }
      assert.equal(found.join('\n'), '');
      assert.deepEqual(page.faults, []);
      await page.context().close();
    });
  }
});
