"""The script of the page of ``heddle trace``."""

SCRIPT = r"""
'use strict';
const trace = JSON.parse(document.getElementById('trace').textContent);
const find = id => document.getElementById(id);
const warps = trace.warps.map(readWarp);
const most = Math.max(0, trace.end - 1);
let tick = 0, chosen = 0, timer = null;

function readWarp(raw) {
  const steps = raw.steps.map(([place, lanes, tick, wait, requests]) => ({ place, lanes, tick, wait, requests }));
  // waiting: the lanes at a barrier after the step. last: the last step of each lane.
  const last = new Array(32).fill(-1);
  let waiting = 0;
  steps.forEach((step, number) => {
    waiting = step.wait === 'barrier' ? waiting | step.lanes : waiting & ~step.lanes;
    step.waiting = waiting;
    for (let lane = 0; lane < 32; ++lane)
      if (has(step.lanes, lane)) last[lane] = number;
  });
  return { lanes: raw.lanes, steps, last };
}

function has(mask, lane) { return (mask >>> lane & 1) === 1; }
function countLanes(mask) { let n = 0; for (; mask; mask &= mask - 1) ++n; return n; }
function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}
function plural(n, one, many) { return `${n} ${n === 1 ? one : many || one + 's'}`; }

/* The number of a warp's last step up to now; -1 before the first one. */
function stepNow(warp) {
  let low = 0, high = warp.steps.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (warp.steps[middle].tick <= tick) low = middle + 1; else high = middle;
  }
  return low - 1;
}

function stateOf(warp, number, lane) {
  if (!has(warp.lanes, lane)) return '';
  const step = warp.steps[number];
  const runs = step && step.tick === tick;
  if (runs && has(step.lanes, lane)) return step.wait === 'barrier' ? 'waiting' : 'active';
  if (warp.last[lane] <= number) return 'ended';
  return step && has(step.waiting, lane) ? 'waiting' : 'idle';
}

/* True if a warp waits at the barrier of its last step. */
function waitsAt(warp, number) {
  return warp.steps[number].wait === 'barrier' && number < warp.steps.length - 1;
}

/* Returns the words for what a warp does now, for the end of its row. */
function describeRow(warp, number) {
  const step = warp.steps[number];
  if (!step) return 'starts';
  if (step.tick === tick || waitsAt(warp, number))
    return (step.wait === 'barrier' ? 'waits ' : 'line ') + trace.places[step.place][1];
  return number === warp.steps.length - 1 ? 'ended' : '';
}

function threadOf(warp, lane) {
  const [x, y] = trace.blockShape, linear = 32 * warp + lane;
  return `(${linear % x}, ${Math.floor(linear / x) % y}, ${Math.floor(linear / (x * y))})`;
}

// The parts of the page.

const lines = [];    // by place: the elements of its line
const rows = [];     // by warp

function buildSource() {
  trace.files.forEach((file, index) => {
    const code = make('div', { className: 'code' });
    const costs = new Map(trace.places.filter(p => p[0] === index).map(p => [p[1], p[2]]));
    file.lines.forEach((text, n) => {
      const number = file.first + n, warpsHere = make('span', { className: 'warps' });
      const label = make('span', { className: 'number', textContent: number });
      const line = make('p', { className: costs.has(number) ? '' : 'never' }, label, text, warpsHere);
      const cost = make('p', { className: 'cost' });
      for (const [text, isBad] of costs.get(number) || [])
        cost.append(make(isBad ? 'b' : 'span', { textContent: text }), '  ');
      code.append(line, cost);
      trace.places.forEach((place, p) => {
        if (place[0] === index && place[1] === number) lines[p] = { line, cost, warpsHere };
      });
    });
    find('source').append(make('h2', { textContent: file.name }), code);
  });
}

function buildLanes() {
  find('lanes').classList.toggle('many', warps.length > 8);
  warps.forEach((warp, number) => {
    const cells = make('div', { className: 'cells' }), words = make('span');
    for (let lane = 0; lane < 32; ++lane) cells.append(make('div', { className: 'lane' }));
    const row = make('div', { className: 'row' }, make('span', { textContent: `warp ${number}` }), cells, words);
    row.addEventListener('click', () => { chosen = number; show(); });
    rows.push({ row, cells, words });
    find('lanes').append(row);
  });
}

function showLanes() {
  warps.forEach((warp, w) => {
    const number = stepNow(warp), { row, cells, words } = rows[w];
    row.classList.toggle('chosen', w === chosen);
    words.textContent = describeRow(warp, number);
    for (let lane = 0; lane < 32; ++lane) {
      const state = stateOf(warp, number, lane), cell = cells.children[lane];
      cell.className = 'lane ' + state;
      cell.title = state && `warp ${w}, lane ${lane}, thread ${threadOf(w, lane)}: ${names[state]}`;
    }
  });
}
const names = { active: 'active', waiting: 'at a barrier', idle: 'inactive', ended: 'ended' };

function showSource() {
  const here = new Map();
  warps.forEach((warp, w) => {
    const number = stepNow(warp), step = warp.steps[number];
    if (!step || step.tick !== tick && !waitsAt(warp, number)) return;
    here.set(step.place, [...(here.get(step.place) || []), w]);
  });
  lines.forEach((shown, place) => {
    if (!shown) return;
    const list = here.get(place) || [], isNow = list.includes(chosen);
    for (const part of [shown.line, shown.cost]) {
      part.classList.toggle('now', isNow);
      part.classList.toggle('other', !isNow && list.length > 0);
    }
    shown.warpsHere.textContent = list.length && warps.length > 1 ? nameWarps(list) : '';
    if (isNow) scrollTo(shown.line);
  });
}

function nameWarps(list) {
  if (list.length === warps.length) return 'all warps';
  const numbers = list.length > 6 ? `${list.slice(0, 5).join(' ')} ...` : list.join(' ');
  return (list.length > 1 ? 'warps ' : 'warp ') + numbers;
}

function scrollTo(line) {
  const box = find('source'), top = line.offsetTop - 30;
  if (top < box.scrollTop || line.offsetTop + 40 > box.scrollTop + box.clientHeight)
    box.scrollTop = top - box.clientHeight / 3;
}

function showRequests() {
  const warp = warps[chosen], number = stepNow(warp), step = warp.steps[number];
  const runs = step && step.tick === tick, requests = runs ? step.requests : [];
  find('warp-name').textContent = `warp ${chosen}`;
  find('now').textContent = describeNow(warp, number);
  find('requests').replaceChildren(...requests.map(formatRequest));
  if (runs && !requests.length && step.wait !== 'barrier')
    find('requests').append(make('p', {
      className: 'none', textContent: 'This step accesses no global or shared memory.',
    }));
}

function describeNow(warp, number) {
  const step = warp.steps[number];
  if (!step) return 'The warp has not started.';
  const line = `line ${trace.places[step.place][1]}`;
  if (step.wait === 'barrier' && step.tick === tick || waitsAt(warp, number))
    return `Waits at the barrier in ${line}: ${countWaiting()} of ${plural(countThreads(), 'thread')} wait.`;
  if (step.tick !== tick) return 'All threads of the warp have ended.';
  const kind = step.wait === 'warp' ? ', a warp operation' : '', lanes = countLanes(step.lanes);
  return `${plural(lanes, 'lane')} of 32 ${lanes === 1 ? 'runs' : 'run'} ${line}${kind}.`;
}

function countWaiting() {
  let n = 0;
  for (const warp of warps)
    for (let lane = 0, number = stepNow(warp); lane < 32; ++lane) n += stateOf(warp, number, lane) === 'waiting';
  return n;
}
function countThreads() { return warps.reduce((sum, warp) => sum + countLanes(warp.lanes), 0); }

function readRequest(raw) {
  const [op, array, isShared, size, lanes, units, needed, addresses] = raw;
  const listed = [];
  for (let lane = 0; lane < 32; ++lane)
    if (has(lanes, lane)) {
      const n = listed.length;
      listed.push([lane, addresses.each ? addresses.each[n] : addresses[0] + n * addresses[1]]);
    }
  return { op, array: trace.arrays[array], isShared, size, units, needed, listed };
}

function formatRequest(raw) {
  const request = readRequest(raw), isMore = request.units > request.needed;
  const what = { read: 'reads', write: 'writes', atomic: 'atomically updates' }[request.op];
  const name = request.array || (request.isShared ? 'shared memory' : 'global memory');
  const head = make('p', {}, make('b', { textContent: `${what} ${name}` }), `, ${request.size} bytes per lane: `);
  let text, picture;
  if (request.isShared) {
    const ways = Number((request.units / request.needed).toFixed(1));
    text = isMore ? `${ways}-way bank conflict, ${request.units} passes instead of ${request.needed}`
                  : 'no bank conflict';
    picture = drawBanks(request);
  } else {
    text = `${plural(request.units, 'sector')} of 32 bytes` + (isMore ? `, ${request.needed} would suffice` : '');
    picture = drawSectors(request);
  }
  const color = isSlow(request.units, request.needed) ? 'bad' : isMore ? '' : 'good';
  head.append(make('span', { className: color, textContent: text }));
  return make('div', { className: 'request' }, head, picture);
}

/* True for twice the sectors or passes that suffice. */
function isSlow(units, needed) { return units >= 2 * needed; }

function drawSectors({ listed, size }) {
  const sectors = new Map();
  for (const [lane, address] of listed)
    for (let byte = address; byte < address + size; byte += Math.min(4, size)) {
      const sector = Math.floor(byte / 32), word = Math.floor(byte % 32 / 4);
      if (!sectors.has(sector)) sectors.set(sector, Array.from({ length: 8 }, () => []));
      const there = sectors.get(sector)[word];
      if (!there.includes(lane)) there.push(lane);
    }
  const order = [...sectors.keys()].sort((a, b) => a - b);
  return make('div', { className: 'sectors' }, ...order.map(sector => make('div', {
    className: 'sector', title: `bytes ${32 * sector} to ${32 * sector + 31}`,
  }, ...sectors.get(sector).map((lanes, word) => make('span', {
    className: lanes.length ? 'used' : '',
    title: `bytes ${32 * sector + 4 * word} to ${32 * sector + 4 * word + 3}: ` +
      (lanes.length ? `lanes ${lanes.join(', ')}` : 'no lane'),
  })))));
}

/* The passes that a request needs: each box is a word that lanes access in the bank. */
function drawBanks({ listed, size }) {
  const banks = Array.from({ length: 32 }, () => new Map()), together = 128 / Math.max(4, size);
  for (const [lane, address] of listed)
    for (let word = Math.floor(address / 4); word <= Math.floor((address + size - 1) / 4); ++word) {
      const key = `${Math.floor(lane / together)} ${word}`, words = banks[word % 32];
      words.set(key, [...(words.get(key) || []), lane]);
    }
  const isHigh = Math.max(...banks.map(words => words.size)) > 8;
  return make('div', { className: isHigh ? 'banks high' : 'banks' }, ...banks.map((words, bank) => {
    const parts = {};
    return make('div', { className: 'bank', title: `bank ${bank}: ${plural(words.size, 'word')}` },
      make('b', { textContent: bank }),
      ...[...words].map(([key, lanes]) => {
        const part = key.split(' ')[0];
        parts[part] = (parts[part] || 0) + 1;
        return make('span', {
          className: parts[part] > 1 ? 'more' : '', textContent: lanes[0],
          title: `bank ${bank}, word ${key.split(' ')[1]}: ${lanes.length > 1 ? 'lanes' : 'lane'} ${lanes.join(', ')}`,
        });
      }));
  }));
}

// The timeline.

let drawn = null; // the timeline without the mark of the current step

function drawTimeline() {
  const canvas = find('timeline'), ratio = window.devicePixelRatio || 1;
  const rowHeight = Math.max(2, Math.min(8, Math.floor(72 / warps.length))), width = canvas.clientWidth;
  const height = rowHeight * warps.length + 4;
  canvas.style.height = `${height}px`;
  drawn = make('canvas', { width: width * ratio, height: height * ratio });
  canvas.width = drawn.width;
  canvas.height = drawn.height;
  const draw = drawn.getContext('2d'), at = t => Math.round(t / Math.max(1, trace.end) * width);
  const [active, idle, waiting, bad] = ['--active', '--idle', '--waiting', '--bad'].map(colorOf);
  draw.scale(ratio, ratio);
  warps.forEach((warp, w) => {
    const y = 2 + w * rowHeight, h = rowHeight > 3 ? rowHeight - 1 : rowHeight;
    warp.steps.forEach((step, number) => {
      const isWait = step.wait === 'barrier', next = warp.steps[number + 1];
      const x = at(step.tick), end = at(isWait && next ? next.tick : step.tick + 1);
      const share = isWait ? 1 : countLanes(step.lanes) / 32, wide = Math.max(1, end - x);
      draw.fillStyle = idle;
      draw.fillRect(x, y, wide, h);
      draw.fillStyle = isWait ? waiting : step.requests.some(r => isSlow(r[5], r[6])) ? bad : active;
      draw.fillRect(x, y + h * (1 - share), wide, h * share);
    });
  });
  markTimeline();
}

function colorOf(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

function markTimeline() {
  const canvas = find('timeline'), draw = canvas.getContext('2d');
  draw.clearRect(0, 0, canvas.width, canvas.height);
  draw.drawImage(drawn, 0, 0);
  draw.fillStyle = colorOf('--text');
  draw.fillRect((tick + 0.5) / Math.max(1, trace.end) * canvas.width - 1, 0, 2, canvas.height);
}

// The controls.

function show() {
  showLanes();
  showSource();
  showRequests();
  markTimeline();
  find('slider').value = tick;
  find('count').textContent = `step ${Math.min(tick + 1, trace.end)} of ${trace.end}`;
}
function go(to) { tick = Math.max(0, Math.min(most, to)); show(); }
function stop() {
  clearInterval(timer);
  timer = null;
  find('play').textContent = '\u25B6\uFE0E';
}
function play() {
  if (timer) return stop();
  if (tick === most) tick = 0;
  find('play').textContent = '\u2759\u2759';
  timer = setInterval(() => { go(tick + 1); if (tick === most) stop(); }, 1000 / find('speed').value);
}

find('slider').max = most;
find('slider').addEventListener('input', event => { stop(); go(Number(event.target.value)); });
find('first').addEventListener('click', () => { stop(); go(0); });
find('back').addEventListener('click', () => { stop(); go(tick - 1); });
find('next').addEventListener('click', () => { stop(); go(tick + 1); });
find('last').addEventListener('click', () => { stop(); go(most); });
find('play').addEventListener('click', play);
find('speed').addEventListener('change', () => { if (timer) { stop(); play(); } });
find('timeline').addEventListener('click', event => {
  stop();
  go(Math.floor(event.offsetX / find('timeline').clientWidth * trace.end));
});
document.addEventListener('keydown', event => {
  if (event.key === ' ' && event.target.tagName === 'BUTTON') return; // a click
  if (event.target.tagName === 'SELECT' || event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    ' ': play,
    ArrowLeft: () => { stop(); go(tick - 1); },
    ArrowRight: () => { stop(); go(tick + 1); },
    Home: () => { stop(); go(0); },
    End: () => { stop(); go(most); },
    ArrowUp: () => { chosen = Math.max(0, chosen - 1); show(); },
    ArrowDown: () => { chosen = Math.min(warps.length - 1, chosen + 1); show(); },
  };
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
});
window.addEventListener('resize', drawTimeline);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawTimeline);

buildSource();
buildLanes();
drawTimeline();
show();
"""
