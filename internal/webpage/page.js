// The page: files in, what was understood, tracks to look at, files out.
(function () {
'use strict';
const el = id => document.getElementById(id);

// ---- the engine -------------------------------------------------------------------

const worker = new Worker(URL.createObjectURL(new Blob([el('worker').textContent, '\n', el('glue').textContent], {type: 'text/javascript'})));
const waiting = new Map();
let count = 0;
worker.onmessage = e => {
  if (e.data.said !== undefined) { notes(e.data.said); return; }
  const [done, failed] = waiting.get(e.data.id);
  waiting.delete(e.data.id);
  if (e.data.fault) failed(new Error(e.data.fault)); else done(e.data);
};
worker.onerror = e => state('the engine stopped: ' + e.message, true);
function ask(order, more, transfer) {
  return new Promise((done, failed) => {
    waiting.set(++count, [done, failed]);
    worker.postMessage({id: count, order, ...more}, transfer || []);
  });
}
function decode(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

// ---- what is shown ------------------------------------------------------------------

function state(text, bad) {
  el('state').textContent = text;
  el('state').className = bad ? 'bad' : '';
}
function notes(text) {
  el('notes').hidden = !text;
  el('notes').textContent = text;
}
function busy(on) {
  for (const b of document.querySelectorAll('button')) b.disabled = on;
  el('go').disabled = on || !names.length;
  document.documentElement.dataset.busy = on ? 'yes' : 'no';
}

// ---- work -----------------------------------------------------------------------------

let names = []; // of the files that were given

// words are the words of a line, blanks inside quotes kept.
const words = line => (line.match(/"[^"]*"|'[^']*'|\S+/g) || []).map(w => w.replace(/^(["'])(.*)\1$/, '$2'));

async function mtt(...args) {
  notes('');
  const done = await ask('run', {args: ['mtt', ...args]});
  notes(done.err);
  return done;
}

// track tracks what was given, or the run that is there, and shows the page about it.
async function track(given) {
  busy(true);
  state('tracking …');
  const begun = performance.now();
  try {
    const done = await mtt('track', ...given, '--format', 'json', ...words(el('options').value));
    if (done.status !== 0) {
      state('mtt ended with status ' + done.status + '; what it says stands below', true);
      return;
    }
    const said = JSON.parse(done.out);
    state(said.tracks + ' tracks, ' + said.left_out + ' detections in none, ' + said.status + ', ' + ((performance.now() - begun) / 1000).toFixed(1) + ' s');
    document.documentElement.dataset.tracks = said.tracks;
    const report = await ask('get', {name: 'run/report.html'});
    el('report').srcdoc = new TextDecoder().decode(report.bytes);
    el('report').hidden = el('out').hidden = false;
  } catch (fault) {
    state(String(fault), true);
  } finally {
    busy(false);
  }
}

async function take(files) {
  if (!files.length) return;
  names = [];
  for (const f of [...files].slice(0, 2)) {
    const bytes = await f.arrayBuffer();
    await ask('put', {name: f.name, bytes}, [bytes]);
    names.push(f.name);
  }
  el('drop').firstChild.textContent = names.join(' and ');
  await track([...names, '-o', 'run']);
}

function save(name, bytes) {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(new Blob([bytes]));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

el('file').onchange = () => take(el('file').files);
el('form').onsubmit = e => { e.preventDefault(); if (names.length) track([...names, '-o', 'run']); };
el('drop').onkeydown = e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); el('file').click(); } };
for (const type of ['dragover', 'dragleave', 'drop']) {
  document.addEventListener(type, e => {
    e.preventDefault();
    el('drop').classList.toggle('over', type === 'dragover');
    if (type === 'drop') take(e.dataTransfer.files);
  });
}
el('example').onclick = async () => {
  busy(true);
  names = [];
  el('drop').firstChild.textContent = 'Drop a file here, or choose one';
  state('simulating …');
  await mtt('simulate', '--targets', '20', '--frames', '40', '--miss', '0.1', '--clutter', '4', '--noise', '0.3', '-o', 'run', '--quiet');
  await track(['run']);
};
for (const b of document.querySelectorAll('[data-file]')) {
  b.onclick = async () => {
    const f = await ask('get', {name: 'run/' + b.dataset.file});
    if (f.bytes) save(b.dataset.file, f.bytes); else state('there is no ' + b.dataset.file, true);
  };
}
el('export').onclick = async () => {
  busy(true);
  const to = el('to').value, name = 'export.' + {csv: 'csv', mot: 'txt', trackmate: 'xml', napari: 'csv', geojson: 'geojson', kitti: 'txt'}[to];
  const done = await mtt('export', 'run', '--to', to, '-o', name);
  busy(false);
  if (done.status !== 0) { state('mtt ended with status ' + done.status + '; what it says stands below', true); return; }
  save(name, (await ask('get', {name})).bytes);
};

globalThis.mttPage = {ask, track, take}; // for tests, and for the curious

busy(true);
const packed = decode(el('engine').textContent).buffer;
el('engine').remove();
ask('load', {packed}, [packed]).then(() => { state('ready'); busy(false); }, fault => state('the engine does not start: ' + fault.message, true));
})();
