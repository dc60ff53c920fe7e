// A file system in memory, with as much of node's fs as Go's programs in a browser use. Files that
// the user chose never leave it.
const flags = {O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536};

class Failure extends Error {
  constructor(code) { super(code); this.code = code; }
}

export class Memory {
  constructor() {
    this.files = new Map([['/', null], ['/in', null], ['/out', null], ['/tmp', null]]); // null: a folder
    this.open = new Map();
    this.next = 3;
    this.constants = flags;
  }

  // take returns a file's contents and removes the file.
  take(path) {
    const file = this.files.get(path);
    this.files.delete(path);
    return file.bytes.subarray(0, file.size);
  }

  put(path, bytes) { this.files.set(path, {bytes, size: bytes.length}); }

  // fs returns the functions with callbacks that Go calls.
  fs() {
    const find = path => {
      const name = path.length > 1 ? path.replace(/\/+$/, '') : path;
      if (!this.files.has(name)) throw new Failure('ENOENT');
      return this.files.get(name);
    };
    const opened = fd => {
      if (!this.open.has(fd)) throw new Failure('EBADF');
      return this.open.get(fd);
    };
    const status = file => ({
      dev: 0, ino: 0, mode: file ? 0o100644 : 0o40755, nlink: 1, uid: 0, gid: 0, rdev: 0, size: file ? file.size : 0, blksize: 4096, blocks: 0,
      atimeMs: 0, mtimeMs: 0, ctimeMs: 0, isDirectory: () => file === null,
    });
    const calls = {
      open: (path, mode) => {
        let file = this.files.get(path);
        if (file === undefined) {
          if (!(mode & flags.O_CREAT)) throw new Failure('ENOENT');
          this.files.set(path, file = {bytes: new Uint8Array(0), size: 0});
        } else if (mode & flags.O_CREAT && mode & flags.O_EXCL) {
          throw new Failure('EEXIST');
        }
        if (file && mode & flags.O_TRUNC) file.size = 0;
        this.open.set(this.next, {file, at: 0});
        return this.next++;
      },
      close: fd => { this.open.delete(fd); },
      fstat: fd => status(opened(fd).file),
      stat: path => status(find(path)),
      lstat: path => status(find(path)),
      read: (fd, buffer, offset, length, position) => {
        const o = opened(fd), at = position ?? o.at;
        const n = Math.max(0, Math.min(length, o.file.size - at));
        buffer.set(o.file.bytes.subarray(at, at + n), offset);
        if (position === null) o.at += n;
        return n;
      },
      write: (fd, buffer, offset, length, position) => {
        if (fd <= 2) {
          console.error(new TextDecoder().decode(buffer.subarray(offset, offset + length)));
          return length;
        }
        const o = opened(fd), at = position ?? o.at, end = at + length;
        if (end > o.file.bytes.length) {
          const grown = new Uint8Array(Math.max(end, 2 * o.file.bytes.length, 1 << 16));
          grown.set(o.file.bytes.subarray(0, o.file.size));
          o.file.bytes = grown;
        }
        o.file.bytes.set(buffer.subarray(offset, offset + length), at);
        o.file.size = Math.max(o.file.size, end);
        if (position === null) o.at = end;
        return length;
      },
      rename: (from, to) => { this.files.set(to, find(from)); this.files.delete(from); },
      unlink: path => { find(path); this.files.delete(path); },
      rmdir: path => { find(path); this.files.delete(path); },
      mkdir: path => { this.files.set(path, null); },
      readdir: path => [...this.files.keys()].filter(name => name.startsWith(path + '/')).map(name => name.slice(path.length + 1)),
      readlink: () => { throw new Failure('EINVAL'); },
      fsync: () => {}, chmod: () => {}, fchmod: () => {}, utimes: () => {},
    };
    const fs = {constants: flags, writeSync: (fd, buffer) => calls.write(fd, buffer, 0, buffer.length, null)};
    for (const [name, call] of Object.entries(calls)) {
      fs[name] = (...args) => {
        const back = args.pop();
        let result;
        try {
          result = call(...args);
        } catch (failure) {
          back(failure instanceof Failure ? failure : new Failure('EIO'));
          return;
        }
        back(null, result);
      };
    }
    return fs;
  }
}

// unpackedName returns a file's name without the ending of Zstandard's files.
export const unpackedName = name => name.replace(/\.zst$/i, '');
