// Hostile input over pipes: one table, played to the fixture and to `helve mcp`. After each row the same
// process still answers, and at the end it leaves with the end of its input.
import { after, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build, fixture, root } from './fixture.mjs';
import { asModern, call, echo, initialize, legacy, modern, request, text, underAsan } from './hostile.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'helve-hostile-'));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(path.join(folder, 'helve.json'), JSON.stringify({
  limits: { wait_ms: 200 },
  tools: {
    echo: { description: 'Says it.', args: ['message'], template: 'printf %s {message}' },
    silence: { description: 'Waits.', args: ['ms'], template: "sh -c 'sleep 0.3'" },
  },
}));
const home = mkdtempSync(path.join(os.tmpdir(), 'helve-home-'));
after(() => rmSync(home, { recursive: true, force: true }));
const env = { ...process.env, HOME: home, XDG_STATE_HOME: path.join(home, 'state'), XDG_CONFIG_HOME: home };
const programs = [
  { name: 'helve-fixture', command: [fixture, '--stdio'], says: (word) => `Echo: ${word}` },
  { name: 'helve mcp', command: [path.join(build, 'helve'), 'mcp', '--root', folder], says: (word) => word, real: true },
];

// A process, and what it says by id.
function start(t, { command }) {
  const child = spawn(command[0], command.slice(1), { env, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
  const io = { child, ended, lines: [], errors: '', wake: () => {} };
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop();
    io.lines.push(...lines.map((line) => JSON.parse(line)));
    io.wake();
  });
  child.stderr.on('data', (piece) => { io.errors += piece; });
  child.stdin.on('error', () => {});
  child.on('close', () => { io.over = true; io.wake(); });
  io.write = (bytes) => new Promise((resolve) => { child.stdin.write(bytes, resolve); });
  io.until = async (condition, ms = 10_000) => {
    let late = false;
    const timer = setTimeout(() => { late = true; io.wake(); }, ms);
    while (!condition() && !late && !io.over) await new Promise((resolve) => { io.wake = resolve; });
    clearTimeout(timer);
    assert.ok(condition(), `not said in time: ${JSON.stringify(io.lines.slice(-3)).slice(0, 500)}`);
  };
  io.answer = async (id) => { await io.until(() => io.lines.some((line) => line.id === id)); return io.lines.find((line) => line.id === id); };
  io.begin = async (version = legacy) => {
    await io.write(`${text({ ...initialize(version), id: 'hello' })}\n${text({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    return io.answer('hello');
  };
  return io;
}

const describe = (message) => {
  if (Array.isArray(message)) return `[${message.map(describe).join(' ')}]`;
  if (message.error) return `${message.error.code} ${message.error.data?.rule}`;
  return message.result.isError ? `refused ${message.result._meta?.['io.helve/refusal']?.rule}` : 'result';
};

const huge = 'i'.repeat(2_000_000);
const nested = (depth, id = '7') => `{"jsonrpc":"2.0","id":${id},"method":"ping","params":{"x":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
const badJson = '-32700 json.invalid';
const withId = (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
const bytes = (...parts) => Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

// [name, what is sent (a line end is added to it), the answers in their order]
const rows = [
  ['nothing', '', []],
  ['blanks', ' \t ', []],
  ['many empty lines', '\n'.repeat(5000), []],
  ['a return alone', '\r', []],
  ['half a message', '{"jsonrpc":"2.0","id":1,', [badJson]],
  ['a message over two lines', '{"jsonrpc":"2.0",\n"id":1,"method":"ping"}', [badJson, badJson]],
  ['two messages on one line', `${withId(1)}${withId(2)}`, [badJson]],
  ['a header of another protocol', 'Content-Length: 40', [badJson]],
  ['HTTP', 'GET / HTTP/1.1\r\nHost: x\r\n\r', [badJson, badJson]],
  ['a NUL', '\0', [badJson]],
  ['a NUL behind a message', `${withId(1)}\0`, [badJson]],
  ['a byte order mark in the middle', `\ufeff${withId(1)}`, [badJson]],
  ['UTF-16', Buffer.from(withId(1), 'utf16le'), [badJson]],
  ['half a character', bytes('{"jsonrpc":"2.0","id":1,"method":"', [0xc3]), [badJson]],
  ['an overlong character', bytes('{"a":"', [0xc0, 0xaf], '"}'), [badJson]],
  ['random bytes', Buffer.from('ff00fe01fd02fc03', 'hex'), [badJson]],
  ['a good message that ends with a return', `${withId(1)}\r`, ['result']],
  ['a text', '"x"', ['-32600 mcp.not_an_object']],
  ['null', 'null', ['-32600 mcp.not_an_object']],
  ['a number', '5', ['-32600 mcp.not_an_object']],
  ['an empty object', '{}', ['-32600 mcp.not_jsonrpc']],
  ['JSON-RPC 1.0', '{"id":1,"method":"ping"}', ['-32600 mcp.not_jsonrpc']],
  ['no method', '{"jsonrpc":"2.0","id":1}', ['-32600 mcp.no_method']],
  ['a method that is an array', '{"jsonrpc":"2.0","id":1,"method":[]}', ['-32600 mcp.no_method']],
  ['params that are an array', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', ['-32602 mcp.params_not_object']],
  ...['null', 'true', '{}', '[]', '1.5', '-1e300'].map((id) => [`the id ${id}`, withId(id), ['-32600 mcp.bad_id']]),
  ['an id of two million letters', withId(`"${huge}"`), ['-32600 mcp.bad_id']],
  ['an id beyond 64 bits', withId('99999999999999999999'), ['-32700 json.integer_too_large']],
  ['the id 0', withId('0'), ['result']],
  ['an empty id', withId('""'), ['result']],
  ['one id twice at the same time', `${text(call('silence', { ms: 300 }, {}, 'twice'))}\n${text(call('silence', { ms: 300 }, {}, 'twice'))}`, ['-32600 mcp.id_in_use', 'result']],
  ['an unknown method', text(request('no/such')), ['-32601 mcp.method_unknown']],
  ['an unknown method of two million letters', text(request(huge)), ['-32601 mcp.method_unknown']],
  ['an unknown tool of two million letters', text(call(huge)), ['-32602 tool.unknown']],
  ['a tool that is named like a file', text(call('../../bin/sh')), ['-32602 tool.unknown']],
  ['arguments that are none', text(call('echo', 5)), ['refused args.invalid']],
  ['arguments that are missing', text(call('echo', {})), ['refused args.invalid']],
  ['a depth of 300', nested(300), ['-32600 json.too_deep']],
  ['a depth of 100,000', nested(100_000), ['-32700 json.too_deep']],
  ['a depth without an end', '['.repeat(2_000_000), ['-32700 json.too_deep']],
  ['a large integer', '{"jsonrpc":"2.0","id":3,"method":"ping","params":{"n":18446744073709551616}}', ['-32600 json.integer_too_large']],
  ['a notification that nobody knows', '{"jsonrpc":"2.0","method":"notifications/nonsense"}', []],
  ['a notification with params that are none', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":5}', []],
  ['a cancellation of what never was', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never"}}', []],
  ['a cancellation of everything', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}', []],
  ['an answer that nobody asked for', '{"jsonrpc":"2.0","id":1,"result":{}}', []],
  ['an error that nobody asked for', '{"jsonrpc":"2.0","id":1,"error":5}', []],
  ['a batch', `[${withId(1)},${withId(2)}]`, ['-32600 mcp.batch_unsupported']],
  ['an empty batch', '[]', ['-32600 mcp.batch_unsupported']],
  ['a modern request in between', text(asModern(echo('x', 'modern')).body), ['result']],
  ['a modern request without capabilities', text({ ...echo(), params: { name: 'echo', arguments: { message: 'x' }, _meta: { 'io.modelcontextprotocol/protocolVersion': modern } } }), ['-32602 mcp.envelope_missing']],
  ['a modern request of another day', text({ ...echo(), params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01', 'io.modelcontextprotocol/clientCapabilities': {} } } }), ['-32022 mcp.version_unsupported']],
  ['a state that nobody gave', text(asModern(call('echo', { message: 'x' }, { requestState: 'AAAA' })).body), ['-32602 state.forged']],
  ['a line of 33 MiB', 'x'.repeat(33 << 20), ['-32600 mcp.message_too_large']],
];

for (const program of programs) {
  test(`hostile stdio, ${program.name}: ${rows.length} rows`, { timeout: 60_000 }, async (t) => {
    assert.ok(rows.length >= 40);
    const io = start(t, program);
    await io.begin();
    for (const [index, [row, sent, want]] of rows.entries()) {
      await t.test(row, async () => {
        const before = io.lines.length;
        await io.write(bytes(sent, '\n'));
        await io.until(() => io.lines.length >= before + want.length);
        const id = `after ${index}`;
        await io.write(`${text(echo(id, id))}\n`);
        assert.equal((await io.answer(id)).result.content[0].text, program.says(id));
        const said = io.lines.slice(before).filter((line) => line.id !== id);
        assert.deepEqual(said.map(describe), want);
        const all = JSON.stringify(said);
        assert.ok(all.length < 20_000, `${all.length} bytes`);
        for (const word of [root, build, folder]) assert.ok(!all.includes(word), all);
      });
    }
    if (!underAsan) {
      const rss = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${io.child.pid}/status`, 'utf8'))[1]) / 1024;
      assert.ok(rss < 160, `${rss} MiB`);
    }
    io.child.stdin.end();
    assert.deepEqual(await io.ended, { code: 0, signal: null });
  });

  test(`${program.name}: requests before and without a handshake are answered at once`, async (t) => {
    const io = start(t, program);
    await io.write(`\ufeff${text(request('no/such', {}, 'a'))}\n${text(request('tools/list', {}, 'b'))}\n${text(asModern(request('tools/list', {}, 'c')).body)}\n`);
    assert.equal(describe(await io.answer('a')), '-32601 mcp.method_unknown');
    assert.equal(describe(await io.answer('c')), 'result');
    await io.answer('b');
  });

  test(`${program.name}: a batch brings no second handshake`, async (t) => {
    const io = start(t, program);
    await io.begin('2025-03-26');
    await io.write(`${text([{ ...initialize(modern), id: 'again' }, request('ping', {}, 'p')])}\n${text([request('ping', {}, 'q')])}\n`);
    await io.until(() => io.lines.filter(Array.isArray).length === 2);
    const [first, second] = io.lines.filter(Array.isArray);
    assert.equal(describe(first), '[-32600 mcp.initialized_already result]');
    assert.equal(describe(second), '[result]', 'the revision is as it was');
  });

  test(`${program.name}: one byte at a time, and many messages in one piece`, async (t) => {
    const io = start(t, program);
    await io.begin();
    for (const byte of Buffer.from(`${text(echo('\u{1f40c}', 'slow'))}\n`)) {
      await io.write(Buffer.from([byte]));
      if (byte > 127) await sleep(2);
    }
    assert.equal((await io.answer('slow')).result.content[0].text, program.says('\u{1f40c}'));
    await io.write(Array.from({ length: 1000 }, (_, i) => `${text(request('ping', {}, i))}\n`).join(''));
    await io.until(() => Array.from({ length: 1000 }, (_, i) => i).every((i) => io.lines.some(({ id }) => id === i)));
  });

  test(`${program.name}: an input that ends in the middle of a message, of calls, of nothing`, async (t) => {
    for (const last of ['{"jsonrpc":"2.0","id":1,"meth', `${text(call('silence', { ms: 5000 }, {}, 's'))}\n`, text(request('ping', {}, 'unended')), '']) {
      const io = start(t, program);
      await io.begin();
      await io.write(last);
      io.child.stdin.end();
      assert.deepEqual(await io.ended, { code: 0, signal: null }, last);
    }
  });

  test(`${program.name}: a client that never reads, then goes away`, { timeout: 30_000 }, async (t) => {
    const io = start(t, program);
    await io.begin();
    io.child.stdout.pause();
    const many = Array.from({ length: 5000 }, (_, i) => `${text(request('tools/list', {}, i))}\n`).join('');
    io.write(many);
    await sleep(700);
    if (!underAsan) {
      const rss = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${io.child.pid}/status`, 'utf8'))[1]) / 1024;
      assert.ok(rss < 96, `${rss} MiB`);
    }
    io.child.stdout.destroy();
    io.child.stdin.destroy();
    const { signal } = await io.ended;
    assert.equal(signal, null);
  });
}
