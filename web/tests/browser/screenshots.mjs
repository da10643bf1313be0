// Writes a picture of every page into a directory (build/screenshots by default): in both languages and both themes, 390, 1280
// and 2560 wide; and index.html, which shows them beside each other. The second argument, an expression, limits it to
// pictures with such a name: 'timeline_.*_zh_dark'.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, newPage } from './chromium.mjs';
import { everyPage, SIGHTS } from './every_page.mjs';
import { root } from './server.mjs';

const [, , out = join(root, 'build/screenshots'), only = ''] = process.argv;
const wanted = new RegExp(only);
mkdirSync(out, { recursive: true });
const browser = await launch();
if (!browser) {
  console.log('SKIPPED: no chromium here');
  process.exit(0);
}
const WIDTHS = { 390: 844, 1280: 800, 2560: 1440 };
const pages = await everyPage(out);
const pictures = [];
for (const theme of ['light', 'dark']) {
  for (const language of ['en', 'zh']) {
    for (const [width, height] of Object.entries(WIDTHS)) {
      const viewport = { width: Number(width), height };
      const page = await newPage(browser, { viewport, colorScheme: theme });
      for (const sight of SIGHTS) {
        const picture = `${sight[0]}_${width}_${language}_${theme}.png`;
        if (!wanted.test(picture)) continue;
        await pages.show(page, sight, language);
        await page.waitForTimeout(300); // charts are drawn when they know their size
        await page.screenshot({ path: join(out, picture), fullPage: !sight[0].startsWith('timeline') });
        pictures.push(picture);
      }
      if (page.faults.length > 0) console.log(page.faults.join('\n'));
      await page.context().close();
    }
  }
}
await pages.stop();
await browser.close();
const shown = pictures
  .toSorted()
  .map((name) => `<figure><img src="${name}" loading="lazy"><figcaption>${name}</figcaption></figure>`);
const style =
  'figure{display:inline-block;margin:4px;vertical-align:top}img{max-height:420px;max-width:640px}';
writeFileSync(join(out, 'index.html'), `<!doctype html><style>${style}</style>${shown.join('\n')}`);
console.log(`${pictures.length} pictures in ${out}`);
