// The workspace tools of the release program through MCP over stdio, beside what they are measured
// by: the shell itself, sed, and the reference server for files. Prints rows for bench/run.mjs.
//
//   node bench/workspace.mjs --json [--rounds N (5)] [--scale F (1)]
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const helve = path.join(here, '..', 'build', 'release', 'helve');
const reference = path.join(here, '..', 'tests', 'js', 'node_modules', '@modelcontextprotocol', 'server-filesystem', 'dist', 'index.js');
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
};
const rounds = option('rounds', 5);
const scale = option('scale', 1);
const base = mkdtempSync(path.join(os.tmpdir(), 'helve-bench-workspace-'));
process.on('exit', () => rmSync(base, { recursive: true, force: true }));
const folder = path.join(base, 'work');
mkdirSync(folder);
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const ms = (seconds) => seconds * 1000;

// One client, one request at a time, as lean as it can be.
function serve(argv) {
  const child = spawn(argv[0], argv.slice(1), { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, XDG_STATE_HOME: path.join(base, 'state') } });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  let id = 0;
  const ask = (method, params) => new Promise((resolve) => {
    waiting.set(++id, resolve);
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  });
  const tool = async (name, args) => {
    const { result, error } = await ask('tools/call', { name, arguments: args });
    if (error || result.isError) throw new Error(JSON.stringify(error ?? result).slice(0, 500));
    return result;
  };
  const status = (field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024;
  const ready = ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }).then(() => child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n'));
  return { tool, ready, status, pid: child.pid, end: () => child.stdin.end() };
}

const timed = async (act) => {
  const began = performance.now();
  await act();
  return (performance.now() - began) / 1000;
};
const cpuOf = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).reduce((a, b) => a + Number(b), 0) / 100;
const rows = [];
const row = (what, ours, floor, ratio, bar, good) => rows.push({ what: `workspace: ${what}`, ours, floor, ratio, bar, good });

const own = serve([helve, 'mcp', '--root', folder]);
const theirs = serve([process.execPath, reference, folder]);
await Promise.all([own.ready, theirs.ready]);

// bash: `true` beside the shell's own start, by the same loop of awaited round trips.
{
  const shell = () => timed(() => new Promise((resolve) => { spawn('/bin/bash', ['--noprofile', '--norc', '-c', 'true'], { stdio: 'ignore' }).on('exit', resolve); }));
  const many = Math.round(60 * scale);
  const ours = [];
  const floor = [];
  for (let i = 0; i < many * rounds; ++i) {
    ours.push(await timed(() => own.tool('bash', { command: 'true' })));
    // The shell's own start, as the server's kernel does it: without node's share.
    floor.push(await shell());
  }
  const bare = Number(spawnSync('/bin/bash', ['-c', 'TIMEFORMAT=%R; time (for ((i = 0; i < 200; ++i)); do /bin/bash --noprofile --norc -c true; done)'], { encoding: 'utf8' }).stderr) / 200;
  const added = ms(median(ours)) - ms(bare);
  row('bash true, beyond the shell alone', `${ms(median(ours)).toFixed(2)} ms`, `bash from bash ${ms(bare).toFixed(2)} ms, from node ${ms(median(floor)).toFixed(2)} ms`, `+${added.toFixed(2)} ms`, 'at most +2 ms', added <= 2);
}

// Output is visible as soon as it is written: the clock of the command against ours.
{
  const late = [];
  for (let i = 0; i < 5 * rounds; ++i) {
    const { _meta } = await own.tool('bash', { command: 'sleep 0.3; date +%s%N; sleep 5', timeout: 0 });
    const { job, cursor } = _meta['io.helve/data'];
    const page = await own.tool('bash_output', { job, cursor, wait: 3000 });
    const now = Date.now();
    late.push(now - Number(/^(\d{19})$/m.exec(page.content[0].text)[1]) / 1e6);
    await own.tool('bash_stop', { job });
  }
  row('output in an answer after it was written (50 ms of it are for collecting)', `${median(late).toFixed(0)} ms`, '', '', 'at most 100 ms', median(late) <= 100);
}

// Pages of a large file, warm.
{
  const file = path.join(folder, 'large.txt');
  const line = `${'The quick brown fox jumps over the lazy dog. '.repeat(2).slice(0, 79)}\n`;
  const block = Buffer.from(line.repeat(13107));
  const fd = openSync(file, 'w');
  const lines = Math.round((1024 * scale) * 13107);
  for (let i = 0; i < 1024 * scale; ++i) writeSync(fd, block);
  closeSync(fd);
  for (const [where, offset] of [['at the start', 0], ['in the middle', Math.floor(lines / 2)]]) {
    const sed = (from) => ms(timedSync(['sed', '-n', `${from + 1},${from + 400}p;${from + 400}q`, file]));
    const ours = [];
    const floor = [];
    for (let i = 0; i < rounds; ++i) {
      const at = offset + i * 7;
      ours.push(ms(await timed(() => own.tool('read', { path: 'large.txt', offset: at }))));
      floor.push(sed(at));
    }
    row(`read of 400 lines ${where} of 1 GiB, the first time`, `${ours[0].toFixed(1)} ms`, `sed ${floor[0].toFixed(1)} ms`, `${(ours[0] / floor[0]).toFixed(2)} x`, 'at most 2 x', ours[0] <= 2 * floor[0]);
    row('the same, again', `${median(ours.slice(1)).toFixed(1)} ms`, `sed ${median(floor).toFixed(1)} ms`, `${(median(ours.slice(1)) / median(floor)).toFixed(2)} x`, 'at most 2 x', median(ours.slice(1)) <= 2 * median(floor));
  }
}

function timedSync(argv) {
  const began = performance.now();
  if (spawnSync(argv[0], argv.slice(1), { maxBuffer: 1 << 28 }).status !== 0) throw new Error(argv.join(' '));
  return (performance.now() - began) / 1000;
}

// Small files and large ones beside the reference server.
{
  const small = path.join(folder, 'small.txt');
  writeFileSync(small, 'x'.repeat(63).concat('\n').repeat(16));
  const many = Math.round(1000 * scale);
  const rate = async (act) => many / await timed(async () => { for (let i = 0; i < many; ++i) await act(); });
  const ours = [];
  const floor = [];
  await own.tool('read', { path: 'small.txt' });
  await theirs.tool('read_text_file', { path: small });
  const cpu = { own: -cpuOf(own.pid), theirs: -cpuOf(theirs.pid) };
  for (let i = 0; i < rounds; ++i) {
    ours.push(await rate(() => own.tool('read', { path: 'small.txt' })));
    floor.push(await rate(() => theirs.tool('read_text_file', { path: small })));
  }
  cpu.own += cpuOf(own.pid);
  cpu.theirs += cpuOf(theirs.pid);
  const ratio = median(ours) / median(floor);
  row('read of 1 KiB, one after the other', `${median(ours).toFixed(0)}/s`, `server-filesystem ${median(floor).toFixed(0)}/s`, `${ratio.toFixed(2)} x`, 'at least 3 x', ratio >= 3);
  const each = (seconds) => ms(seconds) / (many * rounds);
  row('CPU of the server for it', `${each(cpu.own).toFixed(3)} ms`, `server-filesystem ${each(cpu.theirs).toFixed(2)} ms`, '', 'at most 0.10 ms', each(cpu.own) <= 0.1);

  const edits = Math.round(200 * scale);
  writeFileSync(path.join(folder, 'edited.txt'), Array.from({ length: 1000 }, (_, i) => `line ${i} of the file that is edited, with some words in it\n`).join(''));
  let turn = 0;
  const flip = (tool) => tool('edit', { path: 'edited.txt', old: `line 500 of`.concat(turn % 2 ? ' that' : ''), new: 'line 500 of'.concat(turn++ % 2 ? '' : ' that') });
  const before = cpuOf(own.pid);
  const seconds = await timed(async () => { for (let i = 0; i < edits; ++i) await flip(own.tool); });
  row('edit in 64 KiB', `${(ms(seconds) / edits).toFixed(2)} ms, CPU ${(ms(cpuOf(own.pid) - before) / edits).toFixed(2)} ms`, '', '', 'CPU at most 0.3 ms', ms(cpuOf(own.pid) - before) / edits <= 0.3);

  const large = path.join(folder, 'dense.txt');
  const fd = openSync(large, 'w');
  const text = Buffer.from('0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n'.repeat(16384));
  for (let i = 0; i < 200; ++i) writeSync(fd, text);
  closeSync(fd);
  const memory = own.status('VmHWM');
  for (let i = 0; i < 10; ++i) await own.tool('read', { path: 'dense.txt', offset: i * 300_000 });
  const grown = own.status('VmHWM') - memory;
  await theirs.tool('read_text_file', { path: large, head: 400 }).catch(() => {});
  const peak = theirs.status('VmHWM');
  await theirs.tool('read_text_file', { path: large }).catch(() => {});
  row('growth of peak memory by reading in 200 MB', `${grown.toFixed(1)} MiB`, `server-filesystem, the whole file ${(theirs.status('VmHWM') - peak).toFixed(0)} MiB`, '', 'at most 8 MiB', grown <= 8);
}

// A command that floods, while others work.
{
  const before = own.status('VmHWM');
  const { _meta } = await own.tool('bash', { command: 'yes', timeout: 0 });
  const waits = [];
  for (let i = 0; i < 100; ++i) waits.push(ms(await timed(() => own.tool('read', { path: 'small.txt' }))));
  waits.sort((a, b) => a - b);
  row('other calls while a command floods, the slowest of 100', `${waits.at(-1).toFixed(1)} ms`, '', '', 'at most 20 ms', waits.at(-1) <= 20);
  row('growth of peak memory meanwhile', `${(own.status('VmHWM') - before).toFixed(1)} MiB`, '', '', 'at most 8 MiB', own.status('VmHWM') - before <= 8);
  await own.tool('bash_stop', { job: _meta['io.helve/data'].job });
}

own.end();
theirs.end();
console.log(JSON.stringify(rows));
