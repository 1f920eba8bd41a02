// The program itself for the end-to-end tests: a project in a folder of its own, `helve serve` over
// it, and what is left running of its commands. HELVE_BUILD names the build folder.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from './fixture.mjs';

export const helve = path.join(build, 'helve');

export async function until(what, condition, ms = 15_000) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(20)) if (await condition()) return;
  assert.fail(`never: ${what}`);
}

// A time to sleep that only one test uses, and the processes whose command line has it.
export const unique = () => `8${Math.floor(Math.random() * 1e9)}.5`;
export const running = (mark) => readdirSync('/proc').filter((pid) => {
  if (!/^\d+$/.test(pid)) return false;
  try { return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark); } catch { return false; }
}).length;

// A folder that goes with this process: when a test ends, its servers may still be writing there.
const scratches = [];
process.on('exit', () => {
  for (const folder of scratches) {
    try { rmSync(folder, { recursive: true, force: true, maxRetries: 5 }); } catch { /* the system clears it */ }
  }
});
export function scratch(prefix) {
  const folder = mkdtempSync(path.join(os.tmpdir(), prefix));
  scratches.push(folder);
  return folder;
}

// A project, and a home beside it for the user's file and the state. `write` replaces its
// configuration as editors do: as a whole.
export function project(t, config, user) {
  const base = scratch('helve-e2e-');
  const folder = path.join(base, 'project');
  const home = path.join(base, 'home');
  mkdirSync(folder);
  mkdirSync(path.join(home, 'helve'), { recursive: true });
  const file = path.join(folder, 'helve.json');
  const write = (value) => {
    writeFileSync(`${file}.new`, typeof value === 'string' ? value : JSON.stringify(value));
    renameSync(`${file}.new`, file);
  };
  write(config);
  if (user) writeFileSync(path.join(home, 'helve', 'helve.json'), JSON.stringify(user));
  const env = { ...process.env, HOME: home, XDG_STATE_HOME: path.join(base, 'state'), XDG_CONFIG_HOME: home };
  delete env.HELVE_TOKEN;
  const run = (...words) => spawnSync(helve, words, { env, cwd: '/', encoding: 'utf8', timeout: 20_000 });
  return { base, folder, file, env, write, run };
}

export const tokenOf = (made) => {
  const { stdout } = made.run('serve', '--root', made.folder, '--print-config', 'mcp-json');
  return /Bearer (\S+?)"/.exec(stdout)[1];
};

// `helve serve` on a free port, ended with the test. Resolves once it listens.
export async function start(t, made, ...words) {
  const child = spawn(helve, ['serve', '--root', made.folder, '--listen', '127.0.0.1:0', ...words], { env: made.env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
  const stop = async (signal = 'SIGTERM') => { child.kill(signal); return ended; };
  t.after(() => stop('SIGKILL'));
  const said = [];
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      const match = /listening on (http:\S+)/.exec(line);
      if (match) resolve(match[1]);
    });
    child.on('close', (code) => reject(new Error(`helve serve ended with ${code}: ${said.join('\n')}`)));
  });
  const token = tokenOf(made);
  return { url, token, headers: { Authorization: `Bearer ${token}` }, child, pid: child.pid, stop, said, ended };
}
