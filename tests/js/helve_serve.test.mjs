// The program itself as a server, over stdio and HTTP, driven by the official clients: long calls as
// jobs, questions to the person, changes of the configuration while it serves, the token. HELVE_BUILD
// names the build folder.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { clients } from './clients.mjs';
import { helve, project, running, start, tokenOf, unique, until } from './helve.mjs';

const overStdio = async (t, made) => ({ command: helve, args: ['mcp', '--root', made.folder], env: made.env, cwd: '/', stderr: 'ignore' });
const kinds = clients.flatMap((client) => [
  { ...client, name: `${client.name}, stdio`, server: overStdio },
  { ...client, name: `${client.name}, HTTP`, server: start, http: true },
]);

async function connect(t, kind, made, { capabilities = {}, answer, options = {}, server } = {}) {
  const client = kind.make(capabilities, options);
  const asked = [];
  if (answer) {
    kind.on(client, 'elicitation/create', async ({ params }) => {
      asked.push(params);
      return answer(params);
    });
  }
  await client.connect(kind.transport(server ?? await kind.server(t, made)));
  t.after(() => client.close());
  const call = (name, args = {}, more) => kind.call(client, { name, arguments: args }, more);
  return { client, asked, call, text: async (name, args) => (await call(name, args)).content[0].text };
}

const slow = (mark) => ({
  limits: { wait_ms: 300 },
  tools: {
    slow: { description: 'Takes a while.', template: ["sh -c 'echo first'", `sleep ${mark}`] },
    soon: { description: 'Takes a second.', template: ['sleep 1', 'sleep 0.3', "sh -c 'echo the result'"] },
    quick: { description: 'Is quick.', args: ['word'], template: 'echo {word}' },
    hidden_gem: { description: 'Polishes stones.', deferred: true, template: 'echo polished' },
  },
});

for (const kind of kinds) {
  test(`${kind.name}: a call that takes long becomes a job that is followed and stopped (R6)`, async (t) => {
    const mark = unique();
    const { client, call, text } = await connect(t, kind, project(t, slow(mark)));
    const handle = await call('soon');
    assert.ok(!handle.isError);
    const job = handle._meta['io.helve/job'];
    assert.match(job.id, /^job_[0-9a-f]{16}$/);
    assert.equal(job.state, 'running');
    assert.match(handle.content[0].text, /bash_output/);
    let end;
    for (let cursor = job.cursor; end?._meta['io.helve/job'].state !== 'done'; cursor = end._meta['io.helve/job'].cursor) {
      end = await call('bash_output', { job: job.id, cursor, wait: 30_000 });
    }
    assert.match(end.content[0].text, /done after[\s\S]*the result/);
    assert.equal(end._meta['io.helve/run'].status, 'ok', 'the facts of the run come with its end');
    assert.equal(end._meta['io.helve/job'].more, false);

    const other = (await call('slow'))._meta['io.helve/job'].id;
    await until('it runs', () => running(`sleep\0${mark}`) === 1);
    assert.match(await text('tool_call', { name: 'job_list' }), new RegExp(`${other} slow: running`));
    assert.equal(await text('quick', { word: 'meanwhile' }), 'meanwhile\n', 'R11');
    assert.match(await text('bash_stop', { job: other }), /stopped after/);
    assert.equal(running(`sleep\0${mark}`), 0, 'R10: the tree is gone');
    const unknown = await call('bash_output', { job: 'job_0000000000000000' });
    assert.equal(unknown._meta['io.helve/refusal'].rule, 'job.unknown');
    assert.ok((await client.listTools()).tools.every((tool) => tool.name !== 'job_list'), 'deferred');
  });

  test(`${kind.name}: with progress a call is waited for to its end`, async (t) => {
    const { call } = await connect(t, kind, project(t, slow(unique())));
    const seen = [];
    const answer = await call('soon', {}, { onprogress: (p) => seen.push(p) });
    assert.equal(answer.content[0].text, 'the result\n');
    assert.ok(seen.length > 0);
  });

  test(`${kind.name}: deferred tools are found and called`, async (t) => {
    const { client, text } = await connect(t, kind, project(t, slow(unique())));
    assert.ok((await client.listTools()).tools.every((tool) => tool.name !== 'hidden_gem'));
    assert.match(await text('tool_search', { query: 'polish a stone' }), /"name":"hidden_gem".*"inputSchema"/);
    assert.equal(await text('hidden_gem'), 'polished\n');
    assert.equal(await text('tool_call', { name: 'hidden_gem', arguments: {} }), 'polished\n');
  });

  const careful = { policy: { profile: 'careful' } };
  const risky = { tools: { wipe: { description: 'Wipes.', args: ['what'], template: "sh -c 'echo wiped'" }, safe: { description: 'Safe.', template: 'echo safe' } } };
  const person = { capabilities: { elicitation: { form: {} } } };

  test(`${kind.name}: the person is asked with the exact command, and says yes, no or nothing`, async (t) => {
    const said = [{ action: 'accept', content: {} }, { action: 'decline' }, { action: 'cancel' }];
    const { call, text, asked } = await connect(t, kind, project(t, risky, careful), {
      ...person,
      answer: async () => { await sleep(300); return said.shift(); },
    });
    assert.equal(await text('safe'), 'safe\n');
    assert.equal(asked.length, 0, 'not about what has no risk');
    assert.equal(await text('wipe', { what: 'a b' }), 'wiped\n');
    assert.match(asked[0].message, /wipe[\s\S]*sh -c 'echo wiped'/);
    const rules = [];
    for (let i = 0; i < 2; ++i) rules.push((await call('wipe', { what: 'x' }))._meta['io.helve/refusal'].rule);
    assert.deepEqual(rules, ['policy.declined', 'policy.cancelled']);
  });

  test(`${kind.name}: a client that declines by itself is not the person's no; one that cannot ask is told how to allow it`, async (t) => {
    const made = project(t, risky, careful);
    const automatic = await connect(t, kind, made, { ...person, answer: () => ({ action: 'decline' }) });
    assert.equal((await automatic.call('wipe', { what: 'x' }))._meta['io.helve/refusal'].rule, 'policy.unavailable');
    const mute = await connect(t, kind, made);
    const refused = await mute.call('wipe', { what: 'x' });
    assert.equal(refused._meta['io.helve/refusal'].rule, 'policy.cannot_ask');
    assert.match(refused.content[0].text, /Next: .*"allow"/);
  });

  test(`${kind.name}: a yes is for the command that was shown, not for one that took its place`, async (t) => {
    const made = project(t, risky, careful);
    const changed = structuredClone(risky);
    changed.tools.wipe.template = "sh -c 'echo something else'";
    const { call, asked } = await connect(t, kind, made, {
      ...person,
      answer: async () => {
        if (asked.length === 1) {
          made.write({ tools: { ...changed.tools, marker: 'true' } });
          await until('it is taken over', () => call('marker').then((answer) => !answer.isError, () => false));
        }
        return { action: 'accept', content: {} };
      },
    });
    assert.equal((await call('wipe', { what: 'x' })).content[0].text, 'something else\n');
    assert.match(asked[0].message, /echo wiped/);
    assert.match(asked[1].message, /echo something else/);
    assert.equal(asked.length, 2);
  });

  test(`${kind.name}: the tools work in the root wherever the server was started, and say which PATH was searched (R15)`, async (t) => {
    const made = project(t, { tools: { where: 'pwd', absent: 'helve-no-such-program' } });
    const { client, text } = await connect(t, kind, made);
    assert.equal(await text('where'), `${made.folder}\n`);
    assert.ok(client.getInstructions().includes(made.folder));
    assert.match(await text('absent'), /helve-no-such-program[\s\S]*PATH/);
  });

  test(`${kind.name}: a yes is remembered where a session has a memory`, async (t) => {
    const { text, asked } = await connect(t, kind, project(t, risky, careful), {
      ...person, answer: () => ({ action: 'accept', content: { remember: true } }),
    });
    for (let i = 0; i < 2; ++i) assert.equal(await text('wipe', { what: 'x' }), 'wiped\n');
    assert.equal(asked.length, kind.http && kind.modern ? 2 : 1);
  });

  test(`${kind.name}: a changed configuration is taken over and told; a broken one is not`, async (t) => {
    const made = project(t, { tools: { one: { description: 'One.', template: 'echo 1' } } });
    const lists = [];
    const { client, text } = await connect(t, kind, made, {
      options: { listChanged: { tools: { onChanged: (error, tools) => lists.push(error ?? tools) } } },
    });
    assert.equal(await text('one'), '1\n');
    made.write({ tools: { one: { description: 'One.', template: 'echo changed' }, two: { description: 'Two.', template: 'echo 2' } } });
    await until('the new tool is there', async () => (await client.listTools()).tools.some((tool) => tool.name === 'two'));
    assert.equal(await text('one'), 'changed\n');
    assert.equal(await text('two'), '2\n');
    if (kind.make === undefined || client.setNotificationHandler === undefined) return;
    made.write('{"tools": {"one": {"templat');
    await sleep(600);
    assert.equal(await text('two'), '2\n', 'the last good set stays');
    mkdirSync(path.join(made.folder, 'recipes'));
    made.write({ tools: {} });
    writeFileSync(path.join(made.folder, 'recipes', 'three.json'), JSON.stringify({ description: 'Three.', template: 'echo 3' }));
    await until('the recipe is there', async () => (await client.listTools()).tools.some((tool) => tool.name === 'three'));
    await until('the client was told', () => lists.length > 0);
  });

  test(`${kind.name}: recipes marked as prompts are prompts, with completion`, async (t) => {
    const made = project(t, { tools: {
      review: { description: 'Reviews.', prompt: true, args: ['focus', 'depth:int=1'], template: "printf 'Review {focus} %s' {depth}" },
    } });
    const { client } = await connect(t, kind, made);
    assert.ok((await client.listTools()).tools.every((tool) => tool.name !== 'review'));
    const [prompt] = (await client.listPrompts()).prompts;
    assert.deepEqual([prompt.name, prompt.arguments.map((each) => [each.name, each.required ?? false])], ['review', [['focus', true], ['depth', false]]]);
    const got = await client.getPrompt({ name: 'review', arguments: { focus: 'bugs', depth: '3' } });
    assert.deepEqual(got.messages, [{ role: 'user', content: { type: 'text', text: 'Review bugs 3' } }]);
    await assert.rejects(client.getPrompt({ name: 'review', arguments: {} }));
    const { completion } = await client.complete({ ref: { type: 'ref/resource', uri: 'helve://tools/{name}' }, argument: { name: 'name', value: 'job_' } });
    assert.deepEqual(completion.values, ['job_list']);
    const definition = JSON.parse((await client.readResource({ uri: 'helve://tools/job_list' })).contents[0].text);
    assert.equal(definition.deferred, true);
  });
}

const post = (url, headers, body) => fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers }, body: JSON.stringify(body) });
const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } } };

test('nobody gets in without the token', async (t) => {
  const { url, headers } = await start(t, project(t, slow('1')));
  for (const authorization of [undefined, 'Bearer wrong', 'Basic abc', `${headers.Authorization}x`, headers.Authorization.slice(0, -1)]) {
    const answer = await post(url, authorization ? { Authorization: authorization } : {}, hello);
    assert.equal(answer.status, 401, String(authorization));
    assert.match(answer.headers.get('www-authenticate'), /^Bearer/);
  }
  assert.equal((await post(url, headers, hello)).status, 200);
});

test('the token is made once, kept for the owner alone, and shown by --print-config', async (t) => {
  const made = project(t, slow('1'));
  const first = tokenOf(made);
  assert.equal(tokenOf(made), first);
  const file = execFileSync('find', [path.join(made.base, 'state'), '-name', 'token'], { encoding: 'utf8' }).trim();
  assert.equal(statSync(file).mode & 0o777, 0o600);
  chmodSync(file, 0o644);
  const refused = made.run('serve', '--root', made.folder, '--listen', '127.0.0.1:0');
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /chmod/);
  assert.ok(!refused.stderr.includes(first), 'a token is never shown in an error');
});

test('what would not be safe does not start, and says what to do', (t) => {
  const made = project(t, slow('1'));
  const cases = [
    [['--listen', '0.0.0.0:0'], /--allow-host/],
    [['--listen', 'example.org:1'], /127\.0\.0\.1/],
    [['--listen', '127.0.0.1:0', '--allow-host', 'a b'], /a b/],
    [['--listen', '127.0.0.1:0', '--allow-origin', 'nothing'], /nothing/],
    [['--print-config', 'no-such-host'], /claude-code/],
  ];
  for (const [words, said] of cases) {
    const refused = made.run('serve', '--root', made.folder, ...words);
    assert.equal(refused.status, 1, words.join(' '));
    assert.equal(refused.stdout, '');
    assert.match(refused.stderr, said, words.join(' '));
    assert.match(refused.stderr, /Next: /);
  }
});

test('beyond loopback a person is asked, only listed names are answered to (R13)', async (t) => {
  const made = project(t, { tools: { wipe: "sh -c 'echo wiped'", safe: 'echo safe' } });
  const child = spawn(helve, ['serve', '--root', made.folder, '--listen', '0.0.0.0:0', '--allow-host', 'tools.example.org'],
    { env: made.env, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const line = await new Promise((resolve) => createInterface({ input: child.stderr }).once('line', resolve));
  const url = `http://127.0.0.1:${/:(\d+)\/mcp/.exec(line)[1]}/mcp`;
  const headers = { Authorization: `Bearer ${tokenOf(made)}` };
  const { call, text } = await connect(t, clients[0], made, { server: { url, headers } });
  assert.equal(await text('safe'), 'safe\n');
  assert.equal((await call('wipe'))._meta['io.helve/refusal'].rule, 'policy.cannot_ask');
  const status = (host) => new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers: { ...headers, Host: host, 'Content-Type': 'application/json' } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on('error', reject);
    asked.end(JSON.stringify(hello));
  });
  assert.equal(await status('tools.example.org'), 200);
  assert.equal(await status('other.example.org'), 403);
});

test('beyond loopback the profile is careful, and it is said that HTTP is plain', async (t) => {
  const made = project(t, { tools: { wipe: { description: 'Wipes.', template: "sh -c 'echo wiped'" } } });
  const child = spawn(helve, ['serve', '--root', made.folder, '--listen', '0.0.0.0:0', '--allow-host', 'tools.example.org'], { env: made.env, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (d) => (said += d));
  await until('it listens', () => /plain HTTP/.test(said));
  const port = /listening on http:\/\/0\.0\.0\.0:(\d+)/.exec(said)[1];
  const url = `http://127.0.0.1:${port}/mcp`;
  const headers = { Authorization: `Bearer ${tokenOf(made)}`, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'wipe' };
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wipe', arguments: {}, _meta: meta } };
  const { result } = await (await post(url, headers, call)).json();
  assert.equal(result._meta['io.helve/refusal'].rule, 'policy.cannot_ask');
  assert.equal((await post(url, { ...headers, Authorization: 'Bearer wrong' }, call)).status, 401);
  await until('who is turned away is told', () => /has no token, or a wrong one/.test(said));
});

test('--print-config names what clients can reach', (t) => {
  const made = project(t, slow('1'));
  const shown = (...words) => made.run('serve', '--root', made.folder, ...words, '--print-config', 'mcp-json');
  assert.match(shown('--listen', '0.0.0.0:7717', '--allow-host', 'tools.example.org').stdout, /"project": \{[\s\S]*http:\/\/tools\.example\.org:7717\/mcp/);
  assert.match(shown('--listen', '0.0.0.0:7717', '--allow-host', 'tools.example.org:8443').stdout, /tools\.example\.org:8443\/mcp/);
  assert.match(shown('--listen', '127.0.0.1:0').stderr, /Next: name a port/);
});

test('a port that is taken is said', async (t) => {
  const made = project(t, slow('1'));
  const { url } = await start(t, made);
  const refused = made.run('serve', '--root', made.folder, '--listen', new URL(url).host);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /--listen/);
});

test('a project may not open the server to others', (t) => {
  const made = project(t, { ...slow('1'), serve: { listen: '0.0.0.0:7717', hosts: ['a.example.org'] } });
  const refused = made.run('serve', '--root', made.folder);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /serve/);
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL']) {
  test(`${signal} ends the server and everything that it started (R2)`, async (t) => {
    const mark = unique();
    const made = project(t, slow(mark));
    const server = await start(t, made);
    const kind = clients[0];
    const { call } = await connect(t, kind, made, { server });
    await call('slow');
    call('slow', {}, { onprogress: () => {} }).catch(() => {});
    await until('both run', () => running(`sleep\0${mark}`) === 2);
    const { code } = await server.stop(signal);
    if (signal !== 'SIGKILL') assert.equal(code, 0, server.said.join('\n'));
    await until('nothing is left', () => running(`sleep\0${mark}`) === 0);
  });
}

test('a detached job outlives its session, not the server', async (t) => {
  const mark = unique();
  const config = slow(mark);
  config.tools.slow.detach = true;
  const made = project(t, config);
  const server = await start(t, made);
  const first = await connect(t, clients[0], made, { server });
  await first.call('slow');
  await first.client.transport.terminateSession();
  await first.client.close();
  await sleep(1000);
  assert.equal(running(`sleep\0${mark}`), 1);
  await server.stop();
  await until('nothing is left', () => running(`sleep\0${mark}`) === 0);
});

test('helve mcp ends with its client, whatever a detached job does (R2)', async (t) => {
  const mark = unique();
  const config = slow(mark);
  config.tools.slow = { description: 'Stays.', detach: true, template: `sh -c 'trap "" TERM; sleep ${mark} & sleep ${mark}; wait'` };
  const made = project(t, config);
  const kind = clients[0];
  const { client, call } = await connect(t, kind, made, { server: await overStdio(t, made) });
  const { pid } = client.transport;
  await call('slow');
  await until('it runs', () => running(`sleep\0${mark}`) === 2);
  await client.close();
  await until('the server is gone', () => !existsSync(`/proc/${pid}`), 5000);
  await until('nothing is left', () => running(`sleep\0${mark}`) === 0, 5000);
});

test('after a restart the token still holds, and a client begins anew (R3)', async (t) => {
  const made = project(t, slow('1'));
  const before = await start(t, made);
  const answer = await post(before.url, before.headers, hello);
  const session = answer.headers.get('mcp-session-id');
  await before.stop();
  const after = await start(t, made);
  assert.deepEqual(after.headers, before.headers);
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} };
  assert.equal((await post(after.url, { ...after.headers, 'Mcp-Session-Id': session }, list)).status, 404);
  assert.equal((await post(after.url, after.headers, list)).status, 400);
  assert.equal((await post(after.url, after.headers, hello)).status, 200);
});

test('a call with an idempotency key runs once', async (t) => {
  const made = project(t, { tools: { count: { description: 'Counts.', template: "sh -c 'echo x >> ran; wc -l < ran'" } } });
  const { url, headers } = await start(t, made);
  const modern = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
  const call = async (key) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'count', arguments: {}, _meta: { ...modern, ...(key && { 'io.helve/idempotencyKey': key }) } } };
    const answer = await post(url, { ...headers, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'count' }, body);
    return (await answer.json()).result.content[0].text.trim();
  };
  assert.deepEqual([await call('k'), await call('k'), await call('l'), await call(), await call()], ['1', '1', '2', '3', '4']);
});

test('what is poison for a host is refused when it is loaded, by check too (R7, R8)', (t) => {
  const cases = [[{ 'a.b': 'true' }, /a\.b/], [{ ['x'.repeat(49)]: 'true' }, /1 to 48/], [{ a: `echo -- {${'y'.repeat(65)}}` }, /1 to 64/], [{ job_output: 'true' }, /job_output/]];
  for (const [tools, said] of cases) {
    const made = project(t, { tools });
    for (const words of [['mcp', '--root', made.folder], ['serve', '--root', made.folder, '--listen', '127.0.0.1:0'], ['check', made.folder]]) {
      const refused = made.run(...words);
      assert.equal(refused.status, 1, words.join(' '));
      assert.match(refused.stdout + refused.stderr, said);
    }
  }
});

test('limits and policy are taken over while it serves, what "serve" says from the next start', async (t) => {
  const made = project(t, slow(unique()));
  const server = await start(t, made);
  const { call } = await connect(t, clients[0], made, { server });
  const config = { ...slow(unique()), policy: { tools: { quick: 'deny' } }, serve: { listen: '127.0.0.1:7718' } };
  config.limits.session_jobs = 1;
  made.write(config);
  await until('it is reported', () => server.said.join('\n').includes('holds from the next start'));
  assert.equal((await call('quick', { word: 'x' }))._meta['io.helve/refusal'].rule, 'policy.denied');
  assert.ok((await call('slow'))._meta['io.helve/job']);
  assert.equal((await call('slow'))._meta['io.helve/refusal'].rule, 'job.too_many');
});

test('standard output stays silent, and no token is in the state of a run', async (t) => {
  const made = project(t, slow('1'));
  const server = await start(t, made);
  const { text } = await connect(t, clients[0], made, { server });
  await text('quick', { word: 'hello' });
  assert.ok(!server.said.join('\n').includes(tokenOf(made)));
  assert.ok(existsSync(made.folder));
  await server.stop();
});
