// Runs what the documentation shows. In README.md and docs/*.md:
//   ```json helve.json   (or any file name after the language) writes that file,
//   ```console           runs each `$ command` line and compares stdout and stderr with the lines
//                        below it; a line `...` stands for any lines, `…` inside a line for any text.
// All blocks of one page share one folder.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

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

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const pattern = (lines) => new RegExp(`^${lines.map((line) => (line === '...' ? '(?:.*\\n)*' : `${line.split('…').map(escape).join('.*')}\\n`)).join('')}$`);

for (const page of pages) {
  test(`${page} shows what happens`, (t) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'helve-docs-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const env = { ...process.env, PATH: `${build}:${process.env.PATH}`, XDG_STATE_HOME: path.join(folder, '.state'),
      XDG_CONFIG_HOME: path.join(folder, '.config'), HOME: path.join(folder, '.home'), NO_COLOR: '1' };
    mkdirSync(env.HOME);
    let ran = 0;
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
