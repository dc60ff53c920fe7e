// What the page's own code makes of small inputs, a line each: links, the panels' texts, files in memory, coarse meshes, the divider, and requests to a worker.
const say = (what, value) => console.log(what + ': ' + JSON.stringify(value, (_, v) =>
  (typeof v === 'number' ? Number(v.toFixed(4)) : ArrayBuffer.isView(v) ? Array.from(v) : v)));
globalThis.document = {
  createElement: tag => ({tag, parts: [], style: {}, append(...all) { this.parts.push(...all); }, toJSON() { return [tag, this.textContent, this.style.cssText, ...this.parts].filter(Boolean); }}),
};
const [{readLink, writeLink}, panels, {Memory, unpackedName}, {coarseOf}, {connectDivider}, {Engine}] = await Promise.all(
  ['link', 'panels', 'memory', 'coarse', 'divider', 'engine'].map(name => import(new URL(`../../src/${name}.js`, import.meta.url))));

const first = {scene: 'knot', strategy: 'claim', divider: 0.5, edges: false, vertex: '', left: 1};
const known = {strategy: ['claim', 'hash'], left: [1, 2]};
for (const link of ['', 'strategy=hash&edges=true&vertex=12', 'strategy=fast&left=3&left=2', 'divider=7&other=1', 'divider=-1&vertex=x', 'vertex=2.5', 'scene=a%3Ab&edges=yes&left=']) {
  const state = readLink(link, first, known);
  say(link, [state, writeLink(state, first)]);
}
say('written', writeLink({...first, scene: 'asset:a,b', divider: 0.25}, first));

const row = (...h) => ({Invocations: 12345, Reuse: 0.5, ACMR: 1, ATVR: 2, LaneUtilization: h[0] ? 0.755 : 0, Histogram: h, Referenced: 40});
const palette = {labels: ['a', 'b', 'c', 'd', 'e'], colors: [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]};
const left = {counts: [1, 2, 3, 4, 0], row: row(2, 10, 10, 5, 5, 5, 3, 2)}, right = {counts: [1, 1, 9, 5, 0], row: row(0, 40)};
for (const mode of ['one', 'split', 'difference']) {
  const legend = panels.legendOf({mode, left, right}, palette);
  say(mode, [legend, panels.bars(legend)]);
}
say('strategies', panels.strategyTable([['claim', left.row], ['hash', right.row], ['warp', null]], 'hash', () => {}));
const scene = {Draws: [{Name: 'x', Triangles: 1000, Vertices: 2, First: 0}, {Name: '', Triangles: 0, Vertices: 0, First: 2}, {Name: 'y', Triangles: 10, Vertices: 3, First: 2}]};
say('draws', panels.drawRows(scene, {invocations: [1500, 0, 25], referenced: [1000, 0, 20]}));
say('csv', panels.csv(scene, [['a "b"', [1, 2, 3, 4, 5]], ['c', [5, 4, 3, 2, 1]]]));
const vertex = {Vertex: 1234, Draw: 2, Name: 'y', Batches: [{Batch: 1, Times: 1}, {Batch: 2000, Times: 3}], More: 4};
say('picked', [panels.picked([['claim', vertex, 1], ['hash', {Vertex: 1}, 1200]], true), panels.picked([['claim', {...vertex, Name: '', More: 0}, 2]], false)]);
const loads = (ms, most, clock) => [{load: 0, ms, least: ms, most, runs: 3, passes: 9, clock}, {load: 256, ms: 2 * ms, least: ms, most: 4 * ms, runs: 3, passes: 9, clock}];
const shape = {Lanes: 32, Batch: 96, Invocations: 7, Reuse: 0.25};
for (const software of [false, true]) {
  const results = [
    {strategy: 'naive-index', differ: 0, wrong: 0, loads: loads(3, 4, 'timestamps'), shape: {...shape, Lanes: 0}}, {strategy: 'hash', differ: 0, wrong: 0, loads: loads(2, 2.5, 'wall'), shape},
    {strategy: 'warp', differ: 1, wrong: 2, loads: loads(1, 1, 'wall'), shape}, {strategy: 'sort', error: 'no "lanes"'},
  ];
  const of = {results: software ? results.slice(0, 1).concat(results[2]) : results, gpu: {name: 'G', software, native: true, lanesText: 'lanes'}, name: 'n,m', order: 'o'};
  say('gpu', [panels.gpuTable(of.results), panels.gpuVerdict(of), panels.gpuNote(of), panels.gpuCsv(of)]);
}

say('unpacked', ['a.PLY.ZST', 'b.zst', 'c.zst.ply'].map(unpackedName));
const memory = new Memory(), fs = memory.fs(), {O_CREAT, O_EXCL, O_TRUNC} = memory.constants;
const call = (name, ...args) => fs[name](...args, (failed, result) => say(name + ' ' + args.filter(x => !ArrayBuffer.isView(x)), failed ? failed.code : result));
memory.put('/in/a', Uint8Array.of(1, 2, 3, 4, 5));
const buffer = new Uint8Array(6);
call('open', '/in/b', 0);
call('open', '/in/a', O_CREAT | O_EXCL);
call('open', '/in/a', 0);
call('read', 3, buffer, 1, 3, null);
call('read', 3, buffer, 4, 9, null);
call('read', 3, buffer, 0, 1, 4);
call('read', 3, buffer, 0, 1, 9);
say('read', buffer);
call('fstat', 3);
call('close', 3);
call('fstat', 3);
call('open', '/out/c', O_CREAT);
call('write', 4, buffer, 1, 4, null);
call('write', 4, buffer, 0, 2, 1);
call('write', 4, buffer, 5, 1, null);
call('stat', '/out/c/');
call('rename', '/out/c', '/out/d');
call('readdir', '/out');
say('taken', memory.take('/out/d'));
call('lstat', '/out/d');
call('unlink', '/out/d');
call('open', '/in/a', O_TRUNC);
call('stat', '/in/a');
call('mkdir', '/tmp/e');
call('stat', '/tmp/e');

const positions = new Float32Array(300), indices = [];
for (let v = 0; v < 100; v++) positions.set([v % 10 + (v % 7) / 10, Math.floor(v / 10), v % 3], 3 * v);
for (let v = 0; v < 89; v++) if (v % 10 < 9) indices.push(v, v + 1, v + 10, v + 1, v + 11, v + 10);
for (const most of [200, 60, 12]) {
  const {corners, indices: list} = coarseOf({positions, indices, middle: [4.5, 4.5, 1], radius: 6.5, half: [0.8, 0.7, 0.2]}, most);
  say('at most ' + most, most > 12 ? [list.length / 3, corners.reduce((sum, x, i) => sum + x * (i % 13), 0)] : [list, corners]);
}

const on = {}, moved = [], line = {style: {}, addEventListener: (name, f) => { on[name] = f; }, setPointerCapture: () => {}, hasPointerCapture: id => id === 1, setAttribute: (...all) => moved.push(all)};
const put = connectDivider(line, {getBoundingClientRect: () => ({left: 100}), clientWidth: 200}, place => moved.push(place));
put(0.99);
for (const [pointerId, clientX] of [[1, 150], [2, 160], [1, 90], [1, 900]]) on.pointermove({pointerId, clientX});
for (const key of ['ArrowLeft', 'ArrowRight', 'Home', 'End', 'a']) on.keydown({key, preventDefault: () => moved.push('kept')});
say('divider', [moved, line.style]);

let worker, workers = 0;
const requests = [], turn = () => new Promise(resolve => setTimeout(resolve)), told = (what, promise) => promise.then(x => say(what, x), e => say(what + ' failed', e.message));
globalThis.Worker = class {
  constructor() { worker = this; workers++; }
  postMessage(message) { requests.push(message.id); say(`to worker ${workers}`, message); }
  terminate() { say('terminated', workers); }
};
const reply = data => worker.onmessage({data}), last = () => requests.at(-1);
const engine = new Engine('', async () => 'packed', {path: 'asset:knot', answers: {
  'open asset:knot   0': {Value: 7, Positions: btoa('abcdefghijklmnopqrstuvwx'), Counts: {indices: [3, -1, 5]}}, 'count  hash forsyth 8': {Value: 8, Counts: {}},
}});
await told('ready', engine.open({path: 'asset:knot'}));
await told('ready', engine.ask({path: 'asset:knot'}, {do: 'count', strategy: 'hash', order: 'forsyth', lanes: 8}));
const source = {path: 'a', files: ['f']}, count = {do: 'count'};
const opened = told('opened', engine.open(source, share => say('share', share)));
for (const answer of [{answer: {module: 'm'}}, {share: 0.5}, {answer: 1}]) {
  await turn();
  reply({id: last(), ...answer});
}
reply({id: 99, answer: 'nobody asked'});
await opened;
const counted = told('counted', engine.ask(source, count));
await turn();
reply({id: last(), error: 'no strategy'});
await counted;
const cancelled = told('counted', engine.ask(source, count));
await turn();
engine.cancel();
await cancelled;
const again = told('opened', engine.open(source)); // by the new worker, which ends after the answer has come
await turn();
reply({id: last(), answer: {module: 'm'}});
await turn();
reply({id: last(), answer: 2});
engine.cancel();
await again;
told('counted', engine.ask(source, count)); // by a third one, which has to open it again
await turn();
reply({id: last(), answer: {module: 'm'}});
await turn();
worker.onerror({message: ''});
await turn();
reply({ended: 'out of memory'});
await turn();
