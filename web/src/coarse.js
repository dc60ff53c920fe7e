// A mesh of few triangles in place of one of many, for pictures that move.

// coarseOf returns at most `most` triangles that look like a mesh from afar: the coordinates of their corners, 9 a
// triangle, moved by -middle and divided by radius, and the vertices whose colours the corners have. One vertex stands
// for all in its cell of a grid. If a cell so loses all its triangles, its largest one is drawn, enlarged to make up
// for the others, but at most to the size of the cell. Cells are as small as `most` allows.
export function coarseOf({positions, indices, middle, radius, half}, most) {
  const points = new Float32Array(positions.length), [x, y, z] = middle;
  for (let k = 0; k < points.length; k += 3) {
    points[k] = (positions[k] - x) / radius;
    points[k + 1] = (positions[k + 1] - y) / radius;
    points[k + 2] = (positions[k + 2] - z) / radius;
  }
  let cell = 2 ** -8;
  while (half.reduce((cells, h) => cells * (2 * h / cell + 1), 1) > 2 ** 22) cell *= 2 ** 0.25;
  let few = merged(points, indices, half, cell);
  const all = few.alone;
  for (; few.list.length > 3 * most; few = merged(points, few.list, half, cell)) cell *= 2 ** 0.25;

  const {list, lone} = few, corners = new Float32Array(3 * list.length), share = Math.sqrt(3 * all / (list.length - lone));
  for (let k = 0; k < list.length; k += 3) {
    const grow = k < lone ? 1 : Math.max(1, Math.min(share, cell / sizeOf(points, list, k)));
    for (let axis = 0; axis < 3; axis++) {
      const at = [0, 1, 2].map(corner => points[3 * list[k + corner] + axis]), center = (at[0] + at[1] + at[2]) / 3;
      at.forEach((p, corner) => { corners[3 * (k + corner) + axis] = center + grow * (p - center); });
    }
  }
  return {corners, indices: list};
}

// hash gives vertices a random order. In the order of their numbers, the first vertex of a batch would often stand for
// others, about whose counts it says little.
const hash = v => Math.imul(v + 1, 0x9e3779b1);

// merged returns a list of triangles. First are those whose corners are in three different cells; each corner is the
// vertex that stands for its cell. From index lone on follows the largest triangle of each cell that has no corner of
// these; such cells have `alone` triangles in all.
function merged(points, list, half, size) {
  const [x, y, z] = half, per = 1 / size, wide = (2 * x * per + 2) | 0, layer = wide * ((2 * y * per + 2) | 0);
  const stands = new Int32Array(layer * ((2 * z * per + 2) | 0)).fill(-1), cells = new Int32Array(list.length);
  for (let k = 0; k < list.length; k++) {
    const v = list[k], at = 3 * v;
    const c = (((points[at] + x) * per) | 0) + wide * (((points[at + 1] + y) * per) | 0) + layer * (((points[at + 2] + z) * per) | 0);
    cells[k] = c;
    if (stands[c] < 0 || hash(v) < hash(stands[c])) stands[c] = v;
  }
  const kept = new Uint8Array(stands.length), largest = new Map(), few = new Uint32Array(list.length);
  let lone = 0, alone = 0;
  for (let k = 0; k < list.length; k += 3) {
    const a = cells[k], b = cells[k + 1], c = cells[k + 2];
    if (a === b || b === c || c === a) continue;
    kept[a] = kept[b] = kept[c] = 1;
    few[lone++] = stands[a];
    few[lone++] = stands[b];
    few[lone++] = stands[c];
  }
  for (let k = 0; k < list.length; k += 3) {
    if (kept[cells[k]]) continue;
    alone++;
    const before = largest.get(cells[k]);
    if (before === undefined || sizeOf(points, list, k) > sizeOf(points, list, before)) largest.set(cells[k], k);
  }
  let end = lone;
  for (const k of largest.values()) {
    few.set(list.subarray(k, k + 3), end);
    end += 3;
  }
  return {list: few.slice(0, end), lone, alone};
}

// sizeOf returns the longest edge of the triangle that begins at list[k].
function sizeOf(points, list, k) {
  const edge = (v, w) => Math.hypot(points[3 * v] - points[3 * w], points[3 * v + 1] - points[3 * w + 1], points[3 * v + 2] - points[3 * w + 2]);
  return Math.max(edge(list[k], list[k + 1]), edge(list[k + 1], list[k + 2]), edge(list[k + 2], list[k]));
}
