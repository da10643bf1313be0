// A recording of a plain Python program: one profile in the list, and the lines of Python on its page of code.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { ready, report, serve, stepscope } from './server.mjs';

const PROGRAM = `
import time
def spin(until):
    while time.monotonic() < until:
        sum(range(200))
spin(time.monotonic() + 1)
`;

const skip = executable ? false : 'SKIPPED: no chromium here (scripts/setup --dev installs it)';

describe('a recording', { skip, concurrency: false }, () => {
  let browser;
  let folder;
  let page;
  let run;
  let server;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'stepscope-recording-'));
    run = join(folder, 'run');
    execFileSync(stepscope, ['record', '--quiet', '--out', run, '--', 'python3', '-c', PROGRAM]);
    browser = await launch();
    server = await serve(run);
    await ready(server);
    page = await newPage(browser);
  });
  after(async () => {
    await server?.stop();
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  test('shows the lines of Python that took the time', async () => {
    const [wanted] = report(run);
    const first = wanted.python[0];
    assert.equal(first.function, 'spin');
    await page.goto(`${server.address}#/0/code`);
    const row = page.locator('.card [role="row"]', { hasText: first.function }).first();
    await row.waitFor();
    assert.match(await row.innerText(), new RegExp(String(first.samples)));
  });
});
