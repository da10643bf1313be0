// Feeds a trace to Perfetto's engine under Node and prints how long it took and how many spans it holds.
//   node perfetto_child.mjs ENGINE_FOLDER TRACE
import { openEngine } from '../../bench/peers/perfetto_engine.mjs';

const [folder, trace] = process.argv.slice(2);
const engine = await openEngine(folder);
const began = performance.now();
engine.load(trace);
const seconds = (performance.now() - began) / 1000;
const slices = engine.query('select count(*) as slices from slice')[0].slices;
console.log(JSON.stringify({ seconds, slices }));
