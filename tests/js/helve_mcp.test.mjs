// `helve mcp` with template tools, driven by the official clients: what an agent does with it, and
// what is left when either side goes away. HELVE_BUILD names the build folder.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Ajv2020 from 'ajv/dist/2020.js';
import { clients } from './clients.mjs';
import { root } from './fixture.mjs';
import { helve, project, running, unique, until } from './helve.mjs';

// R15: started in /, as hosts do.
function served(t, config) {
  const made = project(t, config);
  return { ...made, server: { command: helve, args: ['mcp', '--root', made.folder], env: made.env, cwd: '/', stderr: 'pipe' } };
}

// What every server lists beside the owner's tools.
const own = ['bash', 'bash_output', 'bash_stop', 'read', 'write', 'edit', 'tool_search', 'tool_call'];

const tools = (mark) => ({
  tools: {
    greet: { description: 'Greets.', args: ['name', 'times:int=1'], template: { repeat: 1, template: 'echo Hello {name} {times}' } },
    where: { description: 'Says where it is.', template: 'pwd' },
    half: { description: 'Works by half.', parallel: true, template: [{ label: 'good', template: 'echo yes' }, { label: 'bad', template: "sh -c 'echo oh no >&2; exit 4'" }] },
    broken: { description: 'Fails.', failure: 'root', template: ['echo fine', { label: 'last', failure: 'root', template: "sh -c 'echo the reason >&2; exit 9'" }] },
    tree: { description: 'A tree that sleeps.', template: `sh -c 'trap "" TERM; sleep ${mark} & setsid sleep ${mark} & sleep ${mark}; wait'` },
    steps: { description: 'Many steps.', parallel: true, repeat: 20, template: 'sleep 0.1' },
    noise: { description: 'Writes bytes.', template: "head -c 300000 /dev/urandom" },
    absent: { description: 'No such program.', template: 'helve-no-such-program' },
  },
});

for (const kind of clients) {
  const connect = async (t, mark = unique()) => {
    const made = served(t, tools(mark));
    const client = kind.make();
    const transport = kind.transport(made.server);
    await client.connect(transport);
    t.after(() => client.close());
    return { ...made, client, mark, pid: transport.pid, call: (params, options) => kind.call(client, params, options) };
  };

  test(`${kind.name}: template tools are listed and called`, async (t) => {
    const { client, call, folder } = await connect(t);
    const list = (await client.listTools()).tools;
    assert.deepEqual(list.map((tool) => tool.name), [...Object.keys(tools('').tools), ...own]);
    assert.ok(JSON.stringify(list.filter((tool) => own.includes(tool.name))).length <= 8192, 'our own tools take 8 KiB at most');
    const schema = list.find((tool) => tool.name === 'greet').inputSchema;
    assert.deepEqual([schema.required, schema.properties.times.type], [['name'], 'integer']);
    assert.equal((await call({ name: 'greet', arguments: { name: '$(id) "x"' } })).content[0].text, 'Hello $(id) "x" 1\n');
    assert.equal((await call({ name: 'greet', arguments: { name: 'a', times: '2' } })).content[0].text, 'Hello a 2\n', 'R9');
    assert.equal((await call({ name: 'where', arguments: {} })).content[0].text, `${folder}\n`, 'R15');
    assert.match(client.getInstructions(), new RegExp(folder), 'R15');
  });

  test(`${kind.name}: answers tell the truth (decisions, section 4), and the report is a resource`, async (t) => {
    const { client, call } = await connect(t);
    const half = await call({ name: 'half', arguments: {} });
    assert.ok(!half.isError);
    assert.match(half.content[0].text, /^\[degraded: .*\]\n--- branch: good status: done ---\nyes\n--- branch: bad status: failed ---\nexit: 4\nstderr: oh no/);
    assert.equal(half._meta['io.helve/run'].status, 'degraded');
    const broken = await call({ name: 'broken', arguments: {} });
    assert.equal(broken.isError, true);
    assert.match(broken.content[0].text, /exit 9[\s\S]*last[\s\S]*the reason[\s\S]*Next:/);
    const { id } = broken._meta['io.helve/run'];
    const report = JSON.parse((await client.readResource({ uri: `helve://runs/${id}` })).contents[0].text);
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(path.join(root, 'src/commands/report.schema.json'), 'utf8')));
    assert.ok(validate(report), JSON.stringify(validate.errors));
    assert.ok((await client.listResources()).resources.some((r) => r.uri === `helve://runs/${id}`));
    await assert.rejects(client.readResource({ uri: 'helve://runs/run_0000000000000000' }));
    await assert.rejects(client.readResource({ uri: 'helve://runs/../../../etc/passwd' }));
    const absent = await call({ name: 'absent', arguments: {} });
    assert.match(absent.content[0].text, /helve-no-such-program[\s\S]*PATH/, 'R15: which PATH was used');
  });

  test(`${kind.name}: bad arguments name field, expectation and an example (R9)`, async (t) => {
    const { call } = await connect(t);
    for (const args of [{}, { name: ['x'] }, { name: 'a', times: 'many' }, { name: 'a', nmae: 'b' }]) {
      const answer = await call({ name: 'greet', arguments: args });
      assert.equal(answer.isError, true, JSON.stringify(args));
      assert.match(answer.content[0].text, /Next: .*\{"name":/);
      assert.equal(answer._meta['io.helve/refusal'].rule, 'args.invalid');
    }
  });

  test(`${kind.name}: output that is no text arrives as valid, bounded UTF-8 (R4, R14)`, async (t) => {
    const { call } = await connect(t);
    const answer = await call({ name: 'noise', arguments: {} });
    assert.ok(JSON.stringify(answer).length <= 40_000);
    assert.ok(answer.content[0].text.isWellFormed());
  });

  test(`${kind.name}: progress counts the steps`, async (t) => {
    const { call } = await connect(t);
    const seen = [];
    await call({ name: 'steps', arguments: {} }, { onprogress: (p) => seen.push(p) });
    assert.ok(seen.length > 0);
    for (let i = 1; i < seen.length; ++i) assert.ok(seen[i].progress > seen[i - 1].progress);
    assert.equal(seen.at(-1).total, 20);
  });

  test(`${kind.name}: cancel ends the whole tree, other calls go on (R10, R11)`, async (t) => {
    const { call, mark, client } = await connect(t);
    const cancel = new AbortController();
    const slow = call({ name: 'tree', arguments: {} }, { signal: cancel.signal });
    slow.catch(() => {});
    await until('the tree runs', () => running(`sleep\0${mark}`) >= 3);
    assert.equal((await call({ name: 'greet', arguments: { name: 'meanwhile' } })).content[0].text, 'Hello meanwhile 1\n');
    cancel.abort();
    await assert.rejects(slow);
    await until('the tree is gone', () => running(`sleep\0${mark}`) === 0);
    assert.equal((await client.listTools()).tools.length, Object.keys(tools('').tools).length + own.length);
  });

  test(`${kind.name}: when the client goes, so does everything (R2)`, async (t) => {
    const { call, mark, client, pid } = await connect(t);
    call({ name: 'tree', arguments: {} }).catch(() => {});
    await until('the tree runs', () => running(`sleep\0${mark}`) >= 3);
    await client.close();
    await until('the tree is gone', () => running(`sleep\0${mark}`) === 0, 5000);
    await until('the server is gone', () => { try { process.kill(pid, 0); return false; } catch { return true; } }, 5000);
  });
}

test('a client killed with -9 leaves neither server nor commands (R2)', async (t) => {
  const mark = unique();
  const { env, folder } = served(t, tools(mark));
  const script = `
    import { spawn } from 'node:child_process';
    const s = spawn(${JSON.stringify(helve)}, ['mcp', '--root', ${JSON.stringify(folder)}], { stdio: ['pipe', 'pipe', 'inherit'] });
    const say = (m) => s.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...m }) + '\\n');
    say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } } });
    say({ id: 2, method: 'tools/call', params: { name: 'tree', arguments: {} } });
    console.log(s.pid);
    setInterval(() => {}, 1000);`;
  const client = spawn(process.execPath, ['--input-type=module', '-e', script], { env });
  t.after(() => client.kill('SIGKILL'));
  let out = '';
  client.stdout.on('data', (d) => (out += d));
  await until('the tree runs', () => running(`sleep\0${mark}`) >= 3);
  const pid = Number(out);
  client.kill('SIGKILL');
  await until('the commands are gone', () => running(`sleep\0${mark}`) === 0, 5000);
  await until('the server is gone', () => { try { process.kill(pid, 0); return false; } catch { return true; } }, 5000);
});

for (const signal of ['SIGKILL', 'SIGTERM', 'SIGQUIT']) {
  test(`a server that ends by ${signal} leaves nothing running, not even what a finished step left (R2)`, async (t) => {
    const mark = unique();
    const { env, folder } = served(t, { tools: { ...tools(mark).tools, daemon: { template: `sh -c 'setsid sleep ${mark} </dev/null >/dev/null 2>&1 & echo started'` } } });
    const server = spawn(helve, ['mcp', '--root', folder], { env, cwd: '/' });
    let out = '';
    server.stdout.on('data', (d) => (out += d));
    server.stdin.on('error', () => {});
    const say = (m) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...m })}\n`);
    say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } } });
    say({ id: 2, method: 'tools/call', params: { name: 'daemon', arguments: {} } });
    await until('the daemon was started', () => out.includes('started'));
    say({ id: 3, method: 'tools/call', params: { name: 'tree', arguments: {} } });
    await until('the tree runs', () => running(`sleep\0${mark}`) >= 4);
    server.kill(signal);
    await until('everything is gone', () => running(`sleep\0${mark}`) === 0, 10_000);
  });
}

test('nothing but JSON-RPC on stdout, whatever the tools write (R1)', async (t) => {
  const { env, folder } = served(t, tools(unique()));
  const server = spawn(helve, ['mcp', '--root', folder], { env, cwd: '/' });
  let out = '';
  server.stdout.on('data', (d) => (out += d));
  const say = (m) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...m })}\n`);
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } } });
  ['noise', 'broken', 'half', 'absent'].forEach((name, i) => say({ id: i + 2, method: 'tools/call', params: { name, arguments: {} } }));
  await until('all answers', () => out.split('\n').length >= 6);
  server.stdin.end();
  const code = await new Promise((resolve) => server.on('close', resolve));
  assert.equal(code, 0);
  for (const line of out.trim().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0');
});

test('helve mcp refuses to start on a broken configuration, in the words of check', (t) => {
  const { env, folder } = served(t, { tools: { a: { templat: 'x' } } });
  const server = spawn(helve, ['mcp', '--root', folder], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  server.stdout.on('data', (d) => (out += d));
  server.stderr.on('data', (d) => (err += d));
  return new Promise((resolve) => server.on('close', resolve)).then((code) => {
    assert.equal(code, 1);
    assert.equal(out, '');
    assert.match(err, /helve\.json:1:\d+: error: /);
  });
});
