// Feeds a trace to Perfetto's engine under Node and prints how long it took and how many spans it holds.
//   node perfetto_child.mjs ENGINE_FOLDER TRACE
import { openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';

const [engine, trace] = process.argv.slice(2);
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
    data: new Uint8Array(
      field(1, Buffer.concat([varint(8), varint(++sequence), varint(16), varint(method), ...fields])),
    ),
  });

const began = performance.now();
const file = openSync(trace, 'r');
const chunk = Buffer.alloc(32 << 20);
for (let got = readSync(file, chunk); got > 0; got = readSync(file, chunk)) {
  request(1, field(101, chunk.subarray(0, got)));
}
request(2);
const seconds = (performance.now() - began) / 1000;
replies.length = 0;
request(3, field(103, field(1, Buffer.from('select count(*) from slice'))));

/** Fields of a message as [number, value]; bytes stay bytes. */
function* fields(message) {
  let at = 0;
  const read = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = read();
    if (tag % 8 === 0) yield [Math.floor(tag / 8), read()];
    else if (tag % 8 === 2) {
      const length = read();
      at += length;
      yield [Math.floor(tag / 8), message.subarray(at - length, at)];
    } else return;
  }
}
const inside = (message, number) =>
  [...fields(message)].filter(([n]) => n === number).map(([, value]) => value);
let slices = 0;
for (const rpc of inside(Buffer.concat(replies), 1)) {
  for (const result of inside(rpc, 203)) {
    for (const batch of inside(result, 3)) {
      for (const cells of inside(batch, 2)) {
        let scale = 1;
        for (const byte of cells) {
          slices += (byte & 127) * scale;
          scale *= 128;
        }
      }
    }
  }
}
console.log(JSON.stringify({ seconds, slices }));
