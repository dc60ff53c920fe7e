// The page's side of the worker: it starts it, passes requests, and starts another one after a
// cancellation.

export class Cancelled extends Error {}

export class Engine {
  // code is the worker's script, packed the WebAssembly program: Zstandard in base 64.
  constructor(code, packed) {
    this.url = URL.createObjectURL(new Blob([code], {type: 'text/javascript'}));
    this.packed = packed;
    this.next = 1;
    this.begin();
  }

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
    const start = this.module ? {module: this.module} : {packed: this.packed};
    this.about = this.send({start}).then(answer => {
      this.module = answer.module;
      return answer.value;
    });
    this.about.catch(() => {});
  }

  send(message, told) {
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

  get busy() { return this.waiting.size > 0; }

  // open opens a source: {path}, or {path, files} with the user's files.
  async open(source, told) {
    const worker = this.worker;
    const answer = await this.send({request: {do: 'open', path: source.path}, files: source.files}, told);
    if (worker === this.worker) this.opened = source;
    return answer;
  }

  // ask executes a request on a source, which a new worker opens first.
  async ask(source, request, told) {
    if (this.opened !== source) await this.open(source);
    return this.send({request}, told);
  }
}
