// The program itself under storms: jobs that are stopped by everybody at once, a session with as many jobs
// as it may have, a configuration that changes while calls go on, ends in the middle of calls.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { project, running, start, unique, until } from './helve.mjs';
import { ask, askModern, call, connect, head, request, rss, session, underAsan } from './hostile.mjs';

const config = (mark, more = {}) => ({
  limits: { wait_ms: 100 },
  tools: {
    say: { description: 'Says it.', args: ['word'], template: 'printf %s {word}' },
    slow: { description: 'Takes long.', template: `sleep ${mark}` },
    ...more,
  },
});

// `helve serve` over a project of its own.
async function serving(t, config) {
  const made = project(t, config);
  const server = await start(t, made);
  const tool = async (headers, name, args = {}, id = 1) => (await ask(server.url, server.token, call(name, args, {}, id), headers)).json.result;
  return { ...server, ...made, tool };
}
const jobOf = (result) => result._meta['io.helve/job'].id;

test('64 jobs, the 65th is refused, and everybody stops all of them at once', { timeout: 60_000 }, async (t) => {
  const mark = unique();
  const { url, token, tool, child } = await serving(t, config(mark));
  const mine = await session(url, token);
  const jobs = [];
  for (let i = 0; i < 64; i += 16) {
    jobs.push(...(await Promise.all(Array.from({ length: 16 }, (_, k) => tool(mine, 'slow', {}, `j${i + k}`)))).map(jobOf));
  }
  assert.equal(new Set(jobs).size, 64);
  await until('all run', () => running(`sleep\0${mark}`) === 64);
  const beyond = await tool(mine, 'slow', {}, 'beyond');
  assert.equal(beyond._meta['io.helve/refusal'].rule, 'job.too_many');
  // Another session neither sees nor stops them, and has room of its own.
  const other = await session(url, token);
  assert.equal((await tool(other, 'say', { word: 'meanwhile' })).content[0].text, 'meanwhile');
  assert.equal((await tool(other, 'bash_stop', { job: jobs[0] }))._meta['io.helve/refusal'].rule, 'job.unknown');
  assert.equal(running(`sleep\0${mark}`), 64);
  const storm = await Promise.all(jobs.flatMap((job, i) => Array.from({ length: 4 }, (_, k) => tool(mine, 'bash_stop', { job }, `s${i}-${k}`))));
  for (const { content } of storm) assert.match(content[0].text, /after|ended|stopped|cancelled|failed/);
  assert.equal(running(`sleep\0${mark}`), 0);
  assert.equal((await tool(mine, 'slow', {}, 'again'))._meta['io.helve/job'].state, 'running', 'there is room again');
  assert.equal((await ask(url, token, undefined, mine, 'DELETE')).status, 204);
  await until('the session takes its job along', () => running(`sleep\0${mark}`) === 0);
  if (!underAsan) assert.ok(rss(child.pid) < 96, `${rss(child.pid)} MiB`);
});

test('jobs that are started, followed, stopped and left by DELETE, all at once', { timeout: 60_000 }, async (t) => {
  const mark = unique();
  const { url, token, tool } = await serving(t, config(mark));
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (let round = 0; round < 4; ++round) {
      const mine = await session(url, token);
      const job = jobOf(await tool(mine, 'slow'));
      const follow = (id) => ask(url, token, call('bash_output', { job, wait: 5000 }, {}, id), mine);
      const soon = (act) => sleep(Math.random() * 30).then(act);
      const answers = await Promise.all([
        follow('o1'), follow('o2'),
        soon(() => ask(url, token, call('bash_stop', { job }, {}, 's'), mine)),
        soon(() => ask(url, token, undefined, mine, 'DELETE')),
        soon(() => ask(url, token, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'o1' } }, mine)),
      ]);
      for (const { status } of answers) assert.ok([200, 202, 204, 404].includes(status), `${status}`);
    }
  }));
  await until('nothing runs', () => running(`sleep\0${mark}`) === 0);
  assert.equal((await tool(await session(url, token), 'say', { word: 'x' })).content[0].text, 'x');
});

test('helve.json is written 200 times while calls go on, every fifth time broken', { timeout: 60_000 }, async (t) => {
  const { url, token, tool, write, child } = await serving(t, config(unique()));
  const mine = await session(url, token);
  const stream = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
  stream.write(head('GET /mcp HTTP/1.1', { Host: 'localhost', Authorization: `Bearer ${token}`, Accept: 'text/event-stream', ...mine }));
  let over = false;
  let calls = 0;
  const callers = Array.from({ length: 4 }, async (_, k) => {
    while (!over) {
      const answer = await tool(mine, 'say', { word: `${k}` }, `w${k}`);
      assert.equal(answer.content[0].text, `${k}`);
      assert.equal((await askModern(url, token, request('tools/list'))).status, 200);
      ++calls;
    }
  });
  for (let i = 0; i < 200; ++i) {
    write(i % 5 === 4 ? '{"tools": {' : config('1', { [`extra_${i}`]: { description: 'One more.', template: 'true' } }));
    await sleep(Math.random() * 15);
  }
  write(config('1', { at_last: { description: 'The last one.', template: 'printf last' } }));
  await until('the last one is there', async () => {
    const { json } = await ask(url, token, request('tools/list', {}, 'list'), mine);
    return json.result.tools.some(({ name }) => name === 'at_last');
  });
  over = true;
  await Promise.all(callers);
  const { json } = await ask(url, token, request('tools/list', {}, 'list'), mine);
  assert.ok(!json.result.tools.some(({ name }) => name.startsWith('extra_')), 'what was taken out is gone');
  assert.equal((await tool(mine, 'at_last')).content[0].text, 'last');
  assert.ok(calls > 20, `${calls}`);
  await until('the session heard of it', () => stream.bytes.includes('notifications/tools/list_changed'));
  stream.socket.destroy();
  if (!underAsan) assert.ok(rss(child.pid) < 96, `${rss(child.pid)} MiB`);
});

test('a configuration of nonsense leaves the last good one in force; one that is gone takes its tools along', { timeout: 60_000 }, async (t) => {
  const { url, token, tool, write, file } = await serving(t, config(unique()));
  const mine = await session(url, token);
  const names = async () => (await ask(url, token, request('tools/list', {}, 'list'), mine)).json.result.tools.map(({ name }) => name);
  const nonsense = ['', '\0'.repeat(100_000), '{"tools": {"say"', `{"a":${'['.repeat(100_000)}`, '[]', '{"tools":{"say":5,"":{},"../x":{"template":"true"}}}', '{"tools":{"echo":{"template":"echo {"}}}'];
  for (const bytes of nonsense) {
    writeFileSync(file, bytes);
    await sleep(120);
    assert.equal((await tool(mine, 'say', { word: 'x' }))?.content[0].text, 'x', bytes.slice(0, 60));
  }
  const gone = [() => rmSync(file), () => mkdirSync(file), () => { rmSync(file, { recursive: true }); symlinkSync('helve.json', file); }];
  for (const remove of gone) {
    remove();
    await until(`its tools go: ${remove}`, async () => !(await names()).includes('say'));
  }
  rmSync(file);
  write(config('1', { back: { description: 'Is back.', template: 'printf back' } }));
  await until('the good one is taken', async () => (await names()).includes('back'));
  assert.equal((await tool(mine, 'back')).content[0].text, 'back');
});

test('kill -9 at odd moments leaves no process behind', { timeout: 60_000 }, async (t) => {
  for (let round = 0; round < 6; ++round) {
    const mark = unique();
    const { url, token, tool, stop } = await serving(t, config(mark));
    const mine = await session(url, token);
    const calls = Array.from({ length: 8 }, (_, i) => tool(mine, 'slow', {}, i).catch(() => {}));
    if (round % 2) await until('they run', () => running(`sleep\0${mark}`) === 8);
    else await sleep(Math.random() * 40);
    assert.equal((await stop('SIGKILL')).signal, 'SIGKILL');
    await Promise.all(calls);
    await until('nothing is left', () => running(`sleep\0${mark}`) === 0);
  }
});

test('an end in order, in the middle of calls, jobs and streams, takes less than three seconds', async (t) => {
  const mark = unique();
  const { url, token, tool, stop } = await serving(t, config(mark));
  const mine = await session(url, token);
  jobOf(await tool(mine, 'slow'));
  const calls = Array.from({ length: 4 }, (_, i) => tool(mine, 'bash_output', { job: 'job_0000000000000000', wait: 30_000 }, i).catch(() => {}));
  const stream = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
  stream.write(head('GET /mcp HTTP/1.1', { Host: 'localhost', Authorization: `Bearer ${token}`, Accept: 'text/event-stream', ...mine }));
  await stream.until(() => stream.bytes.includes('200 OK'));
  const began = Date.now();
  assert.deepEqual(await stop(), { code: 0, signal: null });
  assert.ok(Date.now() - began < 3000 * (underAsan ? 3 : 1), `${Date.now() - began} ms`);
  await Promise.all(calls);
  await until('nothing runs', () => running(`sleep\0${mark}`) === 0);
  stream.socket.destroy();
});
