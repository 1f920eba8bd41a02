// The official MCP clients against helve-fixture, over stdio and over HTTP: version 1 and 2 of the SDK,
// in the handshake era and in the modern one.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { clients } from './clients.mjs';
import { overStdio as server, serve } from './fixture.mjs';

const kinds = clients.flatMap((client) => [
  { ...client, name: `${client.name}, stdio`, server: async () => server },
  { ...client, name: `${client.name}, HTTP`, server: serve },
]);

async function connected(kind, t) {
  const client = kind.make();
  const errors = [];
  client.onerror = (error) => errors.push(error);
  t.after(async () => { // before the server ends, which its clients would complain about
    await client.close();
    assert.deepEqual(errors.map(String), [], 'the client has nothing to complain about');
  });
  const transport = kind.transport(await kind.server(t));
  await client.connect(transport);
  return { client, pid: transport.pid, call: (params, options) => kind.call(client, params, options) };
}

for (const kind of kinds) {
  test(`${kind.name}: lists, calls, resources and empty lists (R12)`, async (t) => {
    const { client, call } = await connected(kind, t);
    const { tools } = await client.listTools();
    assert.ok(tools.some((tool) => tool.name === 'echo' && tool.annotations.readOnlyHint));
    const said = await call({ name: 'echo', arguments: { message: 'hü \u{1F600}' } });
    assert.deepEqual(said.content, [{ type: 'text', text: 'Echo: hü \u{1F600}' }]);
    assert.equal((await call({ name: 'sum', arguments: { numbers: [1, 2] } })).structuredContent.sum, 3);
    assert.equal((await client.listPrompts()).prompts[0].name, 'test_simple_prompt');
    assert.equal((await client.listResources()).resources[0].uri, 'test://static-text');
    assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
    const read = await client.readResource({ uri: 'test://template/7/data' });
    assert.equal(JSON.parse(read.contents[0].text).id, '7');
    await assert.rejects(client.readResource({ uri: 'test://none' }), (error) => error.code === kind.unknownResource);
    assert.equal(client.getInstructions(), 'Tools that are made for tests.');
    assert.equal(client.getServerVersion().name, 'helve-fixture');
  });

  test(`${kind.name}: every kind of content arrives`, async (t) => {
    const { call } = await connected(kind, t);
    const kinds = async (name) => (await call({ name, arguments: {} })).content.map((block) => block.type);
    assert.deepEqual(await kinds('test_simple_text'), ['text']);
    assert.deepEqual(await kinds('test_image_content'), ['text', 'image']);
    assert.deepEqual(await kinds('test_audio_content'), ['text', 'audio']);
    assert.deepEqual(await kinds('test_multiple_content_types'), ['text', 'image', 'resource']);
    assert.deepEqual(await kinds('test_link'), ['text', 'resource_link']);
    const raw = await call({ name: 'raw_bytes', arguments: {} });
    assert.equal(raw.content[0].text, 'a\uFFFD\r\n\uFFFD', 'R14');
  });

  test(`${kind.name}: wrong arguments are answers that help (R9), unknown tools are errors`, async (t) => {
    const { call } = await connected(kind, t);
    const wrong = await call({ name: 'sum', arguments: { numbers: 'x' } });
    assert.equal(wrong.isError, true);
    assert.match(wrong.content[0].text, /numbers \(expected: array\).*\nNext: .*\{"numbers":\[/s);
    assert.equal((await call({ name: 'sum', arguments: { numbers: '[1, "2"]' } })).structuredContent.sum, 3);
    assert.match((await call({ name: 'echo' })).content[0].text, /message \(expected: string\): it is missing/);
    assert.equal((await call({ name: 'fail', arguments: {} })).isError, true);
    assert.equal((await call({ name: 'test_error_handling', arguments: {} })).isError, true);
    await assert.rejects(call({ name: 'nothing', arguments: {} }), (error) => error.code === -32602);
  });

  test(`${kind.name}: answers are bounded (R4) and keep their schema (R5)`, async (t) => {
    const { call } = await connected(kind, t);
    const big = await call({ name: 'big', arguments: { bytes: 1_000_000 } });
    assert.ok(JSON.stringify(big).length <= 40_000);
    assert.match(big.content[0].text, /\[cut: the first \d+ of 1000000 bytes are shown; .+\]$/);
    const broken = await call({ name: 'broken', arguments: {} });
    assert.equal(broken.isError, true);
    assert.equal(broken.structuredContent, undefined);
  });

  test(`${kind.name}: progress grows and stops at the answer (R6)`, async (t) => {
    const { call } = await connected(kind, t);
    const heard = [];
    await call({ name: 'sleep', arguments: { ms: 1000 } }, { onprogress: (progress) => heard.push(progress) });
    const count = heard.length;
    assert.ok(count >= 3, `${count} notifications`);
    heard.reduce((before, { progress }) => { assert.ok(progress > before); return progress; }, -1);
    await sleep(300);
    assert.equal(heard.length, count);
  });

  test(`${kind.name}: a cancelled call leaves the others alone (R10)`, async (t) => {
    const { call } = await connected(kind, t);
    const stop = new AbortController();
    const other = call({ name: 'sleep', arguments: { ms: 600 } });
    const cancelled = call({ name: 'sleep', arguments: { ms: 60_000 } }, { signal: stop.signal });
    await sleep(100);
    stop.abort(new Error('enough'));
    await assert.rejects(cancelled);
    assert.equal((await other).content[0].text, 'slept 600 ms');
    assert.equal((await call({ name: 'echo', arguments: { message: 'x' } })).content[0].text, 'Echo: x');
  });

  test(`${kind.name}: 64 slow calls delay nothing (R11)`, async (t) => {
    const { client, call } = await connected(kind, t);
    const slow = Array.from({ length: 64 }, () => call({ name: 'sleep', arguments: { ms: 1500 } }));
    // The best of three: what else the machine does counts in one of them, what we do wrong in all.
    const p99s = [];
    for (let round = 0; round < 3; round++) {
      const times = [];
      for (let i = 0; i < 100; i++) {
        const began = performance.now();
        if (kind.modern) await call({ name: 'echo', arguments: { message: 'x' } });
        else await client.ping();
        times.push(performance.now() - began);
      }
      p99s.push(times.sort((a, b) => a - b)[98]);
    }
    assert.ok(Math.min(...p99s) < 100, `p99 ${p99s} ms`); // five times the bound
    for (const answer of await Promise.all(slow)) assert.equal(answer.content[0].text, 'slept 1500 ms');
  });
}

// Side by side, since they only wait.
describe('silence', { concurrency: true }, () => {
  for (const kind of kinds) {
    test(`${kind.name}: a tool that says nothing is heard of within 5 s (R6)`, async (t) => {
      const { call } = await connected(kind, t);
      const began = performance.now();
      const first = await new Promise((resolve, reject) => {
        const stop = new AbortController();
        call({ name: 'silence', arguments: { ms: 60_000 } }, {
          signal: stop.signal,
          onprogress: () => { resolve(performance.now() - began); stop.abort(); },
        }).catch(reject);
      });
      assert.ok(first < 25_000, `${first} ms`); // five times the bound
      assert.equal((await call({ name: 'echo', arguments: { message: 'x' } })).content[0].text, 'Echo: x');
    });
  }
});

// ------------------------------------------------------------------ the end of a client (R2)

const alive = (pid) => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

async function gone(pid, bound = 5000) { // five times the bound
  const began = performance.now();
  while (alive(pid) && performance.now() - began < bound) await sleep(10);
  return !alive(pid);
}

const line = (id, name, args) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })}\n`;

function start(options = {}) {
  const child = spawn(server.command, server.args, { stdio: ['pipe', 'pipe', 'ignore'], ...options });
  child.stdin.on('error', () => {});
  return child;
}

const endings = {
  'end of input': (child) => child.stdin.end(),
  'nobody reads any more': (child) => {
    child.stdout.destroy();
    child.stdin.write(line(99, 'echo', { message: 'x' }));
  },
  TERM: (child) => child.kill('SIGTERM'),
  INT: (child) => child.kill('SIGINT'),
};

for (const [name, end] of Object.entries(endings)) {
  test(`R2 the server ends with its client: ${name}`, async () => {
    for (let i = 0; i < 5; i++) {
      const child = start();
      child.stdin.write(line(1, 'sleep', { ms: 60_000 }) + line(2, 'echo', { message: 'x' }));
      await new Promise((resolve) => child.stdout.once('data', resolve));
      end(child);
      assert.ok(await gone(child.pid));
    }
  });
}

// The parent holds the pipes and a third process keeps the write end of stdin open.
const middle = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.argv[1], ['--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const holder = spawn('sleep', ['30'], { stdio: ['ignore', child.stdin, 'ignore'], detached: true });
  child.stdin.write(${JSON.stringify(line(1, 'sleep', { ms: 60_000 }))});
  child.stdin.write(${JSON.stringify(line(2, 'echo', { message: 'x' }))});
  child.stdout.once('data', () => console.log(JSON.stringify([child.pid, holder.pid])));
  setInterval(() => {}, 1000);
`;

test('R2 the server ends when its client is killed, also with its input held open', async () => {
  for (let i = 0; i < 5; i++) {
    const client = spawn(process.execPath, ['-e', middle, server.command], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [pid, holder] = JSON.parse(await new Promise((resolve) => client.stdout.once('data', resolve)));
    assert.ok(alive(pid));
    client.kill('SIGKILL');
    const ended = await gone(pid);
    process.kill(holder, 'SIGKILL');
    assert.ok(ended);
  }
});

test('R1 every byte on stdout is a JSON-RPC line, whatever is asked', async () => {
  const child = start();
  let out = '';
  child.stdout.on('data', (data) => { out += data; });
  const sent = ['{', '[]', '\uFEFF', '', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":1,"method":"ping"}', 'null'];
  child.stdin.end(sent.join('\r\n') + '\n' + line(7, 'broken', {}) + line(8, 'raw_bytes', {}));
  await new Promise((resolve) => child.on('close', resolve));
  const lines = out.split('\n');
  assert.equal(lines.pop(), '');
  assert.equal(lines.length, 7);
  for (const each of lines) assert.equal(JSON.parse(each).jsonrpc, '2.0');
});
