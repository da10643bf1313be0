// Starts `stepscope serve` and stops it again; finds the program and the profiles of this checkout.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
export const stepscope = process.env.STEPSCOPE ?? join(root, 'build/release/stepscope');
export const example = (name) => join(root, 'examples', name);
/** A file of tests/data, or of an archive there, which scripts/in-web unpacks. */
export function data(name) {
  const places = [join(root, 'tests/data', name), join(root, 'build/data', name)];
  const found = places.find((path) => existsSync(path));
  if (!found) throw new Error(`test data is missing: ${places[0]}`);
  return found;
}
/** Bytes of memory that a process holds. */
export const resident = (pid) =>
  Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]) * 1024;

/** {address, token, stop()}; the address is the one that was printed. */
export async function serve(...args) {
  const child = spawn(stepscope, ['serve', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // A test that fails leaves its server behind: it neither keeps this process waiting nor outlives it.
  child.unref();
  process.once('exit', () => child.kill('SIGKILL'));
  let text = '';
  const address = await new Promise((done, failed) => {
    child.stdout.on('data', (part) => {
      text += part;
      const line = text.split('\n').find((l) => l.startsWith('http://'));
      if (line && text.includes('\n')) done(line.trim());
    });
    child.on('exit', (code) => failed(new Error(`stepscope serve ended with ${code}`)));
  });
  const url = new URL(address);
  return {
    address,
    pid: child.pid,
    printed: () => text,
    token: url.searchParams.get('token') ?? '',
    at: (hash, search = '') => `${address}${search}${hash}`,
    api: async (path) => {
      const response = await fetch(`${url.origin}/api/${path}`, {
        headers: { 'X-Stepscope-Token': url.searchParams.get('token') ?? '' },
      });
      return response;
    },
    stop: () =>
      new Promise((done) => {
        const began = performance.now();
        child.ref();
        child.removeAllListeners('exit');
        child.on('exit', (code, signal) => done({ code, signal, ms: performance.now() - began }));
        child.kill('SIGINT');
      }),
  };
}

export function report(...paths) {
  const text = execFileSync(stepscope, ['report', '--json', ...paths], { maxBuffer: 1 << 30 });
  const answer = JSON.parse(text);
  return answer.reports ?? [answer];
}

/** Two profiles compared. */
export function diff(base, other) {
  const text = execFileSync(stepscope, ['diff', '--json', base, other], { maxBuffer: 1 << 30 });
  return JSON.parse(text);
}

/** The findings, in order, of the first trace of a profile. */
export function findingsOf(...paths) {
  const text = execFileSync(stepscope, ['advise', '--json', ...paths], { maxBuffer: 1 << 30 });
  const answer = JSON.parse(text);
  return (answer.advices?.[0] ?? answer).findings;
}

export async function ready(server, profile = 0, seconds = 60) {
  for (let i = 0; i < seconds * 20; ++i) {
    const state = await (await server.api('session')).json();
    const one = state.profiles[profile];
    if (one?.state === 'waiting') await server.api(`profiles/${profile}/open`);
    if (one?.state === 'ready') return state;
    if (one?.state === 'failed') throw new Error(one.error.sentence);
    await new Promise((r) => setTimeout(r, 50));
  }
  throw new Error('the profile was not read in time');
}
