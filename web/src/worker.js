// The worker: reading, ordering and counting in WebAssembly, one request after the other.
import {Decompress, decompress} from 'fzstd';
import {Memory, unpackedName} from './memory.js';
import 'wasm_exec'; // Go's own, from the Go that compiled the program

const memory = new Memory();
globalThis.fs = memory.fs();

const started = new Promise(resolve => {
  globalThis.shadeonceReady = resolve;
});

function decoded(text) {
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function start({module, packed}) {
  // Compiled once; after Cancel the next worker gets the module.
  module ??= await WebAssembly.compile(decompress(decoded(packed)));
  const go = new Go();
  const end = () => self.postMessage({ended: 'The program ended, most likely for lack of memory.'});
  go.run(await WebAssembly.instantiate(module, go.importObject)).then(end, end);
  await started;
  return {module};
}

// unpacked unpacks what Zstandard packed; the program itself unpacks gzip. The limit is that of the
// command line.
function unpacked({name, bytes}) {
  if (bytes.length < 4 || new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) !== 0xfd2fb528) return {name, bytes};
  const limit = (64 << 20) + 100 * bytes.length, parts = [];
  let size = 0;
  const stream = new Decompress(part => {
    size += part.length;
    if (size > limit) throw new Error('unpacks to far more than its size allows; unpack it yourself if you trust it');
    parts.push(part);
  });
  try {
    for (let at = 0; at < bytes.length; at += 1 << 16) stream.push(bytes.subarray(at, at + (1 << 16)), at + (1 << 16) >= bytes.length);
  } catch (error) {
    throw new Error(`${name}: ${error.message.startsWith('unpacks') ? '' : 'cannot be unpacked (.zst): '}${error.message}`);
  }
  const all = new Uint8Array(size);
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return {name: unpackedName(name), bytes: all};
}

// execute passes a request on. Files are {name, bytes}; they lie in /in, side by side.
async function execute({request, files}, id) {
  const run = await started;
  if (files) {
    for (const path of [...memory.files.keys()]) if (path.startsWith('/in/')) memory.files.delete(path);
    for (const file of files) {
      const {name, bytes} = unpacked(file);
      memory.put('/in/' + name, bytes);
    }
    if (request.path) request.path = unpackedName(request.path);
  }
  let last = -1;
  const told = share => {
    if (share - last >= 0.01) self.postMessage({id, share: last = share});
  };
  return new Promise((resolve, reject) => {
    run(JSON.stringify(request), told, (error, value, lists) => {
      if (error !== null) return reject(new Error(error));
      const answer = {value: JSON.parse(value), lists};
      if (request.do === 'save') answer.lists = {file: memory.take(request.path)};
      resolve(answer);
    });
  });
}

let turn = Promise.resolve();
self.onmessage = ({data}) => {
  turn = turn.then(async () => {
    try {
      const answer = await (data.start ? start(data.start) : execute(data, data.id));
      const lists = Object.values(answer.lists ?? {});
      self.postMessage({id: data.id, answer}, lists.filter(l => l.byteLength === l.buffer.byteLength).map(l => l.buffer));
    } catch (error) {
      self.postMessage({id: data.id, error: error.message});
    }
  });
};
