// Loads traces into Perfetto's own engine under Node and prints the rows of a query as JSON, a line a trace.
//   node perfetto_query.mjs ENGINE_FOLDER SQL TRACE...
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openEngine } from './perfetto_engine.mjs';

const [folder, sql, ...traces] = process.argv.slice(2);
if (traces.length > 1) {
  // The engine holds one trace: a process each.
  for (const trace of traces) {
    const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), folder, sql, trace], { encoding: 'utf8' });
    process.stdout.write(child.stdout);
    process.stderr.write(child.stderr);
    if (child.status !== 0) process.exit(1);
  }
  process.exit(0);
}
const engine = await openEngine(folder);
engine.load(traces[0]);
console.log(JSON.stringify(engine.query(sql)));
