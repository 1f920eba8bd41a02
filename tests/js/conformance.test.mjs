// The protocol's own conformance suite against helve-fixture over HTTP: the frozen requirement sets
// of both eras, whole, and the scenarios that the sets run without scoring them. Tasks are an
// extension that this server does not offer.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root, serve } from './fixture.mjs';

const suite = path.join(root, 'tests', 'js', 'node_modules', '@modelcontextprotocol', 'conformance');

const sets = [
  { revision: '2025-11-25', scored: 30, unscored: ['json-schema-2020-12', 'server-session-lifecycle', 'server-sse-polling'] },
  { revision: '2026-07-28', scored: 37, unscored: ['http-custom-header-server-validation', 'http-header-validation', 'json-schema-2020-12'] },
];

// The scenarios under `server:` of a set, which are the scored ones.
function scoredOf(revision) {
  const lines = readFileSync(path.join(suite, 'requirements', `${revision}.yaml`), 'utf8').split('\n');
  const from = lines.indexOf('server:') + 1;
  const names = [];
  for (let i = from; lines[i].startsWith('  - '); ++i) names.push(lines[i].slice(4).trim());
  return names;
}

function run(url, revision, folder) {
  const argv = [path.join(suite, 'dist', 'index.js'), 'server', '--url', url, '--requirements', revision, '-o', folder];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.on('data', (data) => { said += data; });
  child.stderr.on('data', (data) => { said += data; });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })));
}

// Checks by scenario: each has written them into a folder of its own, server-NAME-TIME.
function readChecks(folder) {
  const found = new Map();
  for (const entry of readdirSync(folder)) {
    const file = path.join(folder, entry, 'checks.json');
    const name = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry)?.[1];
    if (name && existsSync(file)) found.set(name, JSON.parse(readFileSync(file, 'utf8')));
  }
  return found;
}

const of = (checks, status) => checks.filter((check) => check.status === status);
// As the suite scores it: no check has failed, and some check has passed.
const passed = (checks) => checks !== undefined && of(checks, 'FAILURE').length === 0 && of(checks, 'SUCCESS').length > 0;
const words = (name, check) => `${name}: ${check.id}: ${check.errorMessage ?? check.description}`;

function judge(t, names, found, what) {
  const good = names.filter((name) => passed(found.get(name)));
  const checks = names.flatMap((name) => found.get(name) ?? []);
  t.diagnostic(`${what}: ${good.length} of ${names.length} scenarios, ` +
    `${of(checks, 'SUCCESS').length} of ${of(checks, 'SUCCESS').length + of(checks, 'FAILURE').length} checks`);
  for (const name of names) {
    for (const check of of(found.get(name) ?? [], 'WARNING')) t.diagnostic(`warning: ${words(name, check)}`);
  }
  const failures = names.filter((name) => !good.includes(name)).flatMap((name) => {
    const failed = of(found.get(name) ?? [], 'FAILURE').map((check) => words(name, check));
    return failed.length > 0 ? failed : [`${name}: nothing was checked`];
  });
  assert.deepEqual(failures, [], what);
}

for (const { revision, scored, unscored } of sets) {
  test(`conformance to ${revision}: every scored server scenario, and the unscored ones except Tasks`, async (t) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'helve-conformance-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const names = scoredOf(revision);
    assert.equal(names.length, scored, 'the frozen set');
    const { url } = await serve(t);
    const { code, said } = await run(url, revision, folder);
    const found = readChecks(folder);
    assert.ok(found.size > 0, said);
    judge(t, names, found, `scored in ${revision}`);
    judge(t, unscored, found, `unscored in ${revision}`);
    assert.equal(code, 0, said);
  });
}
