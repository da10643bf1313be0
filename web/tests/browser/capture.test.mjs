// The dialog that takes a profile of a running program: targets, progress, the profile that opens, and what fails.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { executable, launch, newPage } from './chromium.mjs';
import { data, example, ready, root, serve } from './server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'stepscope-capture-'));

/** A JAX program's profiler server, as tests/capture has it: {address, stop()}. */
async function profilerServer() {
  const program = `
import subprocess, sys
sys.path.insert(0, ${JSON.stringify(join(root, 'tests/capture'))})
from fake_profiler_server import FakeProfilerServer
profile = subprocess.run(["zstd", "-dc", ${JSON.stringify(data('h200/jax_mlp.xplane.pb.zst'))}], check=True, capture_output=True).stdout
with FakeProfilerServer(profile) as server:
    print(server.address, flush=True)
    sys.stdin.read()
`;
  const child = spawn('python3', ['-c', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const address = await new Promise((done, failed) => {
    child.stdout.once('data', (text) => done(String(text).trim()));
    child.once('exit', (code) => failed(new Error(`the fake server ended with ${code}`)));
  });
  child.removeAllListeners('exit');
  return { address, stop: () => child.stdin.end() };
}

describe('the capture dialog', { skip: !executable && 'no Chromium here', concurrency: false }, () => {
  let browser;
  let server;
  let program;
  before(async () => {
    browser = await launch();
    program = await profilerServer();
    const here = process.cwd();
    process.chdir(folder); // captured profiles go to the folder of the server
    server = await serve(example('streams_overlap.pt.trace.json.gz'));
    process.chdir(here);
    await ready(server);
  });
  after(async () => {
    await browser.close();
    program.stop();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const open = async () => {
    const page = await newPage(browser);
    await page.goto(server.address);
    await page.getByTestId('capture').click();
    await page.locator('dialog.capture').waitFor();
    return page;
  };

  test('takes a profile, says what it waits for and opens the profile', async () => {
    const page = await open();
    const dialog = page.locator('dialog.capture');
    await dialog.locator('input[name=target]').fill(program.address);
    await dialog.locator('input[name=for]').fill('700ms');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.waitForFunction(() => document.querySelector('dialog.capture [role=status]')?.textContent);
    assert.ok(await dialog.getByRole('button', { name: 'Start' }).isDisabled());
    await dialog.waitFor({ state: 'detached' });
    const state = await ready(server, 1);
    assert.equal(state.profiles.length, 2);
    assert.match(await page.evaluate(() => location.hash), /\/1\/|=1|#1/);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

  test('a target that is none, and one where nobody listens: a sentence and the next step', async () => {
    const page = await open();
    const dialog = page.locator('dialog.capture');
    await dialog.locator('input[name=target]').fill('nonsense');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.waitForFunction(() =>
      document.querySelector('dialog.capture [role=alert]')?.textContent.includes('is no target'),
    );
    await dialog.locator('input[name=target]').fill('127.0.0.1:1');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.waitForFunction(() =>
      document.querySelector('dialog.capture [role=alert]')?.textContent.includes('Next:'),
    );
    assert.ok(await dialog.getByRole('button', { name: 'Start' }).isEnabled());
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('is not there with --no-capture', async () => {
    const quiet = await serve('--no-capture', example('streams_overlap.pt.trace.json.gz'));
    await ready(quiet);
    const page = await newPage(browser);
    await page.goto(quiet.address);
    await page.locator('main').waitFor();
    assert.equal(await page.getByTestId('capture').count(), 0);
    await page.context().close();
    await quiet.stop();
  });
});
