// The engine in a worker: the command mtt with files in memory.
'use strict';

// ---- files ------------------------------------------------------------------------

// nodes are files and folders by their path. Those of a file have bytes, and a size.
let number = 3, inode = 1;
const nodes = new Map([['/', folder()]]);
const open = new Map(); // by number: {node, at, append}
const output = {1: '', 2: ''};
const decoder = {1: new TextDecoder(), 2: new TextDecoder()};

function folder() { return {folder: true, ino: inode++, mode: 0o40755, size: 0, time: 0}; }
function file() { return {folder: false, ino: inode++, mode: 0o100644, bytes: new Uint8Array(256), size: 0, time: 0}; }
function fault(code) { return Object.assign(new Error(code), {code}); }
function resolve(...parts) {
  const out = [];
  for (const part of parts.reduce((at, p) => (p.startsWith('/') ? p : at + '/' + p), '/').split('/')) {
    if (part === '..') out.pop(); else if (part && part !== '.') out.push(part);
  }
  return '/' + out.join('/');
}
const parent = path => path.slice(0, Math.max(1, path.lastIndexOf('/')));
const find = path => nodes.get(resolve(path));
function need(path) {
  const n = find(path);
  if (!n) throw fault('ENOENT');
  return n;
}
function place(path) { // where a new entry goes
  const p = resolve(path), above = nodes.get(parent(p));
  if (!above) throw fault('ENOENT');
  if (!above.folder) throw fault('ENOTDIR');
  return p;
}
function inside(path) {
  const p = resolve(path), prefix = p === '/' ? p : p + '/';
  return [...nodes.keys()].filter(k => k !== '/' && k.startsWith(prefix));
}
function resize(n, size) {
  if (size > n.bytes.length) {
    const grown = new Uint8Array(Math.max(size, 2 * n.bytes.length));
    grown.set(n.bytes.subarray(0, n.size));
    n.bytes = grown;
  }
  if (size < n.size) n.bytes.fill(0, size, n.size);
  n.size = size;
}
function stat(n) {
  return {dev: 1, ino: n.ino, mode: n.mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size: n.size, blksize: 4096, blocks: Math.ceil(n.size / 512),
    atimeMs: n.time, mtimeMs: n.time, ctimeMs: n.time, isDirectory: () => n.folder};
}
function handle(fd) {
  const h = open.get(fd);
  if (!h) throw fault('EBADF');
  return h;
}

const O = {O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536};
const calls = {
  open(path, flags) {
    let n = find(path);
    if (n && flags & O.O_CREAT && flags & O.O_EXCL) throw fault('EEXIST');
    if (!n) {
      if (!(flags & O.O_CREAT)) throw fault('ENOENT');
      nodes.set(place(path), n = file());
    }
    if (n.folder && flags & 3) throw fault('EISDIR');
    if (!n.folder && flags & O.O_DIRECTORY) throw fault('ENOTDIR');
    if (flags & O.O_TRUNC && !n.folder) resize(n, 0);
    open.set(number, {node: n, at: 0, append: Boolean(flags & O.O_APPEND)});
    return number++;
  },
  close(fd) { handle(fd); open.delete(fd); },
  read(fd, buffer, offset, length, position) {
    if (fd === 0) return 0;
    const h = handle(fd), from = position === null || position === undefined ? h.at : Number(position);
    if (h.node.folder) throw fault('EISDIR');
    const n = Math.max(0, Math.min(length, h.node.size - from));
    buffer.set(h.node.bytes.subarray(from, from + n), offset);
    if (position === null || position === undefined) h.at += n;
    return n;
  },
  write(fd, buffer, offset, length, position) {
    const bytes = buffer.subarray(offset, offset + length);
    if (fd === 1 || fd === 2) {
      output[fd] += decoder[fd].decode(bytes, {stream: true});
      if (fd === 2) postMessage({said: output[2]});
      return length;
    }
    const h = handle(fd), here = position === null || position === undefined, from = here ? (h.append ? h.node.size : h.at) : Number(position);
    if (from + length > h.node.size) resize(h.node, from + length);
    h.node.bytes.set(bytes, from);
    if (here) h.at = from + length;
    return length;
  },
  stat: path => stat(need(path)),
  lstat: path => stat(need(path)),
  fstat: fd => (fd < 3 ? stat(file()) : stat(handle(fd).node)),
  mkdir(path) {
    const p = place(path);
    if (nodes.has(p)) throw fault('EEXIST');
    nodes.set(p, folder());
  },
  readdir(path) {
    if (!need(path).folder) throw fault('ENOTDIR');
    const p = resolve(path);
    return inside(path).filter(k => parent(k) === p).map(k => k.slice(k.lastIndexOf('/') + 1)).sort();
  },
  rename(from, to) {
    const n = need(from), a = resolve(from), b = place(to);
    if (a === b) return;
    const old = nodes.get(b);
    if (old && old.folder && inside(b).length) throw fault('ENOTEMPTY');
    if (old && old.folder !== n.folder) throw fault(old.folder ? 'EISDIR' : 'ENOTDIR');
    for (const k of inside(a)) {
      nodes.set(b + k.slice(a.length), nodes.get(k));
      nodes.delete(k);
    }
    nodes.delete(a);
    nodes.set(b, n);
  },
  unlink(path) {
    if (need(path).folder) throw fault('EISDIR');
    nodes.delete(resolve(path));
  },
  rmdir(path) {
    if (!need(path).folder) throw fault('ENOTDIR');
    if (inside(path).length) throw fault('ENOTEMPTY');
    nodes.delete(resolve(path));
  },
  truncate(path, length) { resize(need(path), Number(length)); },
  ftruncate(fd, length) { resize(handle(fd).node, Number(length)); },
  chmod(path, mode) { const n = need(path); n.mode = n.mode & ~0o777 | mode & 0o777; },
  fchmod(fd, mode) { const n = handle(fd).node; n.mode = n.mode & ~0o777 | mode & 0o777; },
  chown() {}, fchown() {}, lchown() {}, utimes() {}, fsync() {},
  link() { throw fault('EPERM'); },
  symlink() { throw fault('EPERM'); },
  readlink() { throw fault('EINVAL'); },
};

globalThis.fs = {constants: O, writeSync(fd, buffer) { return calls.write(fd, buffer, 0, buffer.length, null); }};
for (const name of Object.keys(calls)) {
  globalThis.fs[name] = (...args) => {
    const done = args.pop();
    let result;
    try { result = calls[name](...args); } catch (e) { done(e.code ? e : Object.assign(fault('EIO'), {message: String(e)})); return; }
    done(null, result);
  };
}
globalThis.path = {resolve: (...parts) => resolve(...parts)};
let folderNow = '/';
globalThis.process = {getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [], pid: 1, ppid: 0, umask: () => 0o022,
  cwd: () => folderNow, chdir: path => { folderNow = resolve(path); }};

// ---- the program --------------------------------------------------------------------

let program;
async function load(packed) {
  const plain = new Response(packed).body.pipeThrough(new DecompressionStream('gzip'));
  program = await WebAssembly.compile(await new Response(plain).arrayBuffer());
  calls.mkdir('/tmp');
  return {};
}

// run runs a command and returns its exit status and what it wrote.
async function run(args) {
  output[1] = output[2] = '';
  const go = new Go();
  go.argv = args;
  go.env = {TMPDIR: '/tmp', HOME: '/'};
  let status = 0;
  go.exit = code => {
    status = code;
    for (const timer of go._scheduledTimeouts.values()) clearTimeout(timer); // of goroutines that are gone
    go._scheduledTimeouts.clear();
  };
  await go.run(await WebAssembly.instantiate(program, go.importObject));
  open.clear();
  return {status, out: output[1], err: output[2]};
}

const orders = {
  load: m => load(m.packed),
  run: m => run(m.args),
  put(m) {
    const n = file();
    n.bytes = new Uint8Array(m.bytes);
    n.size = n.bytes.length;
    nodes.set(resolve(m.name), n);
    return {};
  },
  get(m) {
    const n = find(m.name);
    return {bytes: n && !n.folder ? n.bytes.slice(0, n.size) : null};
  },
};
onmessage = async e => {
  try {
    postMessage({id: e.data.id, ...(await orders[e.data.order](e.data))});
  } catch (fault) {
    postMessage({id: e.data.id, fault: String(fault)});
  }
};
