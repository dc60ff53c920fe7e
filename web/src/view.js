// The heatmap in WebGL2: triangles whose pixels have the colour of their nearest vertex. It draws
// one side, or two beside a divider, and finds the vertex at a place. It knows neither strategies
// nor the page around it.
import {
  BufferAttribute, BufferGeometry, Color, GLSL3, Mesh, PerspectiveCamera, RawShaderMaterial, Scene, Vector3, WebGLRenderTarget, WebGLRenderer, DoubleSide,
} from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';

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

// Triangles by number, from 1 on, for pick.
const pickShader = `precision highp float;
flat in int triangle;
out vec4 pixel;
void main() {
  uint id = uint(triangle) + 1u;
  pixel = vec4(id & 255u, id >> 8 & 255u, id >> 16 & 255u, id >> 24) / 255.0;
}`;

export class View {
  // moved is called after the camera moved.
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
    const material = fragment => new RawShaderMaterial({glslVersion: GLSL3, vertexShader, fragmentShader: fragment, uniforms: this.uniforms, side: DoubleSide});
    this.material = material(fragmentShader);
    this.picking = material(pickShader);
    this.target = new WebGLRenderTarget(1, 1);
    this.scene = new Scene();
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

  // setMesh shows triangles of vertices, which have no colour until setShown: if that takes long, they
  // are drawn without.
  setMesh(positions, indices) {
    clearTimeout(this.bare);
    this.bare = setTimeout(() => { this.bare = 0; this.draw(); }, 400);
    this.mesh?.geometry.dispose();
    this.scene.clear();
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
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(corners, 3));
    for (const side of ['shownLeft', 'shownRight']) geometry.setAttribute(side, new BufferAttribute(new Uint16Array(indices.length), 1));
    this.mesh = new Mesh(geometry, this.material);
    this.mesh.frustumCulled = false;
    this.scene.add(this.mesh);
    this.turnUp();
    this.draw();
  }

  // setShown sets the steps of a side's vertices, from 0 to 7: places in the palette.
  setShown(side, steps) {
    const attribute = this.mesh.geometry.getAttribute(side === 'right' ? 'shownRight' : 'shownLeft');
    const {indices} = this, packed = attribute.array;
    for (let k = 0; k < indices.length; k += 3) {
      const all = steps[indices[k]] | steps[indices[k + 1]] << 4 | steps[indices[k + 2]] << 8;
      packed[k] = packed[k + 1] = packed[k + 2] = all;
    }
    attribute.needsUpdate = true;
    clearTimeout(this.bare);
    this.bare = 0;
    this.draw();
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

  // resized draws if the canvas has another place on the screen than at the last drawing.
  resized() {
    if (this.canvas.clientWidth !== this.width || this.canvas.clientHeight !== this.height) this.draw();
  }

  // fit gives the canvas as many pixels as its place on the screen has. It reports whether there are any.
  fit() {
    const {clientWidth: width, clientHeight: height} = this.canvas;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
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

  // drawNow draws what draw would draw in the next frame, and that frame does not draw it again.
  drawNow() {
    cancelAnimationFrame(this.due);
    this.due = 0;
    if (!this.fit()) return;
    this.uniforms.divider.value = Math.round((this.split ?? 1) * this.width * this.ratio);
    this.renderer.render(this.scene, this.camera);
    this.drawn?.();
  }

  // pick returns the triangle at a place of the canvas, in CSS pixels, and its vertex that is
  // nearest there, or null.
  pick(x, y) {
    if (!this.mesh || !this.width) return null;
    const {camera, renderer, target} = this;
    camera.setViewOffset(this.width, this.height, Math.floor(x), Math.floor(y), 1, 1);
    this.mesh.material = this.picking;
    const color = renderer.getClearColor(new Color());
    renderer.setRenderTarget(target);
    renderer.setClearColor(0, 0);
    renderer.clear();
    renderer.render(this.scene, camera);
    const id = new Uint8Array(4);
    renderer.readRenderTargetPixels(target, 0, 0, 1, 1, id);
    renderer.setRenderTarget(null);
    renderer.setClearColor(color, 1);
    this.mesh.material = this.material;
    camera.clearViewOffset();
    const triangle = (id[0] | id[1] << 8 | id[2] << 16 | id[3] << 24) - 1;
    if (triangle < 0 || 3 * triangle >= this.indices.length) return null;
    let vertex = 0, least = Infinity;
    for (let corner = 0; corner < 3; corner++) {
      const v = this.indices[3 * triangle + corner], at = this.project(v);
      const distance = at ? Math.hypot(at[0] - x, at[1] - y) : Infinity;
      if (distance < least) [vertex, least] = [v, distance];
    }
    return {triangle, vertex};
  }

  // project returns where a vertex is in the canvas, in CSS pixels; null if it is behind the eye.
  project(v) {
    this.mesh.updateMatrixWorld();
    const at = new Vector3(...this.middle.map((m, axis) => (this.positions[3 * v + axis] - m) / this.radius));
    at.applyMatrix4(this.mesh.matrixWorld).project(this.camera);
    return at.z > 1 ? null : [(at.x + 1) / 2 * this.width, (1 - at.y) / 2 * this.height];
  }

  // press moves the camera by a key; it reports whether the key is one of its own.
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

// differenceSteps returns steps 1 to 5 for vertices that right shades less (-2 or more) to more often
// than left, as the project's difference palette has them.
export function differenceSteps(left, right) {
  const steps = new Uint8Array(left.length);
  for (let v = 0; v < left.length; v++) steps[v] = Math.max(-2, Math.min(2, right[v] - left[v])) + 3;
  return steps;
}
