// The Inspector's command line against helve-fixture and helve itself: lists tools with its lint for portable schemas
// (--strict), and calls one, over stdio and HTTP, in every era that it can speak.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fixture, root, serve } from './fixture.mjs';
import { helve, project } from './helve.mjs';

const inspector = path.join(root, 'tests/js/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

async function inspect(t, target, era, ...argv) {
  const home = mkdtempSync(path.join(os.tmpdir(), 'helve-inspector-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const child = spawn(process.execPath, [inspector, '--cli', '--protocol-era', era, '--format', 'json', ...argv, ...target],
    { env: { ...process.env, HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let said = '';
  child.stdout.on('data', (data) => { out += data; });
  child.stderr.on('data', (data) => { said += data; });
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, out, said };
}

// --portable leaves out the tool whose schema the conformance suite wants and some hosts refuse.
const targets = {
  stdio: async () => ['--', fixture, '--stdio', '--portable'],
  HTTP: async (t) => ['--transport', 'http', '--server-url', (await serve(t, '127.0.0.1:0', '--portable')).url],
};

for (const [over, target] of Object.entries(targets)) {
  for (const era of ['legacy', 'auto', 'modern']) {
    test(`the Inspector lists with --strict and calls, ${over}, ${era} (R7)`, async (t) => {
      const at = await target(t);
      const list = await inspect(t, at, era, '--method', 'tools/list', '--strict');
      assert.equal(list.code, 0, list.said);
      assert.ok(JSON.parse(list.out).result.tools.some((tool) => tool.name === 'echo'));
      const call = await inspect(t, at, era, '--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'message=hello');
      assert.equal(call.code, 0, call.said);
      assert.equal(JSON.parse(call.out).result.content[0].text, 'Echo: hello');
    });
  }
}

for (const era of ['legacy', 'auto', 'modern']) {
  test(`the Inspector lists helve's own tools and its owner's with --strict and calls, ${era} (R7)`, async (t) => {
    const made = project(t, { tools: { greet: { description: 'Greets.', args: ['name', 'kind:enum(hello,bye)=hello', 'tags:array=[]'], template: 'echo {kind} {name}' } } });
    const at = ['--', 'env', `XDG_STATE_HOME=${made.env.XDG_STATE_HOME}`, `XDG_CONFIG_HOME=${made.env.HOME}`, helve, 'mcp', '--root', made.folder];
    const list = await inspect(t, at, era, '--method', 'tools/list', '--strict');
    assert.equal(list.code, 0, list.said + list.out);
    assert.deepEqual(JSON.parse(list.out).result.tools.map((tool) => tool.name), ['greet', 'bash', 'bash_output', 'bash_stop', 'read', 'write', 'edit', 'tool_search', 'tool_call']);
    const call = await inspect(t, at, era, '--method', 'tools/call', '--tool-name', 'greet', '--tool-arg', 'name=Ann');
    assert.equal(call.code, 0, call.said);
    assert.equal(JSON.parse(call.out).result.content[0].text, 'hello Ann\n');
  });
}
