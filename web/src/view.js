// The heatmap in WebGL2: triangles whose pixels have the colour of their nearest vertex. It draws
// one side, or two beside a divider, and finds the vertex at a place. It knows neither strategies
// nor the page around it.
//
// If a picture takes long, it is drawn at once with few triangles (coarse.js) and few pixels. Once the camera rests,
// all triangles are drawn off screen, some in each frame, so that the next movement need not wait for them.
import {
  BufferAttribute, BufferGeometry, Color, ColorManagement, DoubleSide, GLSL3, Mesh, PerspectiveCamera, RawShaderMaterial, Scene, Vector3, WebGLRenderTarget, WebGLRenderer,
} from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';
import {coarseOf} from './coarse.js';

ColorManagement.enabled = false; // colours are bytes of the screen, in a target as on the canvas

const fewTriangles = 15_000, fewPixels = 1_000_000; // most of a picture that moves
const largeAbove = 300_000; // triangles
const restAfter = 300; // milliseconds without a movement
const partTime = 60; // milliseconds that drawing a part of the triangles should take at most

// Vertices are not shared between triangles: gl_VertexID gives the corner, and `shown` has the
// steps of all three corners, four bits each.
const vertexShader = `precision highp float;
uniform mat4 projectionMatrix, modelViewMatrix;
in vec3 position;
in float shownLeft, shownRight;
out vec3 weights, eye;
flat out vec2 shown;
flat out int triangle;
void main() {
  int corner = gl_VertexID % 3;
  weights = vec3(corner == 0, corner == 1, corner == 2);
  triangle = gl_VertexID / 3;
  shown = vec2(shownLeft, shownRight);
  vec4 at = modelViewMatrix * vec4(position, 1.0);
  eye = at.xyz;
  gl_Position = projectionMatrix * at;
}`;

const fragmentShader = `precision highp float;
uniform vec3 colors[8];
uniform bool edges;
uniform float divider; // in pixels
in vec3 weights, eye;
flat in vec2 shown;
flat in int triangle;
out vec4 pixel;
void main() {
  int nearest = weights.x >= weights.y && weights.x >= weights.z ? 0 : weights.y >= weights.z ? 1 : 2;
  vec3 base = colors[(uint(gl_FragCoord.x < divider ? shown.x : shown.y) >> (4 * nearest)) & 7u];
  vec3 normal = cross(dFdx(eye), dFdy(eye));
  float facing = abs(dot(normal, eye)) / max(length(normal) * length(eye), 1e-30);
  float light = 0.55 + 0.45 * facing;
  vec3 width = fwidth(weights);
  if (edges && max(max(width.x, width.y), width.z) < 0.34) {
    vec3 inside = weights / max(width, 1e-6);
    light *= mix(0.45, 1.0, smoothstep(0.4, 1.2, min(min(inside.x, inside.y), inside.z)));
  }
  pixel = vec4(base * light, 1.0);
}`;

// Shows a picture that was drawn out of sight.
const copyVertexShader = `in vec3 position;
void main() { gl_Position = vec4(position, 1.0); }`;
const copyShader = `precision highp float;
uniform sampler2D picture;
out vec4 pixel;
void main() { pixel = texelFetch(picture, ivec2(gl_FragCoord.xy), 0); }`;

// attributeOf returns the name of the attribute that has a side's colours.
const attributeOf = side => (side === 'right' ? 'shownRight' : 'shownLeft');

// geometryOf returns triangles without shared vertices and without colours.
function geometryOf(corners) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(corners, 3));
  for (const side of ['left', 'right']) geometry.setAttribute(attributeOf(side), new BufferAttribute(new Uint16Array(corners.length / 3), 1));
  return geometry;
}

export class View {
  // moved is called after the user has moved the camera.
  constructor(canvas, {moved = () => {}} = {}) {
    this.moved = moved;
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({canvas, antialias: true, powerPreference: 'high-performance'});
    this.camera = new PerspectiveCamera(40, 1, 0.01, 100);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.minDistance = 0.02;
    this.controls.maxDistance = 20;
    this.uniforms = {
      divider: {value: 0}, edges: {value: false},
      colors: {value: Array.from({length: 8}, () => new Color(0.55, 0.57, 0.6))},
    };
    this.material = new RawShaderMaterial({glslVersion: GLSL3, vertexShader, fragmentShader, uniforms: this.uniforms, side: DoubleSide});
    this.steps = {}; // by side: the step of each vertex
    this.slowAbove = 100; // milliseconds that a picture of a movement may take
    this.part = fewTriangles; // triangles of the next part
    this.took = 0; // milliseconds of the last whole picture
    this.reduced = false; // whether the canvas shows fewer triangles than the mesh has
    const corners = new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3);
    this.copy = new Mesh(new BufferGeometry().setAttribute('position', corners), new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader: copyVertexShader, fragmentShader: copyShader, uniforms: {picture: {value: null}}, depthTest: false,
    }));
    this.copy.frustumCulled = false;
    this.split = null; // the divider's place, from 0 to 1
    this.fit();
    this.resetCamera();
    this.controls.addEventListener('change', () => {
      this.draw();
      if (!this.quiet) moved();
    });
  }

  // background is a CSS colour.
  set background(color) {
    this.renderer.setClearColor(new Color(color), 1);
    this.draw();
  }

  // setMesh sets the mesh. It is drawn once setShown sets the colours, or after 400 milliseconds without colours.
  setMesh(positions, indices) {
    clearTimeout(this.bare);
    this.bare = setTimeout(() => { this.bare = 0; this.draw(); }, 400);
    for (const geometry of [this.mesh?.geometry, this.coarse?.geometry]) geometry?.dispose();
    this.stop();
    const large = indices.length > 3 * largeAbove;
    Object.assign(this, {coarse: null, steps: {}, took: large ? Infinity : 0}); // a large mesh counts as slow until it was drawn in parts
    this.positions = positions;
    this.indices = indices;
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let k = 0; k < indices.length; k++) {
      for (let axis = 0; axis < 3; axis++) {
        const p = positions[3 * indices[k] + axis];
        if (p < low[axis]) low[axis] = p;
        if (p > high[axis]) high[axis] = p;
      }
    }
    const middle = low.map((l, axis) => l + (high[axis] - l) / 2);
    const radius = Math.hypot(...low.map((l, axis) => (high[axis] - l) / 2)) || 1;
    const corners = new Float32Array(3 * indices.length);
    for (let k = 0; k < indices.length; k++) {
      const v = 3 * indices[k];
      corners[3 * k] = (positions[v] - middle[0]) / radius;
      corners[3 * k + 1] = (positions[v + 1] - middle[1]) / radius;
      corners[3 * k + 2] = (positions[v + 2] - middle[2]) / radius;
    }
    Object.assign(this, {middle, radius, half: low.map((l, axis) => (high[axis] - l) / 2 / radius)});
    this.mesh = new Mesh(geometryOf(corners), this.material);
    this.mesh.frustumCulled = false;
    this.turnUp();
    this.draw();
  }

  // setShown sets the steps of a side's vertices, from 0 to 7: indices into the colours.
  setShown(side, steps) {
    this.steps[side] = steps;
    this.color(this.mesh.geometry, this.indices, side);
    if (this.coarse) this.color(this.coarse.geometry, this.coarse.indices, side);
    clearTimeout(this.bare);
    this.bare = 0;
    this.draw();
  }

  // color gives a geometry's triangles, whose vertices are `indices`, the colours of a side.
  color(geometry, indices, side) {
    const attribute = geometry.getAttribute(attributeOf(side)), packed = attribute.array, steps = this.steps[side];
    for (let k = 0; k < indices.length; k += 3) {
      const all = steps[indices[k]] | steps[indices[k + 1]] << 4 | steps[indices[k + 2]] << 8;
      packed[k] = packed[k + 1] = packed[k + 2] = all;
    }
    attribute.needsUpdate = true;
  }

  // setColors sets the colours of steps 1 on, as [red, green, blue] from 0 to 255.
  setColors(list) {
    list.forEach(([r, g, b], i) => this.uniforms.colors.value[i + 1].setRGB(r / 255, g / 255, b / 255, ''));
    this.draw();
  }

  set edges(on) { this.uniforms.edges.value = on; this.draw(); }

  set divider(place) { this.split = place; this.draw(); }

  set upAxis(axis) { this.up = axis; this.turnUp(); this.draw(); }

  turnUp() { if (this.mesh) this.mesh.rotation.x = this.up === 'z' ? -Math.PI / 2 : 0; }

  // resetCamera looks at all of the mesh, from above and beside. It is no movement of the user's.
  resetCamera() {
    const ahead = new Vector3(1.6, 1.35, 2.4).normalize();
    const right = new Vector3(0, 1, 0).cross(ahead).normalize(), up = ahead.clone().cross(right);
    const tall = Math.tan(this.camera.fov * Math.PI / 360), wide = tall * this.camera.aspect;
    let far = 0.1;
    for (let corner = 0; corner < 8; corner++) {
      const at = new Vector3(...(this.half ?? [0.6, 0.6, 0.6]).map((h, axis) => (corner >> axis & 1 ? h : -h)));
      if (this.up === 'z') at.set(at.x, at.z, -at.y);
      far = Math.max(far, at.dot(ahead) + 1.08 * Math.max(Math.abs(at.dot(right)) / wide, Math.abs(at.dot(up)) / tall));
    }
    this.place = [...ahead.multiplyScalar(far), 0, 0, 0];
    this.home = String(this.place);
  }

  // place is the camera as six numbers, for a link.
  get place() { return [...this.camera.position.toArray(), ...this.controls.target.toArray()]; }
  set place(list) {
    if (list.length !== 6 || list.some(x => !Number.isFinite(x) || Math.abs(x) > 1e3)) return;
    this.camera.position.fromArray(list);
    this.controls.target.fromArray(list, 3);
    this.quiet = true;
    this.controls.update();
    this.quiet = false;
    this.draw();
  }

  draw() {
    if (this.due || this.bare) return;
    this.due = requestAnimationFrame(() => this.drawNow());
  }

  // resized draws if the canvas has another size than at the last drawing.
  resized() {
    if (this.canvas.clientWidth !== this.width || this.canvas.clientHeight !== this.height) this.draw();
  }

  get fullRatio() { return Math.min(window.devicePixelRatio || 1, 2); }

  // fit gives the canvas as many pixels as it covers on the screen, up to 2 by 2 per CSS pixel and `most` in all;
  // it returns 0 if it covers none.
  fit(most = Infinity) {
    const {clientWidth: width, clientHeight: height} = this.canvas;
    const ratio = Math.min(this.fullRatio, Math.sqrt(most / (width * height)));
    if (width && height && (this.width !== width || this.height !== height || this.ratio !== ratio)) {
      Object.assign(this, {width, height, ratio});
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(width, height, false);
      this.camera.aspect = width / height;
      this.camera.fov = 2 * Math.atan(Math.tan(Math.PI / 9) * Math.max(1, height / width)) * 180 / Math.PI;
      this.camera.updateProjectionMatrix();
      if (this.home === String(this.place)) this.resetCamera(); // a phone that is turned shows all of the mesh
    }
    return width && height;
  }

  // slow reports whether drawing all triangles takes longer than a picture of a movement may.
  get slow() { return this.mesh && this.indices.length > 3 * fewTriangles && this.took > this.slowAbove; }

  // drawNow draws at once what draw would draw in the next frame, and cancels that drawing.
  drawNow() {
    if (!this.slow) return this.drawWhole();
    this.stop();
    if (!this.fit(fewPixels)) return;
    if (!this.coarse) {
      const {corners, indices} = coarseOf(this, fewTriangles);
      this.coarse = Object.assign(new Mesh(geometryOf(corners), this.material), {indices, frustumCulled: false});
      for (const side of Object.keys(this.steps)) this.color(this.coarse.geometry, indices, side);
    }
    const {edges} = this.uniforms, shown = edges.value;
    edges.value = false; // the edges would be those of the coarse triangles
    this.coarse.rotation.copy(this.mesh.rotation);
    this.render(this.coarse, this.ratio);
    edges.value = shown;
    this.rest = setTimeout(() => this.drawParts(), restAfter);
    this.show(true);
  }

  // drawWhole draws all triangles at once.
  drawWhole() {
    this.stop();
    if (!this.fit()) return;
    const {mesh} = this;
    this.render(mesh ?? new Scene(), this.ratio);
    if (!this.timing) {
      this.timing = true;
      this.time(took => {
        this.timing = false;
        if (mesh === this.mesh) this.took = took;
      });
    }
    this.show(false);
  }

  // drawParts draws all triangles off screen, some in each frame, and then shows the picture. stop ends it early.
  drawParts() {
    const {mesh, renderer, width, height, fullRatio: ratio} = this;
    const target = new WebGLRenderTarget(Math.floor(width * ratio), Math.floor(height * ratio), {samples: 4});
    let begin = 0, took = 0, going = true;
    this.end = () => {
      going = false;
      target.dispose();
      mesh.geometry.setDrawRange(0, Infinity);
    };
    const next = () => {
      const end = begin + this.part;
      mesh.geometry.setDrawRange(3 * begin, 3 * this.part);
      renderer.setRenderTarget(target);
      renderer.autoClear = begin === 0;
      this.render(mesh, ratio);
      renderer.autoClear = true;
      renderer.setRenderTarget(null);
      this.time(more => {
        if (!going) return;
        took += more;
        begin = end;
        this.part = Math.max(1000, Math.round(this.part * (more < partTime / 2 ? 2 : more > partTime ? 0.5 : 1)));
        if (3 * begin < this.indices.length) return next();
        this.took = took;
        this.fit();
        this.copy.material.uniforms.picture.value = target.texture;
        renderer.render(this.copy, this.camera);
        this.stop();
        this.show(false);
      });
    };
    next();
  }

  // stop ends what is being drawn.
  stop() {
    cancelAnimationFrame(this.due);
    clearTimeout(this.rest);
    this.due = 0;
    this.end?.();
    this.end = null;
  }

  // render draws a mesh, with ratio pixels for each pixel of CSS.
  render(mesh, ratio) {
    this.uniforms.divider.value = Math.round((this.split ?? 1) * this.width * ratio);
    this.renderer.render(mesh, this.camera);
  }

  // time calls tell with the milliseconds until the GPU has completed what was drawn.
  time(tell) {
    const gl = this.renderer.getContext(), fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0), began = performance.now();
    gl.flush();
    const look = () => {
      if (!gl.isContextLost() && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) return requestAnimationFrame(look);
      gl.deleteSync(fence);
      tell(performance.now() - began);
    };
    requestAnimationFrame(look);
  }

  show(reduced) {
    this.reduced = reduced;
    this.drawn?.();
  }

  // pick returns the triangle at a place of the canvas, in CSS pixels, and its vertex that is
  // nearest there, or null.
  pick(x, y) {
    if (!this.mesh || !this.width) return null;
    const triangle = this.hit(Math.floor(x) + 0.5, Math.floor(y) + 0.5);
    if (triangle < 0) return null;
    let vertex = 0, least = Infinity;
    for (let corner = 0; corner < 3; corner++) {
      const v = this.indices[3 * triangle + corner], at = this.project(v);
      const distance = at ? Math.hypot(at[0] - x, at[1] - y) : Infinity;
      if (distance < least) [vertex, least] = [v, distance];
    }
    return {triangle, vertex};
  }

  // hit returns the nearest triangle at a point of the canvas, in CSS pixels, or -1.
  hit(x, y) {
    const {mesh, camera} = this, {array: p} = mesh.geometry.getAttribute('position');
    mesh.updateMatrixWorld();
    camera.updateMatrixWorld();
    const local = z => new Vector3(2 * x / this.width - 1, 1 - 2 * y / this.height, z).unproject(camera).applyMatrix4(mesh.matrixWorld.clone().invert());
    const {x: ox, y: oy, z: oz} = local(-1), {x: dx, y: dy, z: dz} = local(1).sub(local(-1));
    let triangle = -1, nearest = 1;
    for (let k = 0; k < p.length; k += 9) {
      // Möller and Trumbore: the ray's origin and direction in coordinates of the triangle.
      const ax = p[k + 3] - p[k], ay = p[k + 4] - p[k + 1], az = p[k + 5] - p[k + 2];
      const bx = p[k + 6] - p[k], by = p[k + 7] - p[k + 1], bz = p[k + 8] - p[k + 2];
      const nx = dy * bz - dz * by, ny = dz * bx - dx * bz, nz = dx * by - dy * bx;
      const scale = 1 / (ax * nx + ay * ny + az * nz);
      const sx = ox - p[k], sy = oy - p[k + 1], sz = oz - p[k + 2];
      const u = scale * (sx * nx + sy * ny + sz * nz);
      if (!(u >= 0 && u <= 1)) continue;
      const qx = sy * az - sz * ay, qy = sz * ax - sx * az, qz = sx * ay - sy * ax;
      const v = scale * (dx * qx + dy * qy + dz * qz), t = scale * (bx * qx + by * qy + bz * qz);
      if (v >= 0 && u + v <= 1 && t >= 0 && t < nearest) [triangle, nearest] = [k / 9, t];
    }
    return triangle;
  }

  // project returns where a vertex is in the canvas, in CSS pixels; null if it is behind the eye.
  project(v) {
    this.mesh.updateMatrixWorld();
    const at = new Vector3(...this.middle.map((m, axis) => (this.positions[3 * v + axis] - m) / this.radius));
    at.applyMatrix4(this.mesh.matrixWorld).project(this.camera);
    return at.z > 1 ? null : [(at.x + 1) / 2 * this.width, (1 - at.y) / 2 * this.height];
  }

  // press moves the camera by a key, and returns whether it has used the key.
  press(event) {
    const turn = 0.12, shift = 40, {controls} = this;
    const moves = event.shiftKey
      ? {ArrowLeft: () => controls.pan(shift, 0), ArrowRight: () => controls.pan(-shift, 0), ArrowUp: () => controls.pan(0, shift), ArrowDown: () => controls.pan(0, -shift)}
      : {ArrowLeft: () => controls.rotateLeft(turn), ArrowRight: () => controls.rotateLeft(-turn), ArrowUp: () => controls.rotateUp(turn), ArrowDown: () => controls.rotateUp(-turn)};
    Object.assign(moves, {'+': () => controls.dollyIn(1 / 0.85), '=': () => controls.dollyIn(1 / 0.85), '-': () => controls.dollyOut(1 / 0.85), Home: () => { this.resetCamera(); this.moved(); }});
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return false;
    moves[event.key]();
    controls.update();
    return true;
  }
}

// stepsOf returns the step of each count: 0 for none, 6 for six or more.
export function stepsOf(counts) {
  const steps = new Uint8Array(counts.length);
  for (let v = 0; v < counts.length; v++) steps[v] = counts[v] < 6 ? counts[v] : 6;
  return steps;
}

// differenceSteps returns the step of each vertex in the project's difference palette: right's
// count minus left's, clamped to -2..2, plus 3.
export function differenceSteps(left, right) {
  const steps = new Uint8Array(left.length);
  for (let v = 0; v < left.length; v++) steps[v] = Math.max(-2, Math.min(2, right[v] - left[v])) + 3;
  return steps;
}
