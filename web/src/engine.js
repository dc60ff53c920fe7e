// The page's side of the worker: starts it, passes requests to it, and replaces it after a cancellation.
// Answers that the page holds ready need no worker.

export class Cancelled extends Error {}

// restored unpacks an answer of web/prepared into the form of the worker's answers.
function restored({Value: value, Positions, Counts}) {
  const lists = {};
  for (const [name, differences] of Object.entries(Counts)) {
    let sum = 0;
    lists[name] = Uint32Array.from(differences, d => (sum += d));
  }
  if (Positions) {
    const from = atob(Positions), bytes = new Uint8Array(from.length), vertices = from.length / 12;
    for (let i = 0; i < from.length; i++) bytes[12 * (i % vertices) + Math.floor(i / vertices)] = from.charCodeAt(i);
    lists.positions = new Float32Array(bytes.buffer);
  }
  return {value, lists};
}

export class Engine {
  // code is the worker's script. packed returns a promise of the WebAssembly program: Zstandard in base 64.
  // ready has answers about the scene at ready.path, by request.
  constructor(code, packed, ready) {
    this.url = URL.createObjectURL(new Blob([code], {type: 'text/javascript'}));
    this.packed = packed;
    this.ready = ready;
    this.next = 1;
    this.waiting = new Map();
  }

  // start starts the worker, unless it runs. It returns a promise that ends when the worker takes requests.
  start() { return this.started ?? this.begin(); }

  begin() {
    this.waiting = new Map();
    this.opened = null;
    this.worker = new Worker(this.url);
    this.worker.onmessage = ({data}) => {
      if (data.ended) return this.restart(new Error(data.ended));
      const w = this.waiting.get(data.id);
      if (!w) return;
      if (data.share !== undefined) return w.told?.(data.share);
      this.waiting.delete(data.id);
      if (data.error !== undefined) w.reject(new Error(data.error));
      else w.resolve(data.answer);
    };
    this.worker.onerror = event => this.restart(new Error(event.message || 'the worker ended'));
    const {worker} = this;
    this.started = (async () => {
      const packed = this.module ? null : await this.packed();
      if (worker !== this.worker) throw new Cancelled('cancelled');
      const {module} = await this.post({start: this.module ? {module: this.module} : {packed}});
      this.module = module;
    })();
    this.started.catch(() => {});
    return this.started;
  }

  async send(message, told) {
    await this.start();
    return this.post(message, told);
  }

  post(message, told) {
    return new Promise((resolve, reject) => {
      const id = this.next++;
      this.waiting.set(id, {resolve, reject, told});
      this.worker.postMessage({id, ...message});
    });
  }

  restart(error) {
    this.worker.terminate();
    const {waiting} = this;
    this.begin();
    for (const w of waiting.values()) w.reject(error);
  }

  cancel() { this.restart(new Cancelled('cancelled')); }

  // known returns the answer that the page holds ready for a request, or null.
  known(source, request) {
    if (source.path !== this.ready.path) return null;
    const {do: what, path = '', strategy = '', order = '', lanes = 0} = request;
    const answer = this.ready.answers[`${what} ${path} ${strategy} ${order} ${lanes}`];
    return answer ? restored(answer) : null;
  }

  // open opens a source: {path}, or {path, files} with the user's files.
  async open(source, told) {
    return this.known(source, {do: 'open', path: source.path}) ?? this.load(source, told);
  }

  // load opens a source in the worker.
  async load(source, told) {
    await this.start();
    const {worker} = this;
    const answer = await this.send({request: {do: 'open', path: source.path}, files: source.files}, told);
    if (worker === this.worker) this.opened = source;
    return answer;
  }

  // ask answers a request on a source: with an answer held ready, or else by the worker, which
  // first opens the source if it has not.
  async ask(source, request, told) {
    const known = this.known(source, request);
    if (known) return known;
    if (this.opened !== source) await this.load(source);
    return this.send({request}, told);
  }
}
