// What the panels beside the picture show: legend, tables, the picked vertex, and counts as CSV.

export const LEGEND = 'Times shaded, and the share of vertices';
export const number = n => n.toLocaleString('en-US');
const percent = share => (100 * share).toFixed(1) + ' %';

const element = (tag, text = '', properties = {}) => Object.assign(document.createElement(tag), {textContent: text}, properties);

// legendOf lists the steps of what is shown: a colour, a label, and the share of vertices per side.
export function legendOf({mode, left, right}, palette) {
  const rgb = i => `rgb(${palette.colors[i].join(',')})`;
  const share = (n, all) => ({share: n / all, text: percent(n / all)});
  if (mode === 'difference') {
    const found = [0, 0, 0, 0, 0];
    left.counts.forEach((n, v) => { if (n) found[Math.max(-2, Math.min(2, right.counts[v] - n)) + 2]++; }); // no triangle names the others
    return palette.labels.map((label, i) => ({label, color: rgb(i), shares: [share(found[i], left.row.Referenced)]}));
  }
  return palette.labels.map((label, i) => ({
    label, color: rgb(i),
    shares: (mode === 'split' ? [left, right] : [left]).map(({row}) => {
      const h = row.Histogram, last = i === palette.labels.length - 1;
      return share(last ? h.slice(i + 1).reduce((a, b) => a + b, 0) : h[i + 1] ?? 0, row.Referenced);
    }),
  }));
}

// bars returns the legend as a histogram.
export function bars(list) {
  const grid = element('div', '', {className: 'bars'});
  for (const {color, label, shares} of list) {
    const swatch = element('span', '', {className: 'swatch'}), beside = element('div');
    swatch.style.background = color;
    for (const {share} of shares) {
      const bar = element('div', '', {className: 'bar'});
      bar.style.cssText = `width: ${100 * share}%; background: ${color}; margin: 2px 0`;
      beside.append(bar);
    }
    grid.append(swatch, element('span', label), beside, element('span', shares.map(s => s.text).join(' | '), {className: 'share'}));
  }
  return grid;
}

// fill replaces a table's rows: the first is its head; cells are text or elements.
export function fill(table, [head, ...body]) {
  const row = (cells, tag) => {
    const r = element('tr');
    for (const cell of cells) {
      const c = element(tag);
      c.append(cell);
      r.append(c);
    }
    r.className = cells.className ?? '';
    return r;
  };
  const thead = element('thead'), tbody = element('tbody');
  thead.append(row(head, 'th'));
  tbody.append(...body.map(cells => row(cells, 'td')));
  const focused = table.contains(document.activeElement) && document.activeElement.textContent;
  table.replaceChildren(thead, tbody);
  if (focused) [...table.querySelectorAll('button')].find(b => b.textContent === focused)?.focus();
}

// strategyTable returns a table's rows: one per strategy, with statistics if the strategy is counted.
export function strategyTable(list, shown, choose) {
  const sums = (h, of) => [1, 2, 3, 4, 5, 6].map(i => Math.round(100 * (i < 6 ? h[i] ?? 0 : h.slice(6).reduce((a, b) => a + b, 0)) / of));
  return [['strategy', 'invocations', 'reuse', 'ACMR', 'ATVR', 'lanes used', '1x', '2x', '3x', '4x', '5x', '6x+'], ...list.map(([name, row]) => {
    const button = element('button', name, {type: 'button', onclick: () => choose(name)});
    const cells = [button, ...(row
      ? [number(row.Invocations), row.Reuse.toFixed(4), row.ACMR.toFixed(3), row.ATVR.toFixed(3), row.LaneUtilization ? Math.round(100 * row.LaneUtilization) + ' %' : '-', ...sums(row.Histogram, row.Referenced)]
      : ['…'])];
    cells.className = name === shown ? 'shown' : '';
    return cells;
  })];
}

// drawRows lists the draws that lose most invocations against the ideal.
export function drawRows(scene, {invocations, referenced}) {
  const most = 50;
  const list = scene.Draws.map((d, i) => ({...d, i, lost: invocations[i] - referenced[i]})).sort((a, b) => b.lost - a.lost || a.i - b.i).slice(0, most);
  const ratio = (n, indices) => (indices ? (1 - n / indices).toFixed(4) : '-');
  return [['draw', 'triangles', 'reuse', 'ideal', 'lost'], ...list.map(d =>
    [d.i + (d.Name ? ' ' + d.Name : ''), number(d.Triangles), ratio(invocations[d.i], 3 * d.Triangles), ratio(referenced[d.i], 3 * d.Triangles), number(d.lost)])];
}

// picked returns an element that says where each side shades a vertex.
export function picked(found, several) {
  const all = element('div'), [, {Vertex, Draw, Name}] = found[0];
  all.append(element('p', `Vertex ${number(Vertex)}` + (several ? ` of draw ${Draw}${Name ? ' (' + Name + ')' : ''}` : '')));
  for (const [title, v, count] of found) {
    const list = (v.Batches ?? []).map(b => `batch ${number(b.Batch)}` + (b.Times > 1 ? ` (${b.Times} times)` : '')).join(', ');
    all.append(element('p', `${title}: shaded ${count === 1 ? 'once' : number(count) + ' times'}` + (list ? `, in ${list}` : '') + (v.More ? ` and ${number(v.More)} more` : '') + '.'));
  }
  return all;
}

const quoted = text => (/[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);

// csv lists the counts of every vertex of every draw, as parts of a file.
export function csv(scene, columns) {
  const parts = ['draw,vertex,' + columns.map(([title]) => quoted(title)).join(',') + '\n'];
  scene.Draws.forEach((d, i) => {
    const lines = [];
    for (let v = 0; v < d.Vertices; v++) lines.push(i + ',' + v + ',' + columns.map(([, counts]) => counts[d.First + v]).join(','));
    if (lines.length) parts.push(lines.join('\n') + '\n');
  });
  return parts;
}

// What the visitor's GPU did (gpu.js): a result per strategy, with times per load.
const equal = r => !r.error && r.differ + r.wrong === 0;

// gpuCheck says whether a strategy's counts on the visitor's GPU equal the CPU's, and its triangles have the right vertices.
function gpuCheck({error, differ, wrong}) {
  if (error) return 'cannot run';
  const parts = [differ && `${number(differ)} ${differ === 1 ? 'count differs' : 'counts differ'}`, wrong && `${number(wrong)} ${wrong === 1 ? 'triangle' : 'triangles'} wrong`];
  return parts.filter(Boolean).join(', ') || 'equal';
}

export function gpuTable(results) {
  const loads = results.find(r => r.loads)?.loads ?? [];
  return [['strategy', 'counts', 'reuse', ...loads.map(l => l.load || 'simple')], ...results.map(r =>
    [r.strategy, gpuCheck(r), r.shape ? r.shape.Reuse.toFixed(3) : '-', ...loads.map((_, i) => (r.loads?.[i] ? r.loads[i].ms.toPrecision(3) : '-'))])];
}

// gpuVerdict says how much time sharing vertices saves, a line per load. Strategies that cannot run, or are wrong, have a line each instead.
export function gpuVerdict({results, gpu}) {
  const [baseline, ...others] = results, right = others.filter(equal);
  const lines = gpu.software ? ['The processor stands in for a GPU here: its times say little about one.'] : [];
  lines.push(...results.filter(r => !equal(r)).map(r => `${r.strategy}: ${r.error ?? gpuCheck(r) + '; this GPU or browser runs it wrongly'}.`));
  if (!equal(baseline) || right.length === 0) return [...lines, 'So there is nothing to compare.'].join('\n');
  baseline.loads.forEach(({load, ms}, i) => {
    const best = right.reduce((a, b) => (b.loads[i].ms < a.loads[i].ms ? b : a)), gain = ms / best.loads[i].ms;
    const clear = best.loads[i].most < baseline.loads[i].least; // not even single runs overlap
    lines.push(`${load ? 'Load ' + load : 'Simple'}: ` + (clear ? `${best.strategy} is fastest, ${gain.toFixed(2)} times as fast as ${baseline.strategy}.` : `no strategy is clearly faster than ${baseline.strategy}.`));
  });
  return lines.join('\n');
}

// gpuNote says what was measured, and how.
export function gpuNote({results, gpu, name, order}) {
  const walls = results.some(r => r.loads?.some(l => l.clock === 'wall'));
  return `${name}, order ${order}, on ${gpu.name}${gpu.software ? ', which is the processor in place of a GPU' : ''}, with ${gpu.lanesText}. `
    + `Times are milliseconds per pass, ${gpu.software ? 'of one run' : 'the median of up to five runs of many passes'}, ${walls ? 'by the wall clock, since the browser gives no timestamps of the GPU' : 'by timestamps of the GPU'}. `
    + 'The simple vertex shader transforms the position. The loads of 256 to 1024 add chains of so many cycles, about. naive-index shades every index, so it shares nothing.';
}

export function gpuCsv({results, gpu, name, order}) {
  const head = ['file', 'order', 'gpu', 'strategy', 'lanes', 'native', 'batch', 'invocations', 'reuse', 'counts_differ', 'triangles_wrong', 'error', 'load', 'ms', 'ms_min', 'ms_max', 'runs', 'passes', 'clock'];
  const lines = results.flatMap(r => (r.loads?.length ? r.loads : [{}]).map(l => [
    name, order, gpu.name, r.strategy, r.shape?.Lanes, Boolean(r.shape?.Lanes) && gpu.native, r.shape?.Batch, r.shape?.Invocations, r.shape?.Reuse, r.differ, r.wrong, r.error, l.load, l.ms, l.least, l.most, l.runs, l.passes, l.clock,
  ]));
  return [head, ...lines].map(line => line.map(cell => quoted(String(cell ?? ''))).join(',')).join('\n') + '\n';
}
