// The page: its state, which the link holds, and what happens when it changes.
import {connectDivider} from './divider.js';
import {Cancelled, Engine} from './engine.js';
import {LEGEND, bars, csv, drawRows, fill, gpuCsv, gpuNote, gpuTable, gpuVerdict, legendOf, number, picked, strategyTable} from './panels.js';
import {measure, openGPU} from './gpu.js';
import {View, differenceSteps, stepsOf} from './view.js';
import {readLink, writeLink} from './link.js';

const at = id => document.getElementById(id);
const palettes = PALETTES;
const {about, ...ready} = JSON.parse(at('first').textContent); // what the page offers, and what it shows first: web/prepared
const engine = new Engine(WORKER, async () => {
  if (document.readyState === 'loading') await new Promise(done => addEventListener('DOMContentLoaded', done));
  return at('program').textContent;
}, ready);

const first = {
  scene: ready.path, file: '', strategy: 'claim', order: 'original', mode: 'split', with: 'naive-index', withorder: 'original', lanes: 32,
  palette: 'paper', up: 'y', edges: false, divider: 0.5, camera: '', vertex: '',
};
let state = {...first};
let source = null; // what is shown: {path, name, files}
let scene = null; // the worker's description of the source
let shown = null; // the state whose counts are shown, with left and right
let latest = 0; // number of the newest change; older ones give up
const results = new Map(); // by keyOf a side: its counts and its row of statistics
const rows = new Map(); // by keyOf a side: its row of statistics
let measuring = new AbortController(); // ends the last measurement on the visitor's GPU
let onGPU = null; // results of the last such measurement
let measurements = 0; // number of measurements begun

const view = new View(at('canvas'), {moved: () => { state.camera = view.place.join(','); link(); }});
view.drawn = () => {
  placeMarker();
  at('reduced').hidden = !view.reduced;
};
const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => { view.background = getComputedStyle(document.documentElement).getPropertyValue('--stage').trim(); };
dark.addEventListener('change', paint);
paint();
new ResizeObserver(() => view.resized()).observe(at('stage'));
// Marks tables whose columns do not all fit.
const fitting = new ResizeObserver(list => list.forEach(({target}) => {
  const scroll = target.closest('.scroll');
  scroll.classList.toggle('over', scroll.scrollWidth > scroll.clientWidth);
}));
for (const scroll of document.querySelectorAll('.scroll')) [scroll, scroll.firstElementChild].forEach(e => fitting.observe(e));

const sides = () => (state.mode === 'one' ? ['left'] : ['left', 'right']);
const sideOf = (side, s = state) => (side === 'left' ? {strategy: s.strategy, order: s.order, lanes: s.lanes} : {strategy: s.with, order: s.withorder, lanes: s.lanes});
const keyOf = ({strategy, order, lanes}) => `${strategy} ${order} ${lanes}`;
const titleOf = ({strategy, order}) => strategy + (order === 'original' ? '' : ', ' + order);

let linkDue = 0;
function link() {
  clearTimeout(linkDue);
  linkDue = setTimeout(() => history.replaceState(null, '', '#' + writeLink(state, first)), 100);
}

function say(text, bad = true) {
  at('message').hidden = !text;
  at('message').textContent = text;
  at('message').style.color = bad ? '' : 'inherit';
}

// work shows the progress and a Cancel button while job runs. It returns whether job succeeded.
let working = 0;
async function work(text, job) {
  const turn = ++working;
  measuring.abort(new Cancelled('cancelled')); // the job would spoil the times of a measurement
  document.body.dataset.state = 'busy';
  at('doing').textContent = text;
  at('progress').removeAttribute('value');
  at('work').hidden = false;
  const told = share => { if (turn === working) at('progress').value = share; };
  try {
    await job(told);
    return true;
  } catch (error) {
    say(error instanceof Cancelled ? 'Cancelled.' : error.message, !(error instanceof Cancelled));
    return false;
  } finally {
    if (turn === working) {
      at('work').hidden = true;
      document.body.dataset.state = 'ready';
    }
  }
}

// load opens a source and shows it. The picture before stays until the new one is ready, or if opening fails.
async function load(next, wanted) {
  const turn = ++latest;
  say('');
  const done = await work('Reading ' + next.name, async told => {
    const answer = await engine.open(next, told);
    if (turn !== latest) return;
    performance.mark('read');
    [source, scene, shown] = [next, answer.value, null];
    results.clear();
    rows.clear();
    Object.assign(state, wanted, next.files ? {file: next.name, scene: ''} : {file: '', scene: next.path});
    view.setMesh(answer.lists.positions, answer.lists.indices);
    view.upAxis = state.up;
    slow = false;
    if (state.camera) view.place = state.camera.split(',').map(Number);
    else view.resetCamera();
    say(scene.LeftOut, false);
  });
  if (turn !== latest) return;
  syncControls();
  if (done) await refresh();
}

async function countsOf(side, told) {
  const key = keyOf(side);
  if (!results.has(key)) {
    const answer = await engine.ask(source, {do: 'count', ...side}, told);
    if (results.size > 3) results.delete(results.keys().next().value);
    results.set(key, {row: answer.value, ...answer.lists});
    rows.set(key, answer.value);
  }
  return results.get(key);
}

// refresh shows the state: it counts what is not counted yet, then fills the table.
async function refresh() {
  const turn = ++latest, wanted = {...state}, got = {};
  const done = await work('Counting', async told => {
    for (const side of sides()) got[side] = await countsOf(sideOf(side, wanted), told);
  });
  if (turn !== latest) return;
  if (!done) {
    if (shown) Object.assign(state, {strategy: shown.strategy, order: shown.order, mode: shown.mode, with: shown.with, withorder: shown.withorder, lanes: shown.lanes});
    syncControls();
    return;
  }
  shown = {...wanted, ...got};
  show();
  if (state.vertex !== '') pickVertex(Number(state.vertex));
  view.drawNow();
  performance.mark('shown');
  link();
  for (const {Name: strategy} of about.Strategies) {
    const side = {strategy, order: shown.order, lanes: shown.lanes};
    if (rows.has(keyOf(side))) continue;
    try {
      const {value} = await engine.ask(source, {do: 'sum', ...side});
      if (turn !== latest) return;
      rows.set(keyOf(side), value);
      showTable();
    } catch (error) {
      if (!(error instanceof Cancelled)) say(error.message);
      return;
    }
  }
}

// show draws the counts in `shown`.
function show() {
  const {left, right, mode} = shown;
  const difference = mode === 'difference';
  view.setColors(palettes[difference ? 'difference' : state.palette].colors);
  view.setShown('left', difference ? differenceSteps(left.counts, right.counts) : stepsOf(left.counts));
  if (mode === 'split') view.setShown('right', stepsOf(right.counts));
  view.divider = mode === 'split' ? state.divider : null;
  at('divider').hidden = mode !== 'split';
  placeDivider(state.divider);
  at('nameLeft').textContent = difference ? `${titleOf(sideOf('right', shown))} against ${titleOf(sideOf('left', shown))}` : titleOf(sideOf('left', shown));
  at('nameRight').textContent = mode === 'split' ? titleOf(sideOf('right', shown)) : '';
  at('legendTitle').textContent = difference ? 'Times shaded: right minus left' : LEGEND;
  at('legend').replaceChildren(bars(legendOf(shown, palettes[difference ? 'difference' : state.palette])));
  at('about').textContent = `${scene.Name}: ${number(scene.Triangles)} triangles, ${number(scene.Vertices)} vertices, ${number(scene.Draws.length)} ${scene.Draws.length === 1 ? 'draw' : 'draws'}`;
  at('drawsPanel').hidden = scene.Draws.length < 2;
  if (scene.Draws.length > 1) fill(at('draws'), drawRows(scene, left));
  showTable();
}

// The rows of the table: pairs of a strategy and its row, undefined until it is counted.
const tableRows = () => about.Strategies.map(({Name: strategy}) => [strategy, rows.get(keyOf({strategy, order: shown.order, lanes: shown.lanes}))]);

function showTable() {
  const here = tableRows();
  at('tableTitle').textContent = `All strategies, order ${shown.order}`;
  fill(at('table'), strategyTable(here, shown.strategy, name => change({strategy: name})));
  at('table').dataset.rows = here.filter(([, row]) => row).length;
}

function change(some, counted = true) {
  Object.assign(state, some);
  syncControls();
  link();
  if (scene && counted) refresh();
}

function syncControls() {
  for (const id of ['strategy', 'order', 'mode', 'with', 'withorder', 'lanes', 'palette', 'up', 'scene']) at(id).value = state[id];
  at('edges').checked = state.edges;
  at('other').hidden = state.mode === 'one';
}

const placeDivider = connectDivider(at('divider'), at('stage'), place => {
  state.divider = Math.round(1000 * place) / 1000;
  view.divider = state.divider;
  placeDivider(state.divider);
  link();
});

// Picking.
function placeMarker() {
  const v = state.vertex === '' || !scene ? null : view.project(Number(state.vertex));
  at('marker').hidden = !v;
  if (v) Object.assign(at('marker').style, {left: v[0] + 'px', top: v[1] + 'px'});
}

async function pickVertex(vertex) {
  if (!(vertex >= 0 && vertex < scene.Vertices)) return;
  state.vertex = vertex;
  placeMarker();
  link();
  const {mode} = shown, from = shown;
  try {
    const found = [];
    for (const side of mode === 'one' ? ['left'] : ['left', 'right']) {
      const {value} = await engine.ask(source, {do: 'vertex', vertex, ...sideOf(side, from)});
      found.push([titleOf(sideOf(side, from)), value, from[side].counts[vertex]]);
    }
    if (state.vertex === vertex && from === shown) at('picked').replaceChildren(picked(found, scene.Draws.length > 1));
  } catch (error) {
    if (!(error instanceof Cancelled)) say(error.message);
  }
}

let down = null, hovered = 0, slow = false;
const place = e => { const r = at('canvas').getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
at('canvas').addEventListener('pointerdown', e => { down = place(e); at('tip').hidden = true; });
at('canvas').addEventListener('pointerup', e => {
  const [x, y] = place(e);
  if (down && Math.hypot(x - down[0], y - down[1]) < 4 && shown) {
    const hit = view.pick(x, y);
    if (hit) pickVertex(hit.vertex);
  }
  down = null;
});
at('canvas').addEventListener('pointerleave', () => { at('tip').hidden = true; });
at('canvas').addEventListener('pointermove', e => {
  if (e.buttons || !shown || slow || hovered || e.pointerType === 'touch') return;
  hovered = requestAnimationFrame(() => {
    hovered = 0;
    const [x, y] = place(e), before = performance.now();
    const hit = shown && view.pick(x, y);
    slow = performance.now() - before > 60; // hovering must not stutter
    at('tip').hidden = !hit;
    if (!hit) return;
    at('tip').textContent = sides().filter(side => shown[side]).map(side => `${titleOf(sideOf(side, shown))}: ${number(shown[side].counts[hit.vertex])}`).join(' | ');
    Object.assign(at('tip').style, {left: Math.min(x + 14, at('stage').clientWidth - at('tip').offsetWidth) + 'px', top: y + 14 + 'px'});
  });
});
at('canvas').addEventListener('keydown', e => {
  if (view.press(e)) e.preventDefault();
  else if (e.key === 'Enter' && shown) {
    const hit = view.pick(at('canvas').clientWidth / 2, at('canvas').clientHeight / 2);
    if (hit) pickVertex(hit.vertex);
  }
});

// Files.
const waits = async list => Promise.all([...list].map(async file => ({name: file.name, bytes: new Uint8Array(await file.arrayBuffer())})));
async function openFiles(list) {
  if (!list.length) return;
  const mesh = name => about.Extensions.some(ext => name.toLowerCase().replace(/\.(gz|zst)$/, '').endsWith(ext));
  // The mesh refers to the other files: a material library, buffers, images.
  const main = [...list].find(f => mesh(f.name)) ?? list[0];
  try {
    const files = await waits(list);
    const same = main.name === state.file && !source?.files; // a link names this file
    await load({path: '/in/' + main.name, name: main.name, files}, same ? {} : {camera: '', vertex: ''});
  } catch (error) {
    say(`${main.name}: cannot be read: ${error.message}`);
  }
}
at('choose').addEventListener('click', () => at('files').click());
at('files').addEventListener('change', e => { openFiles(e.target.files); });
addEventListener('dragover', e => { e.preventDefault(); at('drop').hidden = false; });
addEventListener('dragleave', e => { if (!e.relatedTarget) at('drop').hidden = true; });
addEventListener('drop', e => { e.preventDefault(); at('drop').hidden = true; openFiles(e.dataTransfer.files); });

// Downloads.
function save(name, parts, type) {
  const a = Object.assign(document.createElement('a'), {href: URL.createObjectURL(new Blob(parts, {type})), download: name});
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 60e3);
  at('taken').textContent = 'Saved ' + name + '.';
}
const stemOf = name => name.replace(/\.(gz|zst)$/i, '').replace(/\.[^.]*$/, '').replace(/[^\w-]+/g, '_') || 'mesh';
const stem = () => stemOf(scene.Name);
const shownName = () => `${stem()}-${sides().map(side => titleOf(sideOf(side, shown)).replace(/[^\w]+/g, '-')).join('-')}`;
at('png').addEventListener('click', () => {
  if (!shown) return;
  view.drawWhole();
  const gl = at('canvas'), copy = Object.assign(document.createElement('canvas'), {width: gl.width, height: gl.height});
  const c = copy.getContext('2d');
  c.drawImage(gl, 0, 0);
  drawLegend(c, gl.width, gl.height);
  copy.toBlob(blob => save(shownName() + '.png', [blob], 'image/png'));
});
function drawLegend(c, width, height) {
  const em = Math.max(12, height / 45), list = legendOf(shown, palettes[shown.mode === 'difference' ? 'difference' : state.palette]);
  c.font = em + 'px sans-serif';
  const lines = [at('nameLeft').textContent + (at('nameRight').textContent ? ' | ' + at('nameRight').textContent : ''), at('legendTitle').textContent];
  const wide = Math.max(...lines.map(l => c.measureText(l).width), em * 8 + c.measureText(' | 100.0 %').width) + em, high = em * 1.4 * (list.length + lines.length) + em / 2;
  c.fillStyle = 'rgba(0,0,0,0.65)';
  c.fillRect(em / 2, height - high - em / 2, wide, high);
  let y = height - high + em * 0.8;
  const line = (text, x) => { c.fillStyle = '#fff'; c.fillText(text, x, y); y += em * 1.4; };
  for (const l of lines) line(l, em);
  for (const {color, label, shares} of list) {
    c.fillStyle = color;
    c.fillRect(em, y - em * 0.85, em, em);
    line(label + '  ' + shares.map(s => s.text).join(' | '), em * 2.4);
  }
}
at('csv').addEventListener('click', () => { if (shown) save(shownName() + '.csv', csv(scene, sides().map(side => [titleOf(sideOf(side, shown)), shown[side].counts])), 'text/csv'); });
at('tableCsv').addEventListener('click', () => {
  if (!shown) return;
  const list = tableRows().flatMap(([, row]) => row ?? []).map(({Histogram, ...row}) => ({...row, Histogram: Histogram.join(' ')}));
  save(stem() + '-strategies.csv', [[Object.keys(list[0]), ...list.map(Object.values)].map(r => r.join(',')).join('\n') + '\n'], 'text/csv');
});
at('glb').addEventListener('click', () => {
  if (!shown) return;
  const {order} = shown, name = `${stem()}-${order.replace('+', '-')}.glb`;
  work('Writing ' + name, async told => {
    const {value, lists} = await engine.ask(source, {do: 'save', path: '/out/' + name, order}, told);
    save(name, [lists.file], 'model/gltf-binary');
    for (const n of value.Notices ?? []) at('taken').textContent += ' ' + n + '.';
  });
});
at('link').addEventListener('click', async () => {
  history.replaceState(null, '', '#' + writeLink(state, first));
  try {
    await navigator.clipboard.writeText(location.href);
    at('taken').textContent = 'The link is copied.' + (state.file ? ` It does not hold the file: whoever opens it drops ${state.file} there.` : '');
  } catch {
    at('taken').textContent = 'The address bar has the link.';
  }
});

// The visitor's own GPU.
at('gpuRun').addEventListener('click', async () => {
  if (!shown) return;
  const {order} = shown, results = [], name = scene.Name, turn = ++measurements;
  const tell = (text, note = '') => { if (turn === measurements) [at('gpuSay').textContent, at('gpuNote').textContent] = [text, note]; };
  await work('Measuring on the GPU', async told => {
    tell('');
    at('gpuTable').replaceChildren();
    at('gpuCsv').hidden = true;
    measuring = new AbortController();
    let gpu;
    try {
      gpu = await openGPU(measuring.signal);
      await measure(gpu, request => engine.ask(source, request), order, told, result => {
        results.push(result);
        fill(at('gpuTable'), gpuTable(results));
      });
      onGPU = {results, order, name, gpu};
      tell(gpuVerdict(onGPU), gpuNote(onGPU));
      at('gpuCsv').hidden = false;
    } catch (error) {
      tell(error instanceof Cancelled ? 'Cancelled.' : error.message);
    } finally {
      gpu?.close();
    }
  });
});
at('gpuCsv').addEventListener('click', () => save(`${stemOf(onGPU.name)}-${onGPU.order.replace('+', '-')}-gpu.csv`, [gpuCsv(onGPU)], 'text/csv'));

// Controls.
for (const id of ['strategy', 'order', 'mode', 'with', 'withorder']) at(id).addEventListener('change', e => change({[id]: e.target.value}));
at('lanes').addEventListener('change', e => change({lanes: Number(e.target.value)}));
at('palette').addEventListener('change', e => { change({palette: e.target.value}, false); if (shown) show(); });
at('up').addEventListener('change', e => { change({up: e.target.value}, false); view.upAxis = state.up; });
at('edges').addEventListener('change', e => { change({edges: e.target.checked}, false); view.edges = state.edges; });
at('reset').addEventListener('click', () => { view.resetCamera(); change({camera: ''}, false); });
at('scene').addEventListener('change', e => load({path: e.target.value, name: e.target.value}, {camera: '', vertex: ''}));
at('cancel').addEventListener('click', () => {
  measuring.abort(new Cancelled('cancelled'));
  engine.cancel();
});

function options(id, list) { at(id).replaceChildren(...list.map(x => new Option(String(x).replace('asset:', ''), x))); }

// follow shows the state of the link; what the link leaves out is as the page shows it first.
async function follow() {
  const samples = about.Scenes.map(name => 'asset:' + name);
  state = readLink(location.hash.slice(1), first, {
    strategy: about.Strategies.map(s => s.Name), with: about.Strategies.map(s => s.Name), order: about.Orders, withorder: about.Orders, lanes: about.Lanes,
    mode: ['one', 'split', 'difference'], palette: ['paper', 'colorblind'], up: ['y', 'z'],
  });
  const wanted = state.scene || first.scene;
  options('scene', [...new Set([first.scene, ...(state.scene ? [state.scene] : []), ...samples])]);
  view.edges = state.edges;
  const {file} = state;
  await load({path: wanted, name: wanted}, {});
  if (file && !source?.files) {
    state.file = file;
    say(`This link was made for ${file}: drop that file here to see the same view of it.`, false);
  }
}

async function begin() {
  options('strategy', about.Strategies.map(s => s.Name));
  options('with', about.Strategies.map(s => s.Name));
  options('order', about.Orders);
  options('withorder', about.Orders);
  options('lanes', about.Lanes);
  options('palette', ['paper', 'colorblind']);
  await follow();
  addEventListener('hashchange', follow);
  // The worker starts after the picture is on the screen, unless the picture needed the worker.
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  await engine.start();
  await rehearse().catch(() => {}); // the same request from the user reports its own error
  performance.mark('started');
}

// rehearse makes the worker open the first scene and count it by every strategy, though the page has these answers. The browser then has
// compiled most of the code that a file needs. rehearse stops at the user's next change.
async function rehearse() {
  const turn = latest;
  if (source?.path !== ready.path) return;
  await engine.load(source);
  for (const {Name: strategy} of about.Strategies) {
    if (turn !== latest) return;
    await engine.send({request: {do: 'count', ...sideOf('left', first), strategy}});
  }
}

begin().catch(error => say('What reads and counts did not start: ' + error.message));
