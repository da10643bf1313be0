// Every number of the overview against `report --json`, and every page of it without a fault: over the shipped examples and
// a few recordings of tests/data. STEPSCOPE_SWEEP=1 takes all of those, and all below STEPSCOPE_DATA (make test-web-all).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { compareOverview } from './numbers.mjs';
import { data, findingsOf, ready, report, root, serve, stepscope } from './server.mjs';
import { patience, settled } from './waiting.mjs';

const skip = executable ? false : 'SKIPPED: no chromium here (scripts/setup --dev installs it)';
const sweep = process.env.STEPSCOPE_SWEEP === '1';
const PAGES = ['timeline', 'ops', 'kernels', 'memory', 'launches', 'input', 'graph', 'code', 'compare'];

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** Files that `report` can read: nothing else is asked which of them are profiles. */
function readable(files) {
  return files.filter((file) => {
    try {
      execFileSync(stepscope, ['report', '--json', file], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

const few = [
  'h200/resnet50_good.pt.trace.json.zst',
  'h200/gpt2_modules.pt.trace.json.zst',
  'h200/gpt2_cudagraphs.pt.trace.json.zst',
  'h200/memory_leak.pt.trace.json.zst',
  'h200/ort_mobilenet.json.zst',
  'h200/jax_mlp.trace.json.zst',
  'h200/jax_mlp.xplane.pb.zst',
  'tf/gpu/run_meta_0.pb',
  'tf/gpu/timeline_py/run_meta_0.flow1.mem1.schedule.json',
  'rules/comm-exposed.bad.r0.json.zst',
  'rules/kernel-launch-bound.bad.t.json.zst',
  'rules/input-bound-step.bad.xplane.pb.zst',
].map(data);
const examples = readable(filesBelow(join(root, 'examples')));
// The cases below tf/ are the same few runs written a thousand times with other options.
const folders = ['h200', 'rules', 'tf', 'tf_xplane'].map(data);
if (process.env.STEPSCOPE_DATA) folders.push(process.env.STEPSCOPE_DATA);
const others = sweep
  ? readable(folders.flatMap(filesBelow).filter((file) => !file.includes('/cases/')))
  : few;
const profiles = [...examples, ...others];

describe('numbers on the page', { skip, concurrency: false }, () => {
  let browser;
  let server;
  let page;
  before(async () => {
    browser = await launch();
    server = await serve(...profiles);
    page = await newPage(browser);
    await page.goto(server.address);
  });
  after(async () => {
    const end = await server?.stop();
    await browser?.close();
    assert.equal(end.code, 0);
    assert.ok(end.ms < 1000 * patience(), `Ctrl-C took ${end.ms} ms`);
  });
  const open = (index, name) =>
    page.evaluate((hash) => {
      location.hash = hash;
    }, `#/${index}/${name}`);

  for (const [index, path] of profiles.entries()) {
    test(`${path.slice(root.length + 1)} of ${profiles.length}`, async () => {
      await ready(server, index);
      await open(index, 'overview');
      await page.waitForFunction((name) => document.title.startsWith(name), path.split('/').at(-1));
      await compareOverview(page, report(path)[0], findingsOf(path));
      for (const name of PAGES) {
        await open(index, name);
        await page.waitForSelector(name === 'timeline' ? '.timeline-page' : `[data-page=${name}]`);
        await settled(page);
        assert.equal(await page.locator('.failed').count(), 0, name);
      }
      assert.deepEqual(page.faults, []);
    });
  }
});
