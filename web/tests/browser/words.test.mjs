// Every page in Chinese: headings and controls are words of that language, and no sentence is left in English. Names of ops,
// files and rules are names in every language.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { everyPage, SIGHTS } from './every_page.mjs';

const skip = executable ? false : 'SKIPPED: no chromium here (scripts/setup --dev installs it)';

/** What of the page is English: sentences anywhere, and headings and controls without a Chinese character. */
function english() {
  for (const details of document.querySelectorAll('details')) details.open = true;
  const found = [];
  const sentence = /(^|\s)[A-Za-z]?[a-z']+( [a-z']+){3,}[\s.,:;?]*/;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (!node.parentElement.closest('script, style, code, textarea') && sentence.test(node.data))
      found.push(node.data.trim());
  }
  for (const name of ['title', 'aria-label', 'placeholder', 'aria-valuetext']) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      if (sentence.test(element.getAttribute(name))) found.push(`${name}: ${element.getAttribute(name)}`);
    }
  }
  // A query's columns have the names that the SQL gives them; marks such as ‹ and × have a label.
  const spoken = 'h2, h3, dt, th, summary, button, [role=columnheader], .legend li, .tabs *, label';
  const names =
    '[data-table=query] *, .findings *, .unchecked *, .pane *, .gutter *, .quiet *, .flame-path *, .breakdown-step *, .graph-details h2, kbd';
  for (const element of document.querySelectorAll(spoken)) {
    const text = element.innerText?.trim() ?? '';
    const plain = /^(SQL|English|Stepscope|CSV|Python|95 %|\.\*)?$/.test(text) || !/[A-Za-z]{3}/.test(text);
    if (plain || /[\u4e00-\u9fff]/.test(text) || element.matches(names) || element.querySelector('code, kbd'))
      continue;
    found.push(`${element.tagName}: ${text}`);
  }
  return [...new Set(found)];
}

describe('in Chinese', { skip, concurrency: false }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'stepscope-words-'));
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

  test('no page has words of another language', async () => {
    const page = await newPage(browser);
    const found = [];
    for (const sight of SIGHTS) {
      await pages.show(page, sight, 'zh');
      for (const text of await page.evaluate(english)) found.push(`${sight[0]}: ${text}`);
    }
    assert.equal(found.join('\n'), '');
    assert.deepEqual(page.faults, []);
  });
});
