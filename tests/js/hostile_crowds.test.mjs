// Many clients at once, and clients that do not take what they asked for: calls go on beside them, memory
// stays bounded, and everything is as before once they are gone. The clients are a process of its own
// where they need more descriptors than this one may have.
import { after, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './fixture.mjs';
import { ask, askModern, asModern, call, connect, echo, head, initialize, legacy, post, readAnswers, request, rss, session, underAsan } from './hostile.mjs';

const token = randomBytes(16).toString('hex');
const server = await serve({ after }, '127.0.0.1:0', '--token', `one=${token}`, '--patience', '5000');
const { url, pid } = server;
const port = Number(new URL(url).port);
const address = { host: '127.0.0.1', port };
const plain = post(token);
const modernly = (body) => { const whole = asModern(body); return plain(whole.body, whole.headers); };
const descriptors = () => readdirSync(`/proc/${pid}/fd`).length;
const idle = descriptors();

async function until(what, condition, ms = 15_000) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(25)) if (await condition()) return;
  assert.fail(`never: ${what}`);
}
const callsGoOn = async (count = 20) => {
  for (let i = 0; i < count; ++i) {
    const { json } = await askModern(url, token, echo(`${i}`));
    assert.equal(json.result.content[0].text, `Echo: ${i}`);
  }
};
const isOver = (io) => io.bytes.endsWith('\r\n0\r\n\r\n');  // the stream; its connection goes on
const within = (mebibytes) => { if (!underAsan) assert.ok(rss(pid) < mebibytes, `${rss(pid)} MiB`); };
const allGo = () => until('all connections are closed', () => descriptors() <= idle + 8);

// Opens connections, says how many there are, and keeps them until its input ends.
const crowd = `
  const net = require('node:net');
  const [port, count, bytes] = [Number(process.argv[1]), Number(process.argv[2]), process.argv[3]];
  let open = 0, asked = 0, ended = 0;
  const next = () => {
    if (asked === count) return;
    ++asked;
    const socket = net.connect(port, '127.0.0.1', () => {
      ++open;
      if (bytes) socket.write(Buffer.from(bytes, 'base64'));
      if (open === count) console.log('open');
      next();
    });
    socket.on('error', (error) => { console.log('failed ' + error.code); process.exit(1); });
    socket.on('close', () => { ++ended; });
    if (bytes) socket.on('data', () => {}); else socket.resume();
  };
  for (let i = 0; i < 64; ++i) next();
  process.stdin.on('end', () => { console.log('ended ' + ended); process.exit(0); }).resume();
`;
async function gather(t, count, bytes = '') {
  const limit = Number(spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).stdout) || Infinity;
  if (limit < count + 200) return t.skip(`only ${limit} descriptors are allowed here`);
  const child = spawn('sh', ['-c', 'ulimit -n "$(ulimit -Hn)" && exec "$0" "$@"', process.execPath, '-e', crowd, String(port), String(count), Buffer.from(bytes).toString('base64')], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = (await lines.next()).value;
  assert.equal(first, 'open');
  return { leave: async () => { child.stdin.end(); return (await lines.next()).value; } };
}

test('10,000 connections that say nothing: calls go on', { timeout: 60_000 }, async (t) => {
  const people = await gather(t, 10_000);
  if (!people) return;
  await until('they are all taken', () => descriptors() > 10_000);
  await callsGoOn();
  within(128);
  assert.equal(await people.leave(), 'ended 0');
  await allGo();
  await callsGoOn();
});

test('10,000 connections with half a header are all given up', { timeout: 60_000 }, async (t) => {
  const people = await gather(t, 10_000, 'POST /mcp HTTP/1.1\r\nHost: loc');
  if (!people) return;
  await callsGoOn();
  within(192);
  await allGo();
  assert.equal(await people.leave(), 'ended 10000');
});

test('2,000 subscriptions: 1,024 hear of a change, the rest are refused, calls go on', { timeout: 60_000 }, async () => {
  const all = Array.from({ length: 2000 }, (_, i) => {
    const io = connect(address);
    io.write(modernly(request('subscriptions/listen', { notifications: { toolsListChanged: true } }, `s${i}`)));
    return io;
  });
  const refused = (io) => readAnswers(io.bytes).answers.some(({ status }) => status === 503);
  await until('all are answered', () => all.every((io) => refused(io) || io.bytes.includes('acknowledged')));
  assert.equal(all.filter(refused).length, 2000 - 1024);
  await callsGoOn();
  await askModern(url, token, call('test_trigger_tool_change'));
  await until('all of them hear it', () => all.filter((io) => io.bytes.includes('tools/list_changed')).length === 1024);
  within(128);
  for (const io of all) io.socket.destroy();
  await allGo();
  await until('there is room again', async () => {
    const io = connect(address);
    io.write(modernly(request('subscriptions/listen', { notifications: {} })));
    await io.until(() => io.bytes.includes('acknowledged') || io.ended || refused(io));
    io.socket.destroy();
    return io.bytes.includes('acknowledged');
  });
});

test('1,000 sessions, each with its stream, and half of them leave without a word', { timeout: 60_000 }, async () => {
  const all = [];
  for (let i = 0; i < 1000; i += 50) {
    all.push(...await Promise.all(Array.from({ length: 50 }, () => session(url, token))));
  }
  assert.equal(new Set(all.map((one) => one['Mcp-Session-Id'])).size, 1000);
  const streams = all.map((headers) => {
    const io = connect(address);
    io.write(head('GET /mcp HTTP/1.1', { Host: 'localhost', Authorization: `Bearer ${token}`, Accept: 'text/event-stream', ...headers }));
    return io;
  });
  await until('all are open', () => streams.every((io) => io.bytes.startsWith('HTTP/1.1 200')));
  streams.slice(0, 500).forEach((io) => io.socket.resetAndDestroy());
  await askModern(url, token, call('test_trigger_tool_change'));
  await until('the others hear of a change', () => streams.slice(500).every((io) => io.bytes.includes('tools/list_changed')));
  for (const headers of [all[0], all[499], all[500], all[999]]) {
    assert.equal((await ask(url, token, echo('mine'), headers)).json.result.content[0].text, 'Echo: mine');
  }
  within(160);
  for (let i = 0; i < 1000; i += 50) {
    await Promise.all(all.slice(i, i + 50).map((headers) => ask(url, token, undefined, headers, 'DELETE')));
  }
  assert.equal((await ask(url, token, echo(), all[999])).status, 404);
  await until('their streams end', () => streams.slice(500).every(isOver));
  streams.forEach((io) => io.socket.destroy());
  await allGo();
});

test('clients that never read are given up, and cost no more than what they were sent', { timeout: 60_000 }, async () => {
  const deaf = Array.from({ length: 40 }, () => {
    const io = connect(address);
    io.socket.pause();
    // More answers than any socket buffer takes, and only one of them is made at a time.
    io.write(Buffer.concat(Array.from({ length: 600 }, (_, i) => modernly(call('big', { bytes: 39_000 }, {}, i)))));
    return io;
  });
  await sleep(500);
  await callsGoOn();
  within(256);
  await allGo();
  deaf.forEach((io) => io.socket.destroy());
});

test('8 clients that declare 32 MiB each, and send a drop now and then, keep nobody out', { timeout: 60_000 }, async () => {
  const slow = Array.from({ length: 12 }, () => {
    const io = connect(address);
    io.write(head('POST /mcp HTTP/1.1', { Host: 'localhost', Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Content-Length': 32 << 20 }));
    return io;
  });
  for (let i = 0; i < 5; ++i) {
    await Promise.all(slow.map((io) => io.write(' ')));
    await callsGoOn(2);
  }
  within(256);
  slow.forEach((io) => io.socket.destroy());
  await allGo();
});

test('clients that go away in the middle of everything', { timeout: 60_000 }, async () => {
  const mine = await session(url, token);
  const whole = [
    modernly(echo()), modernly(call('silence', { ms: 50 })), modernly(call('sleep', { ms: 50 }, { _meta: { progressToken: 1 } })),
    plain(echo(), mine), plain(initialize(legacy)), modernly(request('subscriptions/listen', { notifications: { toolsListChanged: true } })),
    Buffer.from(head('GET /mcp HTTP/1.1', { Host: 'localhost', Authorization: `Bearer ${token}`, Accept: 'text/event-stream', ...mine })),
  ];
  for (let round = 0; round < 6; ++round) {
    await Promise.all(Array.from({ length: 100 }, async (_, i) => {
      const io = connect(address);
      const bytes = whole[i % whole.length];
      await io.write(bytes.subarray(0, i % 3 === 0 ? bytes.length : Math.floor(Math.random() * bytes.length)));
      await sleep(Math.random() * 30);
      if (i % 2) io.socket.resetAndDestroy(); else io.socket.destroy();
    }));
    await callsGoOn(3);
  }
  await allGo();
  assert.equal((await ask(url, token, echo(), mine)).status, 200);
});

test('a session that DELETE ends while its calls run, by everybody at once', async () => {
  for (let round = 0; round < 20; ++round) {
    const mine = await session(url, token);
    const running = Array.from({ length: 16 }, (_, id) => ask(url, token, call(id % 2 ? 'silence' : 'echo', id % 2 ? { ms: 5000 } : { message: 'x' }, {}, id), mine));
    await sleep(Math.random() * 8);
    const ended = await Promise.all(Array.from({ length: 4 }, () => ask(url, token, undefined, mine, 'DELETE')));
    assert.deepEqual(ended.map(({ status }) => status).sort(), [204, 404, 404, 404]);
    for (const { status } of await Promise.all(running)) assert.ok([200, 202, 404].includes(status), `${status}`);
    assert.equal((await ask(url, token, echo(), mine)).status, 404);
  }
});

test('a call that is cancelled as it is answered is answered once or not at all', async () => {
  const mine = await session(url, token);
  const seen = { answered: 0, silent: 0 };
  await Promise.all(Array.from({ length: 200 }, async (_, i) => {
    const running = ask(url, token, call('silence', { ms: 15 }, {}, `c${i}`), mine);
    await sleep(10 + Math.random() * 10);
    const cancelled = await ask(url, token, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: `c${i}` } }, mine);
    assert.equal(cancelled.status, 202);
    const answer = await running;
    if (answer.status === 202) return ++seen.silent;
    assert.equal(answer.json.id, `c${i}`);
    return ++seen.answered;
  }));
  assert.equal(seen.answered + seen.silent, 200);
});

test('sessions that nobody uses end by themselves, those that are used do not', { timeout: 30_000 }, async (t) => {
  const other = await serve(t, '127.0.0.1:0', '--session-idle', '400');
  const forgotten = await session(other.url);
  const used = await session(other.url);
  const stream = connect({ host: '127.0.0.1', port: Number(new URL(other.url).port) });
  stream.write(head('GET /mcp HTTP/1.1', { Host: 'localhost', Accept: 'text/event-stream', ...forgotten }));
  await until('its stream ends', async () => {
    assert.equal((await ask(other.url, undefined, echo(), used)).status, 200);
    return isOver(stream);
  });
  assert.equal((await ask(other.url, undefined, echo(), forgotten)).status, 404);
  assert.equal((await ask(other.url, undefined, echo(), used)).status, 200);
});

test('at the end the server is as it was at first', async () => {
  await allGo();
  await callsGoOn();
  within(256);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
});
