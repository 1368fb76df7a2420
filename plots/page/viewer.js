// The picture of a page: a scene on a canvas, with time, tracks and errors. Plain
// JavaScript, no library; the arrays come from the script elements named scene-….
(function () {
'use strict';
const el = id => document.getElementById(id);

// ---- data -------------------------------------------------------------------------

const kinds = {i4: Int32Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array};

// array is the array of that name, null where the page has none.
function array(name) {
  const node = el('scene-' + name);
  if (!node) return null;
  const text = node.textContent;
  let bytes;
  if (Uint8Array.fromBase64) {
    bytes = Uint8Array.fromBase64(text);
  } else {
    const raw = atob(text);
    bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  }
  node.remove();
  return new kinds[node.dataset.kind](bytes.buffer, 0, bytes.length / kinds[node.dataset.kind].BYTES_PER_ELEMENT);
}

const head = JSON.parse(el('scene').textContent);
const frame = array('frame'), time = array('time'), ptr = array('ptr');
const scans = frame.length, detections = ptr[scans];
const xyz = ['x', 'y', 'z'].slice(0, head.dim).map(array);
const extra = array('extra'), boxW = array('w'), boxH = array('h');
const tracks = {id: array('trackId'), ptr: array('trackPtr'), hit: array('trackHit')};
const targets = head.truth ? {id: array('truthId'), ptr: array('truthPtr'), hit: array('truthHit')} : null;
const margin = array('margin');
const odds = array('odds');
if (margin) for (let h = 0; h < margin.length; h++) if (Math.abs(margin[h]) < 1e-9) margin[h] = 0; // rounding
const points = xyz[0].length;

const scanOf = new Uint32Array(points); // of each point
for (let k = 0; k < scans; k++) scanOf.fill(k, ptr[k], ptr[k + 1]);
scanOf.set(extra, detections);

// owners says which path each detection belongs to, −1 where none does.
function owners({id, ptr, hit}) {
  const of = new Int32Array(points).fill(-1), n = id.length;
  for (let i = 0; i < n; i++)
    for (let h = ptr[i], end = ptr[i + 1]; h < end; h++) of[hit[h]] = i;
  return of;
}
const trackOf = owners(tracks), targetOf = targets && owners(targets);

// Errors. A link joins two detections of a track that follow each other; it is wrong
// unless both come from the same target. A true link that no track has is missing.
const wrong = new Uint8Array(tracks.hit.length); // whether the link before the hit is wrong
const missing = [];                             // hits of targets whose link before is missing
const errors = [];                              // {scan, track or target, hit, kind}
let trueLinks = 0, judged = false;
const errorsOf = new Uint32Array(tracks.id.length); // of each track
(function judge() {
  const names = p => p && p.hit.some(q => q < detections);
  judged = Boolean(names(targets) && names(tracks));
  if (!judged) return;
  const next = new Int32Array(detections).fill(-1), found = new Uint8Array(detections), hit = tracks.hit, trueHit = targets.hit;
  eachLink(targets, (i, g, h) => { next[trueHit[g]] = trueHit[h]; });
  eachLink(tracks, (i, g, h) => {
    const a = hit[g], b = hit[h];
    if (targetOf[a] < 0 || targetOf[a] !== targetOf[b]) {
      wrong[h] = 1;
      errorsOf[i]++;
      errors.push({scan: scanOf[b], from: scanOf[a], track: i, hit: h, a, b, kind: 'wrong'});
    } else if (next[a] === b) {
      found[a] = 1;
    }
  });
  eachLink(targets, (i, g, h) => {
    trueLinks++;
    const a = trueHit[g], b = trueHit[h];
    if (found[a]) return;
    missing.push([a, b]);
    errors.push({scan: scanOf[b], from: scanOf[a], track: trackOf[a] >= 0 ? trackOf[a] : trackOf[b], target: i, hit: h, a, b, kind: 'missing'});
  });
  errors.sort((a, b) => a.scan - b.scan || (a.kind < b.kind ? 1 : -1));
})();

// eachLink calls what(path, hit, later hit) for detections that follow each other.
function eachLink({id, ptr, hit}, what) {
  for (let i = 0, n = id.length; i < n; i++) {
    let last = -1;
    for (let h = ptr[i], end = ptr[i + 1]; h < end; h++) {
      if (hit[h] >= detections) continue;
      if (last >= 0) what(i, last, h);
      last = h;
    }
  }
}

// Doubt. With margins a hit is as doubtful as its margin is small. Without, it is as
// doubtful as it lies away from the straight line between the hits before and after it, in
// multiples of what is usual in this scene.
const bend = margin ? null : bends();
function bends() {
  const {id, ptr: begin, hit} = tracks, b = new Float32Array(hit.length).fill(NaN), [x, y] = xyz, z = xyz[2] || new Float32Array(points);
  for (let i = 0, n = id.length; i < n; i++) {
    for (let h = begin[i] + 1, end = begin[i + 1] - 1; h < end; h++) {
      const p = hit[h - 1], q = hit[h], r = hit[h + 1], t0 = time[scanOf[p]], t2 = time[scanOf[r]];
      const f = t2 > t0 ? (time[scanOf[q]] - t0) / (t2 - t0) : 0.5;
      const dx = x[q] - x[p] - f * (x[r] - x[p]), dy = y[q] - y[p] - f * (y[r] - y[p]), dz = z[q] - z[p] - f * (z[r] - z[p]);
      b[h] = Math.sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  const every = Math.ceil(b.length / 50000);
  const some = b.filter((d, h) => !Number.isNaN(d) && h % every === 0).sort();
  const usual = some[some.length >> 1] || 1; // the median, of a sample where there are many
  for (let h = 0; h < b.length; h++) b[h] /= usual;
  return b;
}
const doubt = new Float32Array(tracks.id.length).fill(NaN); // of each track: its most doubtful hit
const doubtAt = new Int32Array(tracks.id.length).fill(-1);
for (let i = 0; i < tracks.id.length; i++) {
  for (let h = tracks.ptr[i] + (margin ? 1 : 0); h < tracks.ptr[i + 1]; h++) {
    const d = margin ? margin[h] : bend[h];
    if (Number.isNaN(d)) continue;
    if (doubtAt[i] < 0 || (margin ? d < doubt[i] : d > doubt[i])) { doubt[i] = d; doubtAt[i] = h; }
  }
}

// lower is the first hit of path i in a scan of at least k.
function lower(paths, i, k) {
  let lo = paths.ptr[i], hi = paths.ptr[i + 1];
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (scanOf[paths.hit[mid]] < k) lo = mid + 1; else hi = mid;
  }
  return lo;
}
const first = (paths, i) => scanOf[paths.hit[paths.ptr[i]]];
const last = (paths, i) => scanOf[paths.hit[paths.ptr[i + 1] - 1]];
const length = (paths, i) => paths.ptr[i + 1] - paths.ptr[i];

// ---- state ------------------------------------------------------------------------

const state = {scan: 0, track: -1, playing: false, over: -1, tab: 'tracks', sort: 'doubt', listAt: -1};
const view = {x: 0, y: 0, scale: 1}; // middle of the picture, pixels for a unit
let ax = 0, ay = 1;                  // coordinates that are drawn
const map = el('map'), strip = el('strip'), curves = el('curves'), slider = el('slider');
const unit = head.unit === 'um' ? 'µm' : head.unit;
const number = (x, digits) => Number.isFinite(x) ? String(Number(x.toPrecision(digits || 5))) : '–';
const withUnit = s => unit ? s + ' ' + unit : s;
const uneven = time.some((t, k) => k > 0 && Math.abs(t - time[0] - (time[1] - time[0]) * k) > 1e-6 * Math.abs(t - time[0]));

let colours;
function readColours() {
  const style = getComputedStyle(document.documentElement), get = n => style.getPropertyValue('--' + n).trim();
  colours = {ink: get('ink'), soft: get('soft'), rule: get('rule'), back: get('back'), wrong: get('wrong'), truth: get('truth'),
    dot: get('dot'), accent: get('accent'), card: get('card'), tracks: [0, 1, 2, 3, 4].map(k => get('t' + k))};
}
const colour = i => colours.tracks[i % colours.tracks.length];

// sized fits the pixels of a canvas to its place, and returns its context in CSS pixels.
function sized(canvas) {
  const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  const c = canvas.getContext('2d');
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  return c;
}

// ---- the picture --------------------------------------------------------------------

const middle = {x: 0, y: 0}; // of the picture, pixels
function measure() {
  middle.x = map.clientWidth / 2;
  middle.y = map.clientHeight / 2;
}
const px = q => (xyz[ax][q] - view.x) * view.scale + middle.x;
const up = () => (head.yDown && ay === 1 ? 1 : -1);
const py = q => up() * (xyz[ay][q] - view.y) * view.scale + middle.y;

// box is the extent of the given points, and of the boxes round them.
function box(list) {
  let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
  const n = list ? list.length : points;
  for (let k = 0; k < n; k++) {
    const q = list ? list[k] : k, w = boxW && q < detections ? boxW[q] / 2 : 0, h = boxH && q < detections ? boxH[q] / 2 : 0;
    const x = xyz[ax][q], y = xyz[ay][q];
    if (x - w < x0) x0 = x - w;
    if (x + w > x1) x1 = x + w;
    if (y - h < y0) y0 = y - h;
    if (y + h > y1) y1 = y + h;
  }
  return {x0, x1, y0, y1};
}

// show moves the view to a box.
function show(b, margins) {
  if (!(b.x0 <= b.x1)) return;
  const w = Math.max(map.clientWidth, 50), h = Math.max(map.clientHeight, 50), pad = margins || 1.08;
  view.x = (b.x0 + b.x1) / 2;
  view.y = (b.y0 + b.y1) / 2;
  view.scale = Math.min(w / ((b.x1 - b.x0) * pad || 1e-9), h / ((b.y1 - b.y0) * pad || 1e-9));
  if (!Number.isFinite(view.scale) || view.scale > 1e8) view.scale = 100;
  moved();
}
let everything;
const fit = () => show(everything || (everything = box()));

// The layer below holds whole tracks, truth and detections of all frames. It is drawn in
// slices of a few milliseconds, so that large scenes stay quick to the hand, and shifted
// with the view until it is drawn anew.
const under = document.createElement('canvas');
let underView = null, job = null;
function redrawUnder() {
  if (job) cancelAnimationFrame(job.handle);
  measure();
  const ratio = window.devicePixelRatio || 1, w = map.clientWidth, h = map.clientHeight;
  const next = document.createElement('canvas');
  next.width = Math.max(1, Math.round(w * ratio));
  next.height = Math.max(1, Math.round(h * ratio));
  const c = next.getContext('2d');
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  const at = {x: view.x, y: view.y, scale: view.scale};
  const steps = sceneSteps(c, w, h);
  job = {handle: 0};
  const slice = () => {
    const end = performance.now() + 12;
    let done = false;
    while (!done && performance.now() < end) done = steps.next().done;
    if (done) {
      under.width = next.width;
      under.height = next.height;
      under.getContext('2d').drawImage(next, 0, 0);
      underView = at;
      job = null;
      document.documentElement.dataset.drawn = Math.round(performance.now());
      draw();
    } else {
      job.handle = requestAnimationFrame(slice);
    }
  };
  slice();
}

// sceneSteps draws the layer below, a little at each step.
function* sceneSteps(c, w, h) {
  const inside = (x, y) => x > -50 && y > -50 && x < w + 50 && y < h + 50;
  if (el('dots').checked) {
    const taken = new Uint8Array(Math.ceil(w) * Math.ceil(h)), wide = Math.ceil(w);
    c.fillStyle = colours.dot;
    c.globalAlpha = 0.4;
    const size = detections > 20000 ? 1 : 1.6;
    for (let q = 0; q < detections; q++) {
      if ((q & 16383) === 16383) yield;
      const x = px(q), y = py(q);
      if (!(x >= 0 && y >= 0 && x < w && y < h)) continue;
      const cell = (y | 0) * wide + (x | 0);
      if (taken[cell]) continue;
      taken[cell] = 1;
      c.fillRect(x - size / 2, y - size / 2, size, size);
    }
    c.globalAlpha = 1;
  }
  if (targets && el('truth').checked) yield* allPaths(c, targets, () => colours.truth, points > 20000 ? 2 : 4, 0.7, inside);
  if (el('whole').checked) yield* allPaths(c, tracks, colour, points > 20000 ? 0.7 : 1.2, points > 200000 ? 0.35 : 0.45, inside);
  if (judged) {
    c.strokeStyle = colours.wrong;
    let n = 0;
    for (const e of errors) {
      if ((++n & 4095) === 0) yield;
      c.lineWidth = e.kind === 'wrong' ? 1.8 : 1;
      c.setLineDash(e.kind === 'wrong' ? [] : [3, 2]);
      c.beginPath();
      c.moveTo(px(e.a), py(e.a));
      c.lineTo(px(e.b), py(e.b));
      c.stroke();
    }
    c.setLineDash([]);
  }
}

// allPaths draws whole paths, without what falls into one pixel or lies outside.
function* allPaths(c, paths, colourOf, width, alpha, inside) {
  c.lineWidth = width;
  c.lineJoin = 'round';
  c.globalAlpha = alpha;
  let work = 0;
  for (let i = 0; i < paths.id.length; i++) {
    c.strokeStyle = colourOf(i);
    c.beginPath();
    let x0 = 0, y0 = 0, drawn = false;
    for (let h = paths.ptr[i]; h < paths.ptr[i + 1]; h++) {
      const q = paths.hit[h], x = px(q), y = py(q);
      if (h === paths.ptr[i]) {
        c.moveTo(x, y);
      } else {
        if (Math.abs(x - x0) + Math.abs(y - y0) < 1 && h + 1 < paths.ptr[i + 1]) continue;
        if (inside(x, y) || inside(x0, y0)) { c.lineTo(x, y); drawn = true; } else c.moveTo(x, y);
      }
      x0 = x;
      y0 = y;
    }
    if (drawn) c.stroke();
    work += 40 + length(paths, i);
    if (work > 4000) { work = 0; yield; }
  }
  c.globalAlpha = 1;
}

let waiting = 0; // for the next time that the browser draws
function later() { if (!waiting) waiting = requestAnimationFrame(() => { waiting = 0; draw(); }); }
let settle = 0;
function moved() {
  clearTimeout(settle);
  settle = setTimeout(redrawUnder, underView ? 120 : 0);
  later();
}

// draw draws the picture of this moment: the layer below, trails, detections of the frame.
function draw() {
  measure();
  const c = sized(map), w = map.clientWidth, h = map.clientHeight, k = state.scan;
  c.clearRect(0, 0, w, h);
  if (underView) {
    const s = view.scale / underView.scale;
    const dx = (underView.x - view.x) * view.scale, dy = up() * (underView.y - view.y) * view.scale;
    c.drawImage(under, w / 2 + dx - s * w / 2, h / 2 + dy - s * h / 2, s * w, s * h);
  }
  const trail = Number(el('trail').value), from = Math.max(0, k - trail);
  const now = []; // hits of tracks in this frame
  const perColour = colours.tracks.map(() => new Path2D()), red = new Path2D();
  for (let i = 0; i < tracks.id.length; i++) {
    if (!length(tracks, i) || first(tracks, i) > k || last(tracks, i) < from) continue;
    const path = i === state.track ? null : perColour[i % perColour.length];
    const end = tracks.ptr[i + 1];
    let x0 = 0, y0 = 0, begun = false;
    for (let g = lower(tracks, i, from); g < end && scanOf[tracks.hit[g]] <= k; g++) {
      const q = tracks.hit[g], x = px(q), y = py(q);
      if (begun && wrong[g]) { red.moveTo(x0, y0); red.lineTo(x, y); }
      if (path) { if (begun) path.lineTo(x, y); else path.moveTo(x, y); }
      x0 = x;
      y0 = y;
      begun = true;
      if (scanOf[q] === k) now.push([i, q]);
    }
  }
  c.lineJoin = 'round';
  c.lineWidth = 2;
  perColour.forEach((p, n) => { c.strokeStyle = colours.tracks[n]; c.stroke(p); });
  if (state.track >= 0) drawChosen(c);
  c.strokeStyle = colours.wrong;
  c.lineWidth = 3;
  c.stroke(red);
  // Detections of the frame: rings, filled in the colour of their track.
  const radius = Math.max(2, Math.min(5, 40 / Math.sqrt(1 + ptr[k + 1] - ptr[k])));
  if (el('dots').checked) {
    c.strokeStyle = colours.ink;
    c.lineWidth = 1;
    for (let q = ptr[k]; q < ptr[k + 1]; q++) {
      c.strokeStyle = trackOf[q] >= 0 ? colour(trackOf[q]) : colours.dot;
      if (boxW && boxW[q] > 0 && ay === 1) {
        const bw = boxW[q] * view.scale, bh = boxH[q] * view.scale;
        c.lineWidth = trackOf[q] >= 0 ? 1.6 : 1;
        c.strokeRect(px(q) - bw / 2, py(q) - bh / 2, bw, bh);
        continue;
      }
      c.beginPath();
      c.arc(px(q), py(q), radius, 0, 7);
      c.stroke();
    }
  }
  for (const [i, q] of now) {
    c.fillStyle = colour(i);
    c.beginPath();
    c.arc(px(q), py(q), radius * 0.75, 0, 7);
    c.fill();
  }
  if (el('ids').checked) {
    c.font = '12px sans-serif';
    c.fillStyle = colours.ink;
    for (const [i, q] of now) c.fillText(tracks.id[i], px(q) + radius + 2, py(q) - radius);
  }
  if (state.over >= 0) {
    c.strokeStyle = colours.ink;
    c.lineWidth = 1.5;
    c.beginPath();
    c.arc(px(state.over), py(state.over), 8, 0, 7);
    c.stroke();
  }
  drawScale(c, w, h);
  drawStrip();
}

// drawChosen draws the whole of the chosen track, and where it has been until now.
function drawChosen(c) {
  const i = state.track;
  for (const [colourNow, width, until] of [[colours.back, 6, scans], [colours.ink, 1.2, scans], [colour(i), 3.2, state.scan]]) {
    c.strokeStyle = colourNow;
    c.lineWidth = width;
    c.beginPath();
    for (let h = tracks.ptr[i]; h < tracks.ptr[i + 1] && scanOf[tracks.hit[h]] <= until; h++)
      c.lineTo(px(tracks.hit[h]), py(tracks.hit[h]));
    c.stroke();
  }
}

// drawScale draws a bar of a round length.
function drawScale(c, w, h) {
  const most = Math.min(160, w / 3) / view.scale, power = Math.pow(10, Math.floor(Math.log10(most)));
  const bar = [5, 2, 1].map(f => f * power).find(f => f <= most) || power, x = w - 14;
  c.strokeStyle = c.fillStyle = colours.soft;
  c.lineWidth = 1.5;
  c.beginPath();
  c.moveTo(x - bar * view.scale, h - 14);
  c.lineTo(x - bar * view.scale, h - 10);
  c.lineTo(x, h - 10);
  c.lineTo(x, h - 14);
  c.stroke();
  c.font = '12px sans-serif';
  c.textAlign = 'right';
  c.fillText(withUnit(number(bar)), x, h - 18);
  c.textAlign = 'left';
}

// ---- time ---------------------------------------------------------------------------

// drawStrip draws how many detections each frame has, and where errors are.
function drawStrip() {
  const c = sized(strip), w = strip.clientWidth, h = strip.clientHeight;
  const columns = Math.max(1, Math.min(scans, Math.floor(w))), wide = w / columns;
  if (!drawStrip.bars || drawStrip.bars.length !== columns) {
    const bars = new Float32Array(columns), bad = new Uint32Array(columns), column = k => Math.min(columns - 1, Math.floor(k * columns / scans));
    for (let k = 0; k < scans; k++) bars[column(k)] = Math.max(bars[column(k)], ptr[k + 1] - ptr[k]);
    for (const e of errors) bad[column(e.scan)]++;
    drawStrip.bars = bars;
    drawStrip.bad = bad;
    drawStrip.most = bars.reduce((a, b) => Math.max(a, b), 1);
  }
  c.clearRect(0, 0, w, h);
  const floor = h - 8;
  c.fillStyle = colours.truth;
  drawStrip.bars.forEach((n, k) => c.fillRect(k * wide, floor - n / drawStrip.most * (floor - 2), Math.max(wide - (wide > 4 ? 1 : 0), 0.6), n / drawStrip.most * (floor - 2)));
  c.fillStyle = colours.wrong;
  drawStrip.bad.forEach((n, k) => { if (n) c.fillRect(k * wide, floor + 2, Math.max(wide, 2), 6); });
  if (state.track >= 0 && length(tracks, state.track)) {
    const a = first(tracks, state.track), b = last(tracks, state.track);
    c.fillStyle = colour(state.track);
    c.fillRect(a / scans * w, floor - 2, Math.max((b - a + 1) / scans * w, 2), 3);
  }
  c.fillStyle = colours.accent;
  c.fillRect((state.scan + 0.5) / scans * w - 1, 0, 2, h);
}

function seek(k) {
  state.scan = Math.max(0, Math.min(scans - 1, Math.round(k)));
  slider.value = state.scan;
  const t = time[state.scan], place = uneven || time[0] !== frame[0] || (scans > 1 && time[1] - time[0] !== 1) ? ', ' + number(t, 7) + ' s' : '';
  el('now').textContent = 'frame ' + frame[state.scan] + place + ': ' + (ptr[state.scan + 1] - ptr[state.scan]);
  el('now').title = 'detections of the frame after the colon';
  drawCurves();
  later();
}

function play(on) {
  state.playing = on;
  el('play').textContent = on ? '❚❚' : '▶';
  el('play').setAttribute('aria-label', on ? 'stop' : 'play');
  if (!on) return;
  if (state.scan >= scans - 1) seek(0);
  let begun = null, at = state.scan;
  const step = t => {
    if (!state.playing) return;
    if (begun === null) begun = t;
    at += Math.min(t - begun, 500) / 1000 * Number(el('speed').value);
    begun = t;
    if (at >= scans - 1) { seek(scans - 1); play(false); return; }
    if (Math.floor(at) !== state.scan) seek(Math.floor(at));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

// ---- the list -----------------------------------------------------------------------

const rowHeight = 26;
const sorts = {
  number: ['number', i => i],
  begin: ['from', i => (length(tracks, i) ? first(tracks, i) : 0)],
  length: ['hits', i => -length(tracks, i)],
  doubt: [margin ? 'margin, nat' : 'bend', i => (Number.isNaN(doubt[i]) ? -Infinity : margin ? doubt[i] : -doubt[i])],
};
if (judged) sorts.errors = ['errors', i => -errorsOf[i]];
let order = [];
function sortTracks(by) {
  state.sort = by;
  const key = Float64Array.from(tracks.id, (_, i) => sorts[by][1](i));
  order = Array.from(tracks.id, (_, i) => i).sort((a, b) => (key[a] < key[b] ? -1 : key[a] > key[b] ? 1 : a - b));
  const bar = el('sorts');
  bar.textContent = '';
  for (const name of Object.keys(sorts)) {
    if (name === 'errors') continue;
    const b = document.createElement('button');
    b.type = 'button';
    b.textContent = sorts[name][0];
    b.dataset.sort = name;
    b.setAttribute('aria-pressed', name === by);
    b.onclick = () => { sortTracks(name); rows(true); };
    bar.append(b);
  }
  el('sorts').title = margin ? 'margin: how much dearer, at least, every answer is that links its most doubtful hit otherwise'
    : 'bend: how far its most doubtful hit lies off the line between the one before and the one after, in multiples of the median of the scene';
}
const entries = () => (state.tab === 'errors' ? errors : order);

// rows draws the rows of the list that can be seen.
function rows(fromTop) {
  const list = el('list'), all = entries();
  el('sorts').style.visibility = state.tab === 'tracks' ? 'visible' : 'hidden';
  for (const name of ['errors', 'tracks']) el('tab-' + name).setAttribute('aria-selected', state.tab === name);
  if (fromTop) { list.scrollTop = 0; state.listAt = state.tab === 'tracks' ? order.indexOf(state.track) : -1; }
  el('rows').style.height = all.length * rowHeight + 'px';
  el('rows').textContent = '';
  const begin = Math.max(0, Math.floor(list.scrollTop / rowHeight) - 5);
  const end = Math.min(all.length, begin + Math.ceil((list.clientHeight || 320) / rowHeight) + 10);
  for (let n = begin; n < end; n++) {
    const row = document.createElement('div');
    row.className = 'row ' + (state.tab === 'tracks' ? 'track' : 'error');
    row.style.top = n * rowHeight + 'px';
    row.setAttribute('role', 'option');
    row.setAttribute('aria-selected', n === state.listAt);
    row.dataset.n = n;
    if (state.tab === 'tracks') {
      const i = all[n], cells = [tracks.id[i], length(tracks, i) ? frame[first(tracks, i)] + '–' + frame[last(tracks, i)] : '', length(tracks, i), Number.isNaN(doubt[i]) ? '–' : number(doubt[i], 3)];
      cells.forEach(text => { const s = document.createElement('span'); s.textContent = text; row.append(s); });
      if (errorsOf[i]) { const s = document.createElement('span'); s.className = 'bad'; s.textContent = '  ' + errorsOf[i] + ' wrong'; row.lastChild.append(s); }
    } else {
      row.textContent = errorText(all[n]);
    }
    row.onclick = () => choose(n);
    el('rows').append(row);
  }
}
function errorText(e) {
  const when = frame[e.from] + '→' + frame[e.scan];
  if (e.kind === 'missing') return when + ': target ' + targets.id[e.target] + ' not linked';
  const name = q => (targetOf[q] < 0 ? 'false alarm' : 'target ' + targets.id[targetOf[q]]);
  return when + ': track ' + tracks.id[e.track] + ' from ' + name(e.a) + ' to ' + name(e.b);
}

// choose goes to an entry of the list.
function choose(n) {
  const all = entries();
  if (n < 0 || n >= all.length) return;
  state.listAt = n;
  const list = el('list'), top = n * rowHeight;
  if (top < list.scrollTop || top + rowHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
  if (state.tab === 'errors') {
    const e = all[n];
    select(e.track, false);
    seek(e.scan);
    look([e.a, e.b]);
  } else {
    select(all[n], true);
  }
  rows(false);
}

// look moves the view to some points, with room around them.
function look(list) {
  const b = box(list), all = everything || (everything = box());
  const least = Math.max(all.x1 - all.x0, all.y1 - all.y0) / 25, grow = Math.max(0, least - Math.max(b.x1 - b.x0, b.y1 - b.y0)) / 2;
  show({x0: b.x0 - grow, x1: b.x1 + grow, y0: b.y0 - grow, y1: b.y1 + grow}, 1.6);
}

// select chooses a track, and goes to its most doubtful moment.
function select(i, go) {
  state.track = i;
  el('chosen').hidden = i < 0;
  if (i >= 0) {
    const a = first(tracks, i), b = last(tracks, i), n = length(tracks, i);
    const lines = ['Track ' + tracks.id[i] + ': frames ' + frame[a] + '–' + frame[b] + ', ' + n + ' hits, ' + (b - a + 1 - n || 'no') + (b - a - n === 0 ? ' frame' : ' frames') + ' without'];
    if (doubtAt[i] >= 0) lines.push((margin ? 'least margin ' + number(doubt[i], 4) + ' nat' : 'greatest bend ' + number(doubt[i], 3) + ' times the median') + ', frame ' + frame[scanOf[tracks.hit[doubtAt[i]]]]);
    if (judged) lines.push(errorsOf[i] ? errorsOf[i] + ' wrong links' : 'no wrong link');
    el('what').textContent = lines.join('\n');
    if (go) {
      seek(doubtAt[i] >= 0 ? scanOf[tracks.hit[doubtAt[i]]] : a);
      look(Array.from(tracks.hit.subarray(tracks.ptr[i], tracks.ptr[i + 1])));
    }
  }
  drawCurves();
  later();
}

// drawCurves draws coordinates and doubt of the chosen track against time.
function drawCurves() {
  const i = state.track;
  if (i < 0 || el('chosen').hidden || !length(tracks, i)) return;
  const c = sized(curves), w = curves.clientWidth, h = curves.clientHeight;
  c.clearRect(0, 0, w, h);
  const p = tracks.ptr[i], n = length(tracks, i), t0 = first(tracks, i), t1 = Math.max(last(tracks, i), t0 + 1);
  const series = xyz.map((column, k) => ['xyz'[k], h => column[tracks.hit[h]] + head.origin[k]]);
  series.push([margin ? 'margin' : 'bend', h => (margin ? margin[h] : bend[h])]);
  const high = h / series.length;
  const at = k => 4 + (k - t0) / (t1 - t0) * (w - 8);
  c.font = '11px sans-serif';
  series.forEach(([name, value], s) => {
    let lo = Infinity, hi = -Infinity;
    for (let g = p; g < p + n; g++) { const v = value(g); if (Number.isFinite(v)) { lo = Math.min(lo, v); hi = Math.max(hi, v); } }
    if (lo > hi) return;
    const top = s * high + 14, y = v => top + (high - 18) * (hi > lo ? (hi - v) / (hi - lo) : 0.5);
    c.fillStyle = colours.soft;
    c.fillText(name + ': ' + number(lo, 6) + ' … ' + number(hi, 6), 4, s * high + 11);
    c.strokeStyle = colour(i);
    c.lineWidth = 1.5;
    c.beginPath();
    let gap = true;
    for (let g = p; g < p + n; g++) {
      const v = value(g);
      if (!Number.isFinite(v)) { gap = true; continue; }
      if (gap) c.moveTo(at(scanOf[tracks.hit[g]]), y(v)); else c.lineTo(at(scanOf[tracks.hit[g]]), y(v));
      gap = false;
    }
    c.stroke();
    c.fillStyle = colours.wrong;
    for (let g = p; g < p + n; g++) if (wrong[g] && Number.isFinite(value(g))) c.fillRect(at(scanOf[tracks.hit[g]]) - 2, y(value(g)) - 2, 4, 4);
  });
  if (state.scan >= t0 && state.scan <= t1) {
    c.fillStyle = colours.accent;
    c.fillRect(at(state.scan) - 0.5, 0, 1.5, h);
  }
}

// ---- pointing -------------------------------------------------------------------------

// A grid of all detections, made when it is first needed: cells in order, with their points.
let cells = null;
function grid() {
  if (cells && cells.ax === ax && cells.ay === ay) return cells;
  const b = everything || (everything = box()), side = Math.max(1, Math.min(1024, Math.ceil(Math.sqrt(points / 2))));
  const w = (b.x1 - b.x0) / side || 1, h = (b.y1 - b.y0) / side || 1;
  const cell = q => Math.min(side - 1, Math.floor((xyz[ay][q] - b.y0) / h)) * side + Math.min(side - 1, Math.floor((xyz[ax][q] - b.x0) / w));
  const start = new Uint32Array(side * side + 1), list = new Uint32Array(points);
  for (let q = 0; q < points; q++) start[cell(q) + 1]++;
  for (let k = 0; k < side * side; k++) start[k + 1] += start[k];
  const fill = start.slice();
  for (let q = 0; q < points; q++) list[fill[cell(q)]++] = q;
  return (cells = {ax, ay, b, side, w, h, start, list});
}

// under the pointer: the nearest detection of this frame, else the nearest of a trail or of
// a whole track that is drawn; −1 where nothing is near.
function pick(x, y) {
  let best = -1, least = 12 * 12;
  const k = state.scan;
  for (let q = ptr[k]; q < ptr[k + 1]; q++) {
    const d = (px(q) - x) ** 2 + (py(q) - y) ** 2;
    if (d < least) { least = d; best = q; }
  }
  if (best >= 0) return best;
  const g = grid(), ux = (x - map.clientWidth / 2) / view.scale + view.x, uy = up() * (y - map.clientHeight / 2) / view.scale + view.y, r = 9 / view.scale;
  const clamp = v => Math.max(0, Math.min(g.side - 1, v));
  const c0 = clamp(Math.floor((ux - r - g.b.x0) / g.w)), c1 = clamp(Math.floor((ux + r - g.b.x0) / g.w));
  const r0 = clamp(Math.floor((uy - r - g.b.y0) / g.h)), r1 = clamp(Math.floor((uy + r - g.b.y0) / g.h));
  const whole = el('whole').checked, trail = Number(el('trail').value);
  least = 9 * 9;
  let seen = 0;
  for (let row = r0; row <= r1; row++) {
    for (let at = g.start[row * g.side + c0]; at < g.start[row * g.side + c1 + 1]; at++) {
      const q = g.list[at];
      if (++seen > 200000) return best;
      if (trackOf[q] < 0 || !(whole || trackOf[q] === state.track || (scanOf[q] <= k && scanOf[q] >= k - trail))) continue;
      const d = (px(q) - x) ** 2 + (py(q) - y) ** 2;
      if (d < least) { least = d; best = q; }
    }
  }
  return best;
}

function hover(x, y) {
  const q = pick(x, y), tip = el('tip');
  if (q !== state.over) { state.over = q; later(); }
  tip.hidden = q < 0;
  map.style.cursor = q < 0 ? 'grab' : 'pointer';
  if (q < 0) return;
  const lines = [];
  const i = trackOf[q];
  lines.push(i >= 0 ? 'track ' + tracks.id[i] + ' (' + frame[first(tracks, i)] + '–' + frame[last(tracks, i)] + ')' : 'in no track');
  lines.push('frame ' + frame[scanOf[q]] + (q < detections ? ', detection ' + (q - ptr[scanOf[q]]) : ', no detection'));
  lines.push(withUnit(xyz.map((c, k) => number(c[q] + head.origin[k], 7)).join(', ')));
  if (targetOf) lines.push(targetOf[q] >= 0 ? 'target ' + targets.id[targetOf[q]] : 'false alarm');
  if (i >= 0) {
    let h = lower(tracks, i, scanOf[q]);
    while (h + 1 < tracks.ptr[i + 1] && tracks.hit[h] !== q) h++;
    const d = margin ? margin[h] : bend[h];
    if (Number.isFinite(d)) lines.push(margin ? 'margin ' + number(d, 4) + ' nat' : 'bend ' + number(d, 3));
  }
  tip.textContent = lines.join('\n');
  tip.style.left = Math.max(2, Math.min(x + 14, map.clientWidth - tip.offsetWidth - 4)) + 'px';
  tip.style.top = Math.max(2, Math.min(y + 14, map.clientHeight - tip.offsetHeight - 4)) + 'px';
}

function zoom(by, x, y) {
  const w = map.clientWidth, h = map.clientHeight;
  if (x === undefined) { x = w / 2; y = h / 2; }
  const ux = (x - w / 2) / view.scale + view.x, uy = up() * (y - h / 2) / view.scale + view.y;
  view.scale = Math.max(1e-9, Math.min(1e9, view.scale * by));
  view.x = ux - (x - w / 2) / view.scale;
  view.y = uy - up() * (y - h / 2) / view.scale;
  moved();
}

const pointers = new Map();
let dragged = 0;
const place = e => { const r = map.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
map.addEventListener('pointerdown', e => {
  pointers.set(e.pointerId, place(e));
  map.setPointerCapture(e.pointerId);
  if (pointers.size === 1) dragged = 0;
});
map.addEventListener('pointermove', e => {
  const [x, y] = place(e), was = pointers.get(e.pointerId);
  if (!was) { hover(x, y); return; }
  if (pointers.size === 1) {
    dragged += Math.abs(x - was[0]) + Math.abs(y - was[1]);
    if (dragged > 4) {
      view.x -= (x - was[0]) / view.scale;
      view.y -= up() * (y - was[1]) / view.scale;
      moved();
    }
  } else {
    const other = [...pointers.entries()].find(([id]) => id !== e.pointerId)[1];
    const before = Math.hypot(was[0] - other[0], was[1] - other[1]), after = Math.hypot(x - other[0], y - other[1]);
    dragged = 99;
    if (before > 0) zoom(after / before, (x + other[0]) / 2, (y + other[1]) / 2);
  }
  if (dragged > 4) pointers.set(e.pointerId, [x, y]);
});
const lift = e => {
  if (pointers.delete(e.pointerId) && e.type === 'pointerup' && dragged <= 4 && pointers.size === 0) {
    const [x, y] = place(e);
    hover(x, y);
    const q = state.over, i = q >= 0 ? trackOf[q] : -1;
    select(i, false);
    state.listAt = state.tab === 'tracks' ? order.indexOf(i) : -1;
    if (state.listAt >= 0) el('list').scrollTop = state.listAt * rowHeight - el('list').clientHeight / 2;
    rows(false);
  }
};
map.addEventListener('pointerup', lift);
map.addEventListener('pointercancel', lift);
map.addEventListener('pointerleave', () => { state.over = -1; el('tip').hidden = true; later(); });
map.addEventListener('wheel', e => {
  if (document.activeElement !== map && !e.ctrlKey && !e.metaKey) return;
  e.preventDefault();
  zoom(Math.pow(1.0015, -e.deltaY * (e.deltaMode ? 20 : 1)), ...place(e));
}, {passive: false});
map.addEventListener('dblclick', e => zoom(2, ...place(e)));

// dragTo lets a canvas be used as a slider.
function dragTo(canvas, scanAt) {
  const go = e => { const r = canvas.getBoundingClientRect(); play(false); seek(scanAt((e.clientX - r.left) / r.width)); };
  canvas.addEventListener('pointerdown', e => { canvas.setPointerCapture(e.pointerId); go(e); });
  canvas.addEventListener('pointermove', e => { if (e.buttons) go(e); });
}
dragTo(strip, f => Math.floor(f * scans));
dragTo(curves, f => { const i = state.track; return i < 0 ? state.scan : first(tracks, i) + f * (last(tracks, i) - first(tracks, i)); });

// ---- doubtful links ---------------------------------------------------------------------

// The least probable links, or those with the least margins, each with a picture of what lies around it.
const mostLinks = 240, linksAtOnce = 12;
const sure = odds || margin; // how sure the link before each hit is
const doubtful = []; // {track, a, b, h}, the least sure first
if (margin) {
  const all = [];
  eachLink(tracks, (i, g, h) => { if (Number.isFinite(sure[h])) all.push(sure[h]); });
  const most = Float32Array.from(all).sort()[Math.min(mostLinks, all.length) - 1];
  eachLink(tracks, (i, g, h) => { if (sure[h] <= most) doubtful.push({track: i, a: tracks.hit[g], b: tracks.hit[h], h}); });
  doubtful.sort((x, y) => sure[x.h] - sure[y.h] || x.h - y.h);
  doubtful.length = Math.min(doubtful.length, mostLinks);
}

// said is how sure the link before hit h is. A link that came after what was proved has no margin.
function said(h) {
  const least = Number.isFinite(margin[h]) ? 'margin ' + number(margin[h], 3) + ' nat' : 'no margin';
  return odds ? 'probability ' + number(1 / (1 + Math.exp(-odds[h])), 3) + ', ' + least : least;
}

// showLinks adds pictures of the next links to the list.
function showLinks() {
  const list = el('links');
  for (const e of doubtful.slice(list.children.length, list.children.length + linksAtOnce)) {
    const figure = document.createElement('figure'), canvas = document.createElement('canvas'), caption = document.createElement('figcaption');
    const go = () => {
      select(e.track, false);
      seek(scanOf[e.b]);
      look([e.a, e.b]);
      el('viewer').scrollIntoView({block: 'nearest'});
    };
    figure.tabIndex = 0;
    figure.setAttribute('role', 'button');
    figure.onclick = go;
    figure.onkeydown = key => { if (key.key === 'Enter') go(); };
    canvas.setAttribute('aria-hidden', 'true');
    figure.append(canvas, caption);
    list.append(figure);
    const across = drawLink(canvas, e);
    caption.textContent = said(e.h) + '\ntrack ' + tracks.id[e.track] + ', frame ' + frame[scanOf[e.a]] + ' → ' + frame[scanOf[e.b]] +
      '\n' + withUnit(number(across, 2)) + ' across';
    if (!judged) continue;
    const verdict = document.createElement('span');
    verdict.className = wrong[e.h] ? 'bad' : '';
    verdict.textContent = wrong[e.h] ? ', wrong' : ', right';
    caption.append(verdict);
  }
  el('doubts-more').hidden = list.children.length === doubtful.length;
}

// drawLink draws a link, the detections of its two frames, and the tracks there from a few frames before
// to a few after. It returns how much the picture is wide.
function drawLink(canvas, {track, a, b, h}) {
  const c = sized(canvas), w = canvas.clientWidth, high = canvas.clientHeight, [x, y] = [xyz[ax], xyz[ay]];
  const k0 = scanOf[a], k1 = scanOf[b], midX = (x[a] + x[b]) / 2, midY = (y[a] + y[b]) / 2;
  // Room for the link and the three nearest detections that it might have led to.
  const own = Math.hypot(x[b] - x[a], y[b] - y[a]), near = [];
  for (let q = ptr[k1]; q < ptr[k1 + 1]; q++) if (q !== b) near.push(Math.hypot(x[q] - midX, y[q] - midY));
  near.sort((p, q) => p - q);
  const all = everything || (everything = box()), least = Math.max(all.x1 - all.x0, all.y1 - all.y0) / 1000 || 1;
  const half = Math.max(least, own, Math.min(near[Math.min(2, near.length - 1)] || 0, 6 * (own || near[0] || 0))) * 1.15;
  const scale = Math.min(w, high) / (2 * half), qx = q => (x[q] - midX) * scale + w / 2, qy = q => up() * (y[q] - midY) * scale + high / 2;
  const inside = q => Math.abs(x[q] - midX) * scale < w && Math.abs(y[q] - midY) * scale < high;
  c.clearRect(0, 0, w, high);
  c.lineJoin = 'round';
  for (let i = 0; i < tracks.id.length; i++) {
    if (!length(tracks, i) || first(tracks, i) > k1 + 3 || last(tracks, i) < k0 - 3) continue;
    c.strokeStyle = colour(i);
    c.lineWidth = i === track ? 3 : 1.5;
    c.beginPath();
    for (let g = lower(tracks, i, k0 - 3); g + 1 < tracks.ptr[i + 1] && scanOf[tracks.hit[g + 1]] <= k1 + 3; g++) {
      const p = tracks.hit[g], q = tracks.hit[g + 1];
      if (!inside(p) && !inside(q)) continue;
      c.moveTo(qx(p), qy(p));
      c.lineTo(qx(q), qy(q));
    }
    c.stroke();
  }
  c.setLineDash([4, 3]);
  c.strokeStyle = colours.wrong;
  c.lineWidth = 1.5;
  for (const [p, q] of missing) {
    if (p !== a && q !== b) continue;
    c.beginPath();
    c.moveTo(qx(p), qy(p));
    c.lineTo(qx(q), qy(q));
    c.stroke();
  }
  c.setLineDash([]);
  for (const [stroke, width] of [[colours.back, 8], [wrong[h] ? colours.wrong : colours.ink, 4]]) {
    c.strokeStyle = stroke;
    c.lineWidth = width;
    c.beginPath();
    c.moveTo(qx(a), qy(a));
    c.lineTo(qx(b), qy(b));
    c.stroke();
  }
  for (const k of new Set([k0, k1])) { // rings before, dots after
    for (let q = ptr[k]; q < ptr[k + 1]; q++) {
      if (!inside(q)) continue;
      c.fillStyle = c.strokeStyle = trackOf[q] >= 0 ? colour(trackOf[q]) : colours.dot;
      c.lineWidth = 1.6;
      c.beginPath();
      c.arc(qx(q), qy(q), 4.5, 0, 7);
      if (k === k0) { c.save(); c.fillStyle = colours.back; c.fill(); c.restore(); c.stroke(); } else c.fill();
    }
  }
  return w / scale;
}

// beginLinks makes the list, where there are margins.
function beginLinks() {
  if (!doubtful.length) return;
  el('doubts').hidden = false;
  el('doubts-about').textContent = (odds ? 'The least probable links. Margins say' : 'The links with the least margins:') +
    ' how much dearer, at least, every answer is that has something else there. ' +
    'Rings are the detections before the link, dots those after it; the lines are tracks from three frames before to three after. A click shows it above.';
  el('doubts-more').onclick = showLinks;
  showLinks();
}
const redrawLinks = () => { Array.from(el('links') ? el('links').children : [], (figure, n) => drawLink(figure.firstChild, doubtful[n])); };

// ---- controls and keys ------------------------------------------------------------------

slider.max = Math.max(0, scans - 1);
slider.addEventListener('input', () => { play(false); seek(Number(slider.value)); });
el('play').onclick = () => play(!state.playing);
el('in').onclick = () => zoom(1.5);
el('out').onclick = () => zoom(1 / 1.5);
el('fit').onclick = fit;
el('list').addEventListener('scroll', () => rows(false), {passive: true});
for (const id of ['trail', 'ids']) el(id).addEventListener('change', later);
for (const id of ['whole', 'truth', 'dots']) el(id).addEventListener('change', redrawUnder);
el('side').addEventListener('change', () => {
  const side = el('side').value;
  ax = 'xyz'.indexOf(side[0]);
  ay = 'xyz'.indexOf(side[1]);
  everything = null;
  underView = null;
  fit();
});
for (const name of ['errors', 'tracks']) el('tab-' + name).onclick = () => { state.tab = name; rows(true); };
el('find').addEventListener('input', () => {
  const i = tracks.id.indexOf(Number(el('find').value || NaN));
  if (i < 0) return;
  state.tab = 'tracks';
  choose(order.indexOf(i));
});
document.addEventListener('keydown', e => {
  if (e.altKey || e.metaKey || e.ctrlKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target !== slider) return;
  const step = e.shiftKey ? 10 : 1, before = state.tab;
  switch (e.key) {
    case ' ': if (e.target.tagName === 'BUTTON' || e.target.tagName === 'SUMMARY') return; play(!state.playing); break;
    case 'ArrowLeft': play(false); seek(state.scan - step); break;
    case 'ArrowRight': play(false); seek(state.scan + step); break;
    case 'ArrowUp': case 'ArrowDown':
      if (e.target !== el('list')) return;
      choose(Math.max(0, state.listAt + (e.key === 'ArrowUp' ? -1 : 1)));
      break;
    case 'Home': play(false); seek(0); break;
    case 'End': play(false); seek(scans - 1); break;
    case '+': case '=': zoom(1.5); break;
    case '-': zoom(1 / 1.5); break;
    case '0': fit(); break;
    case 'n': choose(state.listAt + 1); break;
    case 'p': choose(Math.max(0, state.listAt - 1)); break;
    case 'e':
      if (!errors.length) return;
      state.tab = 'errors';
      if (before !== 'errors') rows(true);
      choose((state.listAt + 1) % errors.length);
      break;
    case 'Escape': select(-1); state.listAt = -1; rows(false); break;
    case '?': el('help').hidden = !el('help').hidden; break;
    default: return;
  }
  e.preventDefault();
});

// ---- begin --------------------------------------------------------------------------------

function legend() {
  const parts = [tracks.id.length + ' tracks', detections + ' detections'];
  if (targets) parts.unshift(targets.id.length + ' targets');
  let free = 0;
  for (let q = 0; q < detections; q++) if (trackOf[q] < 0) free++;
  parts.push(free + ' in no track');
  el('legend').textContent = parts.join(' · ');
  if (judged) {
    const bad = document.createElement('b');
    const n = errors.length - missing.length;
    bad.className = errors.length ? 'bad' : '';
    bad.textContent = ' · ' + n + ' wrong links, ' + missing.length + ' of ' + trueLinks + ' true ones missing';
    el('legend').append(bad);
  }
  const data = document.documentElement.dataset;
  data.tracks = tracks.id.length;
  data.detections = detections;
  data.free = free;
  data.errors = errors.length;
  data.wrong = errors.length - missing.length;
  data.missing = missing.length;
  data.links = trueLinks;
}

el('viewer').hidden = false;
el('side').parentElement.hidden = head.dim < 3;
el('truth').parentElement.hidden = !targets;
el('tab-errors').hidden = !judged;
el('tab-errors').textContent = errors.length + ' errors';
el('tab-tracks').textContent = tracks.id.length + ' tracks';
state.tab = errors.length ? 'errors' : 'tracks';
readColours();
sortTracks('doubt');
rows(true);
legend();
fit();
// The page opens at the worst place: the first error, or the middle of the scene.
const wanted = new URLSearchParams(location.hash.slice(1));
seek(wanted.has('frame') ? Math.max(0, frame.indexOf(Number(wanted.get('frame')))) : errors.length ? errors[0].scan : Math.floor(scans / 2));
if (wanted.has('track')) { state.tab = 'tracks'; choose(order.indexOf(tracks.id.indexOf(Number(wanted.get('track'))))); }
beginLinks();
const redraw = () => { readColours(); drawCurves(); redrawLinks(); redrawUnder(); later(); };
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
let wide = map.clientWidth;
new ResizeObserver(() => { if (map.clientWidth !== wide) { wide = map.clientWidth; fit(); rows(false); redrawLinks(); } }).observe(map);
window.addEventListener('beforeprint', () => { for (const d of document.querySelectorAll('details')) d.open = true; });
draw();
document.documentElement.dataset.ready = Math.round(performance.now());
})();
