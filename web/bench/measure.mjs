// What the measurements of the page share: rows of the table, percentiles, chance that is the same in every run, large traces.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { data, root } from '../tests/browser/server.mjs';

export const events = Number(process.env.BENCH_WEB_EVENTS ?? 10_000_000);
export const folder = process.env.BENCH_DIR ?? join(root, 'build/bench/data');
export const quiet = loadavg()[0] < cpus().length;

export const percentile = (values, p) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))];
export const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
export const MB = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
export const many = (value) => value.toLocaleString('en-US');

export function head() {
  const machine = `${cpus().length} cores (${cpus()[0].model}), load ${loadavg()[0].toFixed(1)}`;
  console.log(`machine: ${machine}${quiet ? '' : ', busy with other work'}; ${many(events)} events`);
  console.log('| measured | result | must reach | met |\n|---|---|---|---|');
}

export function row(what, measured, must, met) {
  console.log(`| ${what} | ${measured} | ${must} | ${met === null ? '–' : met ? 'yes' : 'NO'} |`);
}

/** A trace made out of a real one by repeating its steps. */
export function trace(name, bytes) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  if (!existsSync(file)) {
    const make = join(root, 'build/bench/bench/make_trace');
    execFileSync(make, [data('h200/resnet50_good.pt.trace.json.zst'), file, String(bytes)]);
  }
  return file;
}

/** The trace of `events` events: about 330 bytes each. */
export const largeTraceFile = () => trace(`web_${events}.json`, events * 330);

export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
