// The rows of docs/benchmarks.md about MCP over HTTP: helve-fixture beside an echo server on the
// official SDK and beside the C floor, interleaved, each in a process of its own. Prints the rows as
// JSON for bench/run.mjs, or as lines.
//
//   node bench/mcp_http.mjs [--rounds N (3)] [--scale F (1)] [--only WORD] [--build FOLDER] [--json]
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
};
const rounds = Number(option('rounds', 3));
const scale = Number(option('scale', 1));
const build = path.resolve(option('build', path.join(here, '..', 'build', 'release')));
const wanted = (word) => word.includes(option('only', ''));
const rows = [];

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const row = (what, ours, floor, ratio, bar, good) => {
  rows.push({ what, ours, floor, ratio, bar, good });
  if (!process.argv.includes('--json')) console.log(`${good ? 'met   ' : 'MISSED'} ${what}: ${ours} beside ${floor}: ${ratio} (${bar})`);
};

// ---------------------------------------------------------------- servers

const servers = {
  helve: [path.join(build, 'helve-fixture'), '--listen', '127.0.0.1:0'],
  sdk: [process.execPath, path.join(here, 'sdk_echo.mjs'), '0'],
  floor: [path.join(build, 'bench', 'mcp_floor')],
};

const freePort = () => new Promise((resolve) => {
  const probe = net.createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});

const opens = (port) => new Promise((resolve) => {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('connect', () => { socket.destroy(); resolve(true); });
  socket.on('error', () => resolve(false));
});

async function floorUrl(child, port) {
  while (child.exitCode === null && !(await opens(port))) await sleep(5);
  return `http://127.0.0.1:${port}/mcp`;
}

const announcedUrl = (child) => new Promise((resolve, reject) => {
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('listening on ')) resolve(line.slice('listening on '.length));
  });
  child.on('close', (code) => reject(new Error(`the server ended with ${code} before it listened`)));
});

// Starts `name`, gives {url, pid} to `use`, and ends it.
async function withServer(name, use) {
  const port = name === 'floor' ? await freePort() : 0;
  const [command, ...argv] = servers[name];
  const child = spawn(command, port ? [String(port)] : argv, { stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = new Promise((resolve) => child.on('close', resolve));
  try {
    return await use({ url: await (port ? floorUrl(child, port) : announcedUrl(child)), pid: child.pid });
  } finally {
    child.kill('SIGKILL');
    await gone;
  }
}

const rssMiB = (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

function load({ url, pid }, ...more) {
  const argv = [path.join(here, 'mcp-load.mjs'), '--json', '--url', url, '--pid', String(pid), '--startups', '0', ...more];
  const done = spawnSync(process.execPath, argv, { maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(`mcp-load: ${done.stderr}`);
  return JSON.parse(done.stdout);
}

// ---------------------------------------------------------------- a small client

const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });
const eras = { legacy: '2025-11-25', modern: '2026-07-28' };

function send(url, { method = 'POST', headers = {}, body }) {
  return new Promise((resolve, reject) => {
    const accept = { Accept: 'application/json, text/event-stream', ...(body && { 'Content-Type': 'application/json' }) };
    const request = http.request(url, { method, agent, headers: { ...accept, ...headers } }, resolve);
    request.on('error', reject);
    request.end(body && JSON.stringify(body));
  });
}

async function whole(response) {
  let text = '';
  for await (const piece of response) text += piece;
  if (response.statusCode >= 300) throw new Error(`HTTP ${response.statusCode}: ${text}`);
  return text;
}

async function session(url) {
  const params = { protocolVersion: eras.legacy, capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const response = await send(url, { body: { jsonrpc: '2.0', id: 0, method: 'initialize', params } });
  await whole(response);
  const headers = { 'Mcp-Session-Id': response.headers['mcp-session-id'], 'MCP-Protocol-Version': eras.legacy };
  await whole(await send(url, { headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } }));
  return headers;
}

// ---------------------------------------------------------------- the rows

async function echo() {
  const count = String(Math.round(4000 * scale));
  const kinds = [['helve', 'legacy'], ['sdk', 'legacy'], ['floor', 'legacy'], ['helve', 'modern'], ['sdk', 'modern']];
  const got = Object.fromEntries(kinds.map((kind) => [kind.join(), []]));
  for (let round = 0; round < rounds; ++round) {
    for (const [name, era] of kinds) {
      got[[name, era].join()].push(await withServer(name, (server) =>
        load(server, '--protocol', eras[era], '--count', count, '--warmup', '500', '--settle', '100', '--concurrency', '1,8,64')));
    }
  }
  const of = (name, era, pass, read) => median(got[[name, era].join()].map((result) => read(result.passes[pass])));
  for (const era of Object.keys(eras)) compare(era, (name, pass, read) => of(name, era, pass, read));
  const rate = (name, pass) => of(name, 'legacy', pass, (p) => p.perSecond);
  [1, 8, 64].forEach((calls, pass) => {
    row(`http: calls a second beside the floor, at ${calls}`, `${Math.round(rate('helve', pass))}/s`, `C floor ${Math.round(rate('floor', pass))}/s`,
      `${(rate('helve', pass) / rate('floor', pass)).toFixed(2)} x`, 'for comparison', true);
  });
}

function compare(era, of) {
  for (const [pass, flying] of [1, 8, 64].entries()) {
    const [ours, theirs] = ['helve', 'sdk'].map((name) => of(name, pass, (p) => p.perSecond));
    row(`http: echo, ${era}, ${flying} in flight`, `${Math.round(ours)}/s`, `SDK 2.4.0 ${Math.round(theirs)}/s`,
      `${(ours / theirs).toFixed(1)} x`, 'at least 10 x', ours / theirs >= 10);
  }
  const [ours, theirs] = ['helve', 'sdk'].map((name) => of(name, 2, (p) => p.ms.p99));
  row(`http: echo, ${era}, p99 at 64 in flight`, `${ours.toFixed(2)} ms`, `SDK 2.4.0 ${theirs.toFixed(1)} ms`,
    `${(ours / theirs).toFixed(2)} x`, 'at most 0.25 x', ours / theirs <= 0.25);
  const [mine, peer] = ['helve', 'sdk'].map((name) => [0, 1, 2].map((pass) => of(name, pass, (p) => p.serverCpuUsPerCall)));
  const list = (values) => `${values.map((value) => value.toFixed(0)).join(' / ')} µs`;
  row(`http: CPU of the server a call, ${era}, at 1 / 8 / 64`, list(mine), `SDK 2.4.0 ${list(peer)}`,
    '', 'at most 50 µs', Math.max(...mine) <= 50);
}

async function memory() {
  const idle = [];
  for (let round = 0; round < rounds; ++round) {
    idle.push(await withServer('helve', async ({ url, pid }) => {
      await session(url);
      await sleep(500);
      return rssMiB(pid);
    }));
  }
  row('http: idle resident memory', `${median(idle).toFixed(1)} MiB`, '', '', 'at most 12 MiB', median(idle) <= 12);
  const long = await withServer('helve', (server) => load(server, '--count', String(Math.round(100000 * scale)), '--concurrency', '8', '--settle', '300'));
  const growth = (long.after.rssKiB - long.idle.rssKiB) / 1024;
  row('http: growth of resident memory over 100,000 calls', `${growth.toFixed(2)} MiB`, '', '', 'at most 2 MiB', growth <= 2);
}

async function streams() {
  const count = Math.round(2000 * scale);
  const used = await withServer('helve', async ({ url, pid }) => {
    const open = [];
    for (let i = 0; i < count; ++i) {
      const response = await send(url, { method: 'GET', headers: await session(url) });
      if (response.statusCode !== 200) throw new Error(`GET: HTTP ${response.statusCode}`);
      response.on('error', () => {});
      response.resume();
      open.push(response);
    }
    await sleep(500);
    const rss = rssMiB(pid);
    for (const response of open) response.destroy();
    return rss;
  });
  row(`http: resident memory with ${count} open SSE streams, a session each`, `${used.toFixed(1)} MiB`, '', '', 'at most 64 MiB', used <= 64);
}

async function slow() {
  const p99 = [];
  for (let round = 0; round < rounds; ++round) p99.push(await withServer('helve', pingWhileSlow));
  row('http: ping, p99 while 64 slow calls run', `${median(p99).toFixed(2)} ms`, '', '', 'at most 20 ms', median(p99) <= 20);
}

async function pingWhileSlow({ url }) {
  const headers = await session(url);
  const params = { name: 'sleep', arguments: { ms: 3000 } };
  const calls = Array.from({ length: 64 }, async (_, i) => {
    const body = { jsonrpc: '2.0', id: 1000 + i, method: 'tools/call', params };
    return whole(await send(url, { headers, body }));
  });
  const times = [];
  for (let id = 1; id <= 500; ++id) {
    const began = performance.now();
    await whole(await send(url, { headers, body: { jsonrpc: '2.0', id, method: 'ping' } }));
    times.push(performance.now() - began);
  }
  const answers = await Promise.all(calls);
  if (!answers.every((answer) => answer.includes('slept 3000 ms'))) throw new Error(`a slow call failed: ${answers[0]}`);
  return times.sort((a, b) => a - b)[494];
}

for (const [word, measure] of Object.entries({ echo, memory, streams, slow })) {
  if (wanted(word)) await measure();
}
agent.destroy();
if (process.argv.includes('--json')) console.log(JSON.stringify(rows));
