// The strategies on the visitor's own GPU, by WebGPU: counts against the CPU reference, and times.
import prelude from './gpu/prelude.wgsl';
import masks from './gpu/masks.wgsl';
import native from './gpu/native.wgsl';
import virtual from './gpu/virtual.wgsl';
import check from './gpu/check.wgsl';
import naiveIndex from './gpu/naive-index.wgsl';
import naive from './gpu/naive.wgsl';
import warp from './gpu/warp.wgsl';
import hash from './gpu/hash.wgsl';
import sort from './gpu/sort.wgsl';
import claim from './gpu/claim.wgsl';

// The strategies with a shader in WGSL. The first shares no vertices; the others must beat it.
export const STRATEGIES = {'naive-index': naiveIndex, naive, warp, hash, sort, claim};
export const LOADS = [0, 256, 512, 1024]; // extra work of the vertex shader, as --load of `shadeonce bench`

const RUN_MS = {timestamps: 20, wall: 50}; // least time of a run: browsers may round timestamps to 0.1 ms, and submitting takes time, too
const RUNS = 5;
const SLOW_MS = 1000; // after that time no further run begins
const MOST_PASSES = 4096; // in a run

// openGPU returns the visitor's GPU, which closes when the signal aborts. If there is none, it throws an
// error of one line that says why.
export async function openGPU(signal) {
  if (!isSecureContext) throw new Error('WebGPU needs a page that comes by https, from this machine, or from a file.');
  if (!navigator.gpu) throw new Error('This browser has no WebGPU, or it is turned off.');
  const adapter = await navigator.gpu.requestAdapter({powerPreference: 'high-performance'});
  if (!adapter) throw new Error('This browser has WebGPU, but offers no GPU of this machine.');
  const requiredFeatures = ['subgroups', 'timestamp-query'].filter(f => adapter.features.has(f)), requiredLimits = {};
  for (const limit of ['maxBufferSize', 'maxStorageBufferBindingSize', 'maxComputeWorkgroupStorageSize']) requiredLimits[limit] = adapter.limits[limit];
  const gpu = new GPU(adapter.info, await adapter.requestDevice({requiredFeatures, requiredLimits}));
  signal.addEventListener('abort', () => gpu.close(signal.reason));
  if (signal.aborted) gpu.close(signal.reason); // aborted while the browser looked for the GPU
  return gpu;
}

// Unfit is the error of a shader that this GPU or browser does not take.
class Unfit extends Error {}

class GPU {
  constructor(info, device) {
    this.device = device;
    this.failed = new Promise((_, reject) => {
      this.fail = reject;
      device.lost.then(({message}) => reject(new Error(`The GPU was lost. ${message}`)));
      device.addEventListener('uncapturederror', ({error}) => reject(new Error(`The GPU refused: ${error.message.split('\n')[0]}`)));
    });
    this.failed.catch(() => {}); // wait passes the error to its callers
    const {subgroupMinSize: least, subgroupMaxSize: most} = info;
    this.native = device.features.has('subgroups') && least === most && [4, 8, 16, 32, 64].includes(most);
    this.lanes = this.native ? most : 32;
    this.lanesText = this.native ? `its own subgroups of ${most} lanes`
      : `subgroups of 32 lanes in shared memory, since ${device.features.has('subgroups') ? `its own have ${least} to ${most}` : 'the browser offers none of its own'}`;
    this.clock = device.features.has('timestamp-query') ? 'timestamps' : 'wall';
    this.name = (info.description || info.device || `${info.vendor} ${info.architecture}`).trim() || 'a GPU that the browser does not name';
    this.software = Boolean(info.isFallbackAdapter);
    const entry = (binding, type) => ({binding, visibility: GPUShaderStage.COMPUTE, buffer: {type}});
    this.layout = device.createBindGroupLayout({entries: [...['read-only-storage', 'read-only-storage', 'read-only-storage', 'storage', 'storage', 'storage', 'uniform'].entries()].map(([i, type]) => entry(i, type))});
    if (this.clock === 'timestamps') {
      this.stamps = device.createQuerySet({type: 'timestamp', count: 2});
      this.stamped = device.createBuffer({size: 16, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC});
    }
  }

  // close destroys the device. Callers that wait get this error, not the browser's later one that the GPU is lost.
  close(error = new Error('The device is closed.')) {
    this.fail(error);
    this.device.destroy();
  }

  wait(promise) { return Promise.race([this.failed, promise]); }

  // done waits for a promise of the browser. If it fails, done fails with the error of the device instead, which
  // may come later and says why.
  done(promise) { return this.wait(promise.catch(() => this.failed)); }

  storage(size, data) {
    const most = Math.min(this.device.limits.maxBufferSize, this.device.limits.maxStorageBufferBindingSize);
    if (size > most) throw new Error(`The mesh is too large for this GPU: it needs a buffer of ${size.toLocaleString('en-US')} bytes, and ${most.toLocaleString('en-US')} are allowed.`);
    const made = this.device.createBuffer({size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC});
    if (data) this.device.queue.writeBuffer(made, 0, data);
    return made;
  }

  async read(from) {
    const copy = this.device.createBuffer({size: from.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST});
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(from, 0, copy, 0, from.size);
    this.device.queue.submit([encoder.finish()]);
    await this.done(copy.mapAsync(GPUMapMode.READ));
    const data = copy.getMappedRange().slice(0);
    copy.destroy();
    return data;
  }

  async pipeline(code, layout = 'auto') {
    this.device.pushErrorScope('validation');
    const module = this.device.createShaderModule({code});
    const error = await this.done(this.device.popErrorScope());
    if (error) throw new Unfit(error.message.split('\n')[0]);
    return this.wait(this.device.createComputePipelineAsync({layout, compute: {module}}).catch(error => { throw new Unfit(error.message.split('\n')[0]); }));
  }

  // dispatch records passes of n workgroups each.
  dispatch(pass, pipeline, group, n, passes = 1) {
    const wide = Math.min(n, this.device.limits.maxComputeWorkgroupsPerDimension);
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    for (let i = 0; i < passes; i++) pass.dispatchWorkgroups(wide, Math.ceil(n / wide));
  }

  // milliseconds returns the time of the passes, by the GPU's clock, or else from submission to completion.
  async milliseconds(pipeline, group, n, passes) {
    const encoder = this.device.createCommandEncoder(), exact = this.clock === 'timestamps';
    const pass = encoder.beginComputePass(exact ? {timestampWrites: {querySet: this.stamps, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1}} : {});
    this.dispatch(pass, pipeline, group, n, passes);
    pass.end();
    if (exact) encoder.resolveQuerySet(this.stamps, 0, 2, this.stamped, 0);
    const began = performance.now();
    this.device.queue.submit([encoder.finish()]);
    if (!exact) {
      await this.done(this.device.queue.onSubmittedWorkDone());
      return performance.now() - began;
    }
    const [from, to] = new BigUint64Array(await this.read(this.stamped));
    return to > from ? Number(to - from) / 1e6 : 0;
  }

  // time repeats passes until a run takes long enough, and returns the times per pass of the median, the fastest
  // and the slowest run. A CPU in place of a GPU says little about GPUs, so one short run is enough.
  async time(...work) {
    const [enough, most] = this.software ? [1, 1] : [RUN_MS[this.clock], RUNS];
    let passes = 1, ms = await this.milliseconds(...work, passes);
    while (ms < enough && passes < MOST_PASSES) {
      passes = Math.min(MOST_PASSES, Math.ceil(passes * Math.max(2, Math.min(10, 1.2 * enough / ms))));
      ms = await this.milliseconds(...work, passes);
    }
    if (ms === 0 && this.clock === 'timestamps') { // the timestamps stand still
      this.clock = 'wall';
      return this.time(...work);
    }
    const runs = [ms], began = performance.now();
    while (runs.length < most && performance.now() - began < SLOW_MS) runs.push(await this.milliseconds(...work, passes));
    runs.sort((a, b) => a - b);
    return {ms: runs[runs.length >> 1] / passes, least: runs[0] / passes, most: runs.at(-1) / passes, runs: runs.length, passes, clock: this.clock};
  }

  // code returns a strategy's shader for a shape of the worker (web/session/session.go).
  code(strategy, shape) {
    const {Lanes, Workgroup, Batch, MaxUnique, Table, Multiplier} = shape, own = Lanes > 0 && this.native;
    const constants = {LANES: Lanes, WORKGROUP: Workgroup, GROUP: Lanes || Workgroup, BATCH: Batch, UNIQUE: MaxUnique, TABLE: Table, MULTIPLIER: Multiplier, SPARE: spare(strategy, shape)};
    return [
      own ? 'enable subgroups;\ndiagnostic(off, subgroup_uniformity);' : '',
      ...Object.entries(constants).map(([name, value]) => `const ${name} = ${value}u;`),
      own ? prelude.replace('local_invocation_index', 'subgroup_invocation_id') : prelude,
      ...(Lanes > 0 ? [masks, own ? native : virtual] : []), STRATEGIES[strategy],
    ].join('\n');
  }
}

// spare returns how many places a batch may need beyond one per index: with warp a triangle may be left for the
// next iteration, which shades its vertices again.
const spare = (strategy, {Lanes, Batch}) => (strategy === 'warp' ? Math.floor(Batch / (Lanes - Lanes % 3)) * (Lanes % 3) : 0);

// measure runs all strategies. ask passes a request to the worker; each strategy's result goes to
// show as soon as it is there.
export async function measure(gpu, ask, order, told, show) {
  const names = Object.keys(STRATEGIES);
  const {lists: {positions, indices}} = await gpu.wait(ask({do: 'stream', order}));
  if (indices.length === 0) throw new Error('The mesh has no triangles.');
  const [index, position] = [gpu.storage(indices.byteLength, indices), gpu.storage(positions.byteLength, positions)];
  const [records, counts, wrong] = [gpu.storage(8 * indices.length / 3), gpu.storage(4 * positions.length / 3), gpu.storage(4)];
  const run = gpu.device.createBuffer({size: 80, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST});
  const checking = await gpu.pipeline(check), layout = gpu.device.createPipelineLayout({bindGroupLayouts: [gpu.layout]});
  const bind = (layout, list) => gpu.device.createBindGroup({layout, entries: list.map((buffer, binding) => ({binding, resource: {buffer}}))});
  const set = (batches, load, counting) => {
    const data = new Float32Array(20);
    for (const i of [0, 5, 10, 15]) data[i] = 1; // the identity: what it computes does not matter for its time
    new Uint32Array(data.buffer).set([batches, load, counting], 16);
    gpu.device.queue.writeBuffer(run, 0, data);
  };

  // one counts a strategy, checks it, and times it with every load.
  const one = async (strategy, result, did) => {
    const {value: shape, lists} = await gpu.wait(ask({do: 'batches', order, strategy, lanes: gpu.lanes}));
    const n = lists.batches.length / 2;
    const batches = gpu.storage(lists.batches.byteLength, lists.batches), vertices = gpu.storage(16 * (indices.length + n * spare(strategy, shape)));
    Object.assign(result, {shape, loads: []});
    try {
      const group = bind(gpu.layout, [index, position, batches, vertices, records, counts, run]);
      const pipeline = await gpu.pipeline(gpu.code(strategy, shape), layout);
      set(n, 0, 1);
      const encoder = gpu.device.createCommandEncoder();
      for (const b of [counts, records, vertices, wrong]) encoder.clearBuffer(b);
      const pass = encoder.beginComputePass();
      gpu.dispatch(pass, pipeline, group, n);
      gpu.dispatch(pass, checking, bind(checking.getBindGroupLayout(0), [index, vertices, records, wrong]), Math.ceil(indices.length / 3 / 256));
      pass.end();
      gpu.device.queue.submit([encoder.finish()]);
      const got = new Uint32Array(await gpu.read(counts));
      result.differ = got.reduce((sum, count, v) => sum + (count !== lists.counts[v]), 0);
      [result.wrong] = new Uint32Array(await gpu.read(wrong));
      for (const load of LOADS) {
        did(result.loads.length);
        set(n, load, 0);
        result.loads.push({load, ...await gpu.time(pipeline, group, n)});
      }
    } finally {
      batches.destroy();
      vertices.destroy();
    }
  };
  for (const [i, strategy] of names.entries()) {
    const result = {strategy};
    try {
      await one(strategy, result, loads => told((i + (1 + loads) / (1 + LOADS.length)) / names.length));
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      result.error = error.message;
    }
    show(result);
  }
}
