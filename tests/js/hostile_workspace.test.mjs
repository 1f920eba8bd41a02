// What hostile commands and odd calls do to the workspace tools: nothing of them is left running or
// lying about, and the answers say what is. HELVE_BUILD names the build folder.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { helve, project, running, unique, until } from './helve.mjs';

// `helve mcp` and lines of JSON.
async function desk(t, made) {
  const child = spawn(helve, ['mcp', '--root', made.folder], { env: made.env, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  t.after(async () => { child.kill('SIGKILL'); await ended; });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  let id = 0;
  const ask = (method, params) => new Promise((resolve) => {
    waiting.set(++id, resolve);
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  });
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'hostile', version: '1' } });
  const call = async (name, args) => {
    const { result, error } = await ask('tools/call', { name, arguments: args });
    assert.equal(error, undefined, JSON.stringify(error));
    return { text: result.content[0].text, refused: result._meta?.['io.helve/refusal']?.rule };
  };
  const bash = async (command, more = {}) => (await call('bash', { command, ...more })).text;
  const end = () => { child.stdin.end(); return ended; };
  return { child, call, bash, end };
}

const stateOf = (made) => {
  const all = path.join(made.base, 'state', 'helve');
  return path.join(all, readdirSync(all)[0]);
};
const logsOf = (made) => {
  const folder = path.join(stateOf(made), 'jobs');
  return existsSync(folder) ? readdirSync(folder).filter((name) => /\.(log|ring)$/.test(name)) : [];
};
const jobIn = (text) => /job_[0-9a-f]{16}/.exec(text)?.[0];
const anotherCgroup = () => ['/sys/fs/cgroup/unified/cgroup.procs', '/sys/fs/cgroup/cgroup.procs'].find((file) => {
  try { accessSync(file, constants.W_OK); return true; } catch { return false; }
});

test('the log of a command that its call has answered does not stay on the disk', async (t) => {
  const made = project(t, {});
  const { bash, end } = await desk(t, made);
  for (let i = 0; i < 3; ++i) assert.match(await bash('seq 1 200000'), /exit code 0/);
  await until('the logs are gone', () => logsOf(made).length === 0);
  const job = jobIn(await bash('seq 1 200000; sleep 60', { timeout: 1500 }));
  assert.ok(job);
  await until('that of a job is there', () => logsOf(made).length > 0);
  await end();
  assert.deepEqual([...new Set(logsOf(made).map((name) => name.split('.')[0]))], [job], 'and can be read by the next server');
});

test('numbers beyond all files and logs are answered', async (t) => {
  const made = project(t, {});
  const { call, bash } = await desk(t, made);
  writeFileSync(path.join(made.folder, 'a.txt'), 'one\ntwo\n');
  const job = jobIn(await bash('echo up; sleep 60', { timeout: 300 }));
  for (const cursor of [1e300, 2 ** 63, 1e18]) {
    assert.match((await call('bash_output', { job, cursor })).text, /still running/, cursor);
  }
  for (const args of [{ offset: 1e300 }, { offset: -1e300 }, { limit: 1e300 }, { column: 1e300 }]) {
    const { text, refused } = await call('read', { path: 'a.txt', ...args });
    assert.ok(refused === undefined || /\nNext: /.test(text), text);
  }
  assert.match((await call('read', { path: 'a.txt', limit: 1e300 })).text, /^one\ntwo$/m);
  await call('bash_stop', { job });
});

test('a file that is taken for a folder is not said to be missing', async (t) => {
  const made = project(t, {});
  const { call } = await desk(t, made);
  writeFileSync(path.join(made.folder, 'a.txt'), 'one\n');
  for (const [name, args] of [['read', {}], ['write', { text: 'x' }], ['edit', { old: 'one', new: 'two' }]]) {
    const { text, refused } = await call(name, { path: 'a.txt/b', ...args });
    assert.equal(refused, 'file.not_found', text);
    assert.match(text, /a\.txt is not a folder/);
  }
});

test('at the first start of a project, too, roots and an environment go together', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'helve-environment-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'tool'), 'for use\n');
  const made = project(t, {}, { workspace: { paths: 'roots', environment: { prefix: '/env', folder } } });
  const { bash } = await desk(t, made);
  assert.match(await bash('cat $HELVE_ENV/tool'), /for use/);
});

test('confined, a plain command leaves nothing behind and root makes no devices', async (t) => {
  for (const level of ['paths', 'full']) {
    const made = project(t, { workspace: { confine: { level } } });
    const { bash, call } = await desk(t, made);
    if ((await call('bash', { command: 'true' })).refused) { t.diagnostic(`no ${level} here`); continue; }
    for (let i = 0; i < 20; ++i) {
      const text = await bash('echo a; ls / > /dev/null');
      assert.doesNotMatch(text, /still run/, level);
      assert.match(text, /^exit code 0 \([^)]*\)\na\n$/);
    }
    assert.match(await bash('mknod disk b 7 0; ls'), /not permitted|denied/i, level);
  }
});

test('what leaves its cgroup is still said to run, and ends', async (t) => {
  const procs = anotherCgroup();
  if (!procs) return t.skip('no cgroup to go to');
  const { bash, call } = await desk(t, project(t, {}));
  const mark = unique();
  const text = await bash(`(echo 0 > ${procs}; exec setsid sleep ${mark} > /dev/null 2>&1) & sleep 0.2`);
  assert.match(text, /1 of its processes still run/);
  await call('bash_stop', { job: jobIn(text) });
  assert.equal(running(mark), 0);
});

test('what hid its mark and its cgroup ends with the server', async (t) => {
  const procs = anotherCgroup();
  const { bash, end } = await desk(t, project(t, {}));
  const mark = unique();
  const leave = procs ? `echo 0 > ${procs}; ` : '';
  await bash(`(${leave}exec env -i setsid sleep ${mark} > /dev/null 2>&1) & sleep 0.3`);
  await end();
  assert.equal(running(mark), 0);
});

test('a command that kills the warden does not get out so', async (t) => {
  const made = project(t, {});
  const { child, bash } = await desk(t, made);
  const warden = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ').find((pid) => {
    try { return readFileSync(`/proc/${pid}/stat`, 'utf8').includes('(helve-warden) S'); } catch { return false; }
  });
  const first = warden();
  assert.ok(first);
  await bash(`kill -9 ${first}`);
  const mark = unique();
  await bash(`(setsid sleep ${mark} > /dev/null 2>&1 &) ; sleep ${mark}`, { timeout: 300 });
  assert.notEqual(warden(), undefined);
  child.kill('SIGKILL');
  await until('all of it has ended', () => running(mark) === 0);
});
