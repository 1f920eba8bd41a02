// Jobs as their owner and their agents see them: `helve jobs` over running servers, each byte of a
// job's output once, and what a server that is killed leaves behind. HELVE_BUILD names the build.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clients } from './clients.mjs';
import { helve, project, running, start, unique, until } from './helve.mjs';
import { underAsan } from './hostile.mjs';

const [kind] = clients;
const config = { tools: { noop: { description: 'Does nothing.', template: 'true' } } };

async function connect(t, made, server) {
  const client = kind.make();
  await client.connect(kind.transport(server ?? { command: helve, args: ['mcp', '--root', made.folder], env: made.env, cwd: '/', stderr: 'ignore' }));
  t.after(() => client.close());
  const call = (name, args) => kind.call(client, { name, arguments: args }, { timeout: 50_000 });
  // A command that goes on as a job, and its handle.
  const job = async (command) => {
    const answer = await call('bash', { command, timeout: 200 });
    assert.ok(!answer.isError, answer.content[0].text);
    return answer._meta['io.helve/data'].job;
  };
  return { client, call, job };
}

const ruleOf = (answer) => answer._meta?.['io.helve/refusal']?.rule;
const listed = (made) => JSON.parse(made.run('jobs', '--json', '--root', made.folder).stdout);

test('helve jobs lists, follows and stops the jobs of every server of the project', async (t) => {
  const made = project(t, config);
  const mark = unique();
  assert.deepEqual(listed(made), []);
  assert.match(made.run('jobs', '--root', made.folder).stderr, /no helve is serving/);
  assert.equal(made.run('jobs', 'stop', 'job_0000000000000000', '--root', made.folder).status, 1);

  const overStdio = await connect(t, made);
  const server = await start(t, made);
  const overHttp = await connect(t, made, server);
  const one = await overStdio.job(`echo one; sleep 1; echo more; sleep 0.2; exit 3`);
  const two = await overHttp.job(`echo two; sleep ${mark}`);
  assert.deepEqual(listed(made).map((job) => job.id).sort(), [one, two].sort());
  const table = made.run('jobs', '--root', made.folder);
  assert.match(table.stdout, new RegExp(`${two} +bash +running`));

  const followed = made.run('jobs', 'follow', one, '--root', made.folder);
  assert.equal(followed.stdout, 'one\nmore\n');
  assert.match(followed.stderr, /3/, 'how it ended');
  assert.equal(followed.status, 0);

  const interrupted = spawn(helve, ['jobs', 'follow', two, '--root', made.folder], { env: made.env, cwd: '/' });
  await new Promise((resolve) => interrupted.stdout.once('data', resolve));
  interrupted.kill('SIGINT');
  await new Promise((resolve) => interrupted.once('close', resolve));
  assert.equal(running(`sleep\0${mark}`), 1, 'Ctrl-C leaves the job alone');

  assert.equal(made.run('jobs', 'stop', two, '--root', made.folder).status, 0);
  assert.equal(running(`sleep\0${mark}`), 0);
  assert.match(made.run('jobs', 'stop', two, '--root', made.folder).stdout, /already ended/);
  await server.stop();
  await overStdio.client.close();
  await until('the sockets are gone', () => listed(made).length === 0);
});

test('WR-7 a job that prints 1 MB, polled 200 times: each byte once', async (t) => {
  const made = project(t, config);
  const { call, job } = await connect(t, made);
  const id = await job('sleep 0.4; for i in $(seq 1 100); do head -c 9999 /dev/zero | tr "\\0" Q; echo; sleep 0.02; done');
  let all = 0;
  let sent = 0;
  for (let poll = 0, more = true; more; ++poll) {
    assert.ok(poll < 400);
    const { content: [{ text }], _meta: { 'io.helve/job': facts } } = await call('bash_output', { job: id, wait: 1000 });
    sent += text.length;
    all += (text.match(/Q/g) ?? []).length;
    assert.equal(facts.skipped, 0);
    more = facts.more || facts.state === 'running';
  }
  assert.equal(all, 100 * 9999);
  assert.ok(sent < 1.1 * 1_000_000, `${sent}`);
});

test('WR-13 WS-61 a killed server forgets nothing: its jobs are lost, with their last output, and gone', async (t) => {
  const made = project(t, config);
  const mark = unique();
  const server = await start(t, made);
  const before = await connect(t, made, server);
  const jobs = [];
  for (let i = 0; i < 3; ++i) jobs.push(await before.job(`echo said by ${i}; (setsid sleep ${mark} &) ; sleep ${mark}`));
  await until('they run', () => running(`sleep\0${mark}`) === 6);
  server.child.kill('SIGKILL');
  await server.ended;
  const after = await connect(t, made, await start(t, made));
  for (const [i, job] of jobs.entries()) {
    const answer = await after.call('bash_output', { job });
    assert.ok(!answer.isError, answer.content[0].text);
    assert.equal(answer._meta['io.helve/job'].state, 'lost');
    assert.match(answer.content[0].text, new RegExp(`lost[\\s\\S]*said by ${i}\n`));
  }
  await until('nothing of them runs', () => running(`sleep\0${mark}`) === 0, 3000);
  assert.equal(ruleOf(await after.call('bash_output', { job: 'job_0000000000000000' })), 'job.unknown');
});

test('WS-57 a job of another session of a living server is unknown', async (t) => {
  const made = project(t, config);
  const one = await connect(t, made);
  const other = await connect(t, made);
  const job = await one.job('sleep 30');
  assert.equal(ruleOf(await other.call('bash_output', { job })), 'job.unknown');
  assert.equal(ruleOf(await other.call('bash_stop', { job })), 'job.unknown');
});

test('WR-9 WS-34 a flood is bounded in memory and on disk, and its end is there', async (t) => {
  const made = project(t, config);
  const server = await start(t, made);
  const { call, job } = await connect(t, made, server);
  const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]) / 1024;
  const before = rss();
  const id = await job('sleep 0.4; yes "a line of a flood that says little" | head -c 80000000; echo the very end');
  let most = 0;
  for (;;) {
    const { state, more } = (await call('bash_output', { job: id, wait: 500, cursor: 80_000_100 }))._meta['io.helve/job'];
    most = Math.max(most, rss());
    if (state !== 'running' && !more) break;
  }
  if (!underAsan) assert.ok(most - before < 5 * 8, `grew by ${most - before} MiB`);
  const tail = (await call('bash_output', { job: id, tail: 1 })).content[0].text;
  assert.match(tail, /the very end\n$/);
  const state = path.join(made.base, 'state', 'helve');
  const [root] = readdirSync(state);
  const folder = path.join(state, root, 'jobs');
  const bytes = () => readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
  assert.ok(bytes() <= (64 << 20) + 10_000, `${bytes()}`);
  const page = await call('bash_output', { job: id, cursor: 10_000_000 });
  assert.ok(page._meta['io.helve/job'].skipped > 0, 'what fell out is counted');
  assert.match(page.content[0].text, /no longer kept/);
  assert.equal((await call('bash_output', { job: id, cursor: 1_000_000 }))._meta['io.helve/job'].skipped, 0, 'the head is kept');
});

const textOf = (answer) => answer.content[0].text;
const sleeping = (mark) => running(`sleep\0${mark}`);
const wardensOf = (server) => readdirSync('/proc').filter((pid) => {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return name === 'helve-warden' && Number(parent) === server.pid;
  } catch { return false; }
}).map(Number);

test('WS-61 what a server and its warden leave, both killed, ends with the next start', async (t) => {
  const made = project(t, config);
  const mark = unique();
  const server = await start(t, made);
  const { call } = await connect(t, made, server);
  // Never answered: it is no job, and no record tells of it.
  call('bash', { command: `setsid sleep ${mark} & sleep 40`, timeout: 40_000 }).catch(() => {});
  await until('it runs', () => sleeping(mark) === 1);
  const wardens = wardensOf(server);
  assert.equal(wardens.length, 1);
  process.kill(wardens[0], 'SIGKILL');
  await server.stop('SIGKILL');
  await sleep(300);
  assert.equal(sleeping(mark), 1, 'nobody was left to end it');
  const next = await start(t, made);
  await until('the next server ends it', () => sleeping(mark) === 0);
  const state = path.join(made.base, 'state', 'helve');
  const marks = () => readdirSync(path.join(state, readdirSync(state)[0], 'jobs')).filter((name) => name.endsWith('.mark'));
  await until('only its own marks are there', () => marks().length === 1);
  await next.stop();
  assert.deepEqual(marks(), [], 'an ordinary end leaves none');
});

test('WS-52 the grace of a stop is a setting', async (t) => {
  const made = project(t, { ...config, workspace: { stop_grace_ms: 0 } });
  const { call, job } = await connect(t, made);
  const id = await job("trap 'echo never' TERM; echo up; while :; do :; done");
  assert.doesNotMatch(textOf(await call('bash_stop', { job: id })), /never/);
});

test('WS-53 a stop shows the end of what was not read, and takes nothing away', async (t) => {
  const made = project(t, config);
  const { call, job } = await connect(t, made);
  const id = await job('sleep 0.4; seq 1 20000; echo the very end; sleep 60');
  await until('it was said', async () => /the very end/.test(textOf(await call('bash_output', { job: id, tail: 1 }))));
  const stopped = await call('bash_stop', { job: id });
  assert.match(textOf(stopped), /^stopped by SIGTERM.*\n\[its last lines; the \d+ bytes before them were not read yet: cursor 0\]\n[\s\S]*\n20000\nthe very end\n$/);
  assert.ok(textOf(stopped).length < 9000);
  const rest = await call('bash_output', { job: id });
  assert.match(textOf(rest), /\n1\n2\n3\n/);
});

test('WS-28 a command runs in the folder that the workspace was, also after a rename', async (t) => {
  const made = project(t, config);
  const { call } = await connect(t, made);
  writeFileSync(path.join(made.folder, 'which'), 'the one that was meant\n');
  renameSync(made.folder, `${made.folder}-moved`);
  mkdirSync(made.folder);
  writeFileSync(path.join(made.folder, 'which'), 'another\n');
  assert.match(textOf(await call('bash', { command: 'cat which' })), /\nthe one that was meant\n$/);
});

test('WS-26 without `read`, what an answer leaves out is in its job', async (t) => {
  const made = project(t, { ...config, workspace: { tools: ['bash'] } });
  const { call } = await connect(t, made);
  const text = textOf(await call('bash', { command: 'seq 1 100000' }));
  assert.doesNotMatch(text, /\.helve/);
  const next = JSON.parse(/bash_output (\{.*?\})/.exec(text)[1]);
  const last = text.slice(0, text.indexOf('[…')).trim().split('\n').at(-1);
  const page = textOf(await call('bash_output', next));
  assert.equal(page.split('\n')[1], String(Number(last) + 1), 'it goes on where the head ends');
});
