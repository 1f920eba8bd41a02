// Runs what the documentation shows. In README.md and docs/*.md:
//   ```json helve.json   (or any file name after the language) writes that file,
//   ```console           runs each `$ command` line and compares stdout and stderr with the lines
//                        below it; a line `...` stands for any lines, `…` inside a line for any text.
//   ```call              calls each `> tool {arguments}` of `helve mcp` and compares the text in the same
//                        way; `job_…` in arguments is the last handle that an answer gave.
// All blocks of one page share one folder, all calls of one page one session.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratch } from './helve.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const build = process.env.HELVE_BUILD ?? path.join(root, 'build', 'dev');

const pages = ['README.md', ...readdirSync(path.join(root, 'docs')).filter((f) => f.endsWith('.md')).map((f) => `docs/${f}`)];

function* blocks(text) {
  for (const match of text.matchAll(/^```(\S+)(?: +(\S+))?\n([\s\S]*?)^```$/gm)) {
    yield { language: match[1], file: match[2], body: match[3] };
  }
}

function commands(body) {
  const list = [];
  for (const line of body.split('\n').slice(0, -1)) {
    if (line.startsWith('$ ')) list.push({ command: line.slice(2), want: [] });
    else if (list.length && list.at(-1).command.endsWith('\\')) list.at(-1).command += `\n${line}`;
    else list.at(-1).want.push(line);
  }
  return list;
}

function calls(body) {
  const list = [];
  for (const line of body.split('\n').slice(0, -1)) {
    const call = /^> (\w+) (\{.*\})$/.exec(line);
    if (call) list.push({ tool: call[1], text: call[2], want: [] });
    else list.at(-1).want.push(line);
  }
  return list;
}

async function session(t, folder, env) {
  const client = new Client({ name: 'docs', version: '1' });
  await client.connect(new StdioClientTransport({ command: path.join(build, 'helve'), args: ['mcp', '--root', folder], env, cwd: folder, stderr: 'ignore' }));
  t.after(() => client.close());
  let job = '';
  return async ({ tool, text, want }, page) => {
    const answer = await client.callTool({ name: tool, arguments: JSON.parse(text.replace('job_…', job)) });
    const said = answer.content.map((block) => block.text ?? '').join('');
    job = /job_[0-9a-f]{16}/.exec(said)?.[0] ?? job;
    assert.match(said.replace(/([^\n])$/, '$1\n'), pattern(want), `${page}: > ${tool} ${text}`);
  };
}

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const pattern = (lines) => new RegExp(`^${lines.map((line) => (line === '...' ? '(?:.*\\n)*' : `${line.split('…').map(escape).join('.*')}\\n`)).join('')}$`);

for (const page of pages) {
  test(`${page} shows what happens`, async (t) => {
    const folder = scratch('helve-docs-');
    const env = { ...process.env, PATH: `${build}:${process.env.PATH}`, XDG_STATE_HOME: path.join(folder, '.state'),
      XDG_CONFIG_HOME: path.join(folder, '.config'), HOME: path.join(folder, '.home'), NO_COLOR: '1' };
    mkdirSync(env.HOME);
    let ran = 0;
    let call;
    for (const { language, file, body } of blocks(readFileSync(path.join(root, page), 'utf8'))) {
      if (file) {
        mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
        writeFileSync(path.join(folder, file), body);
      } else if (language === 'console') {
        for (const { command, want } of commands(body)) {
          const done = spawnSync('sh', ['-c', `exec 2>&1; ${command}`], { cwd: folder, env, timeout: 60_000 });
          assert.match(done.stdout.toString().replace(/([^\n])$/, '$1\n'), pattern(want), `${page}: $ ${command}`);
          ++ran;
        }
      } else if (language === 'call') {
        call ??= await session(t, folder, env);
        for (const each of calls(body)) {
          await call(each, page);
          ++ran;
        }
      }
    }
    t.diagnostic(`${ran} commands`);
  });
}

test('the version that helve prints is the one it was built with', () => {
  assert.match(execFileSync(path.join(build, 'helve'), ['--version']).toString(), /^helve \d+\.\d+\.\d+\n$/);
});

// docs/rules.md is made from the text table: `UPDATE=1 node --test tests/js/docs.test.mjs` writes it.
test('docs/rules.md lists every refusal', () => {
  const rules = new Map();
  for (const file of readdirSync(path.join(root, 'texts/en')).sort()) {
    let last = null;
    for (const line of readFileSync(path.join(root, 'texts/en', file), 'utf8').split('\n')) {
      const found = /^(refused|next)\.(\S+) *= *(.*)$/.exec(line);
      if (found) {
        const rule = rules.get(found[2]) ?? {};
        rule[found[1]] = found[3];
        rules.set(found[2], rule);
        last = { rule, part: found[1] };
      } else if (/^\s+\S/.test(line) && last) {
        last.rule[last.part] += ` ${line.trim()}`;
      } else {
        last = null;
      }
    }
  }
  const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\\n', ' ');
  const table = [...rules].sort(([a], [b]) => (a < b ? -1 : 1)).map(([rule, { refused, next }]) => `| \`${rule}\` | ${cell(refused)} | ${cell(next)} |`);
  const page = `# Rules

Every refusal and every remark of \`helve check\` has a stable rule, a message and a next action. In JSON
they are \`{"rule", "message", "next", "details"}\`.

| rule | message | next |
| --- | --- | --- |
${table.join('\n')}
`;
  const file = path.join(root, 'docs/rules.md');
  if (process.env.UPDATE) writeFileSync(file, page);
  assert.equal(readFileSync(file, 'utf8'), page, 'run UPDATE=1 node --test tests/js/docs.test.mjs');
});
