// A PostgreSQL server of the tests' own, in a temporary folder and on a Unix socket only, as
// src/store/testing/postgres_cluster.h has it for the unit tests. As root it runs as the user
// postgres. It goes with this process, however that ends.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const versions = '/usr/lib/postgresql';
const programs = (existsSync(versions) ? readdirSync(versions) : [])
  .map((version) => path.join(versions, version, 'bin'))
  .filter((folder) => existsSync(path.join(folder, 'initdb'))).sort().at(-1);

// For a test's options: {skip: missing}. With HELVE_POSTGRES=required it fails instead.
export const missing = programs || process.env.HELVE_POSTGRES === 'required' ? false
  : 'PostgreSQL is not installed (Debian package postgresql)';

const asOwner = (...argv) => (process.getuid() === 0
  ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...argv] : argv);

// Waits for the end of this process, seen as the end of its input, and clears away.
const warden = `read -r x
pid=$(head -n 1 "$0/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ]; then
  for each in $(grep -lE "^PPid:[[:space:]]+$pid\\$" /proc/[0-9]*/status 2>/dev/null); do
    each=\${each#/proc/}
    kill -KILL "\${each%/status}" 2>/dev/null
  done
  kill -KILL "$pid" 2>/dev/null
fi
sleep 0.1
rm -rf "$0"`;

// Resolves to {fresh(), start(), stop(), crash()}: fresh() is the address of an empty database.
export async function cluster() {
  assert.ok(programs, 'PostgreSQL is required and not installed (Debian package postgresql)');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'helve-postgres-'));
  chmodSync(folder, 0o777); // the user postgres makes its folder there
  const data = path.join(folder, 'data');
  const guard = spawn('/bin/sh', ['-c', warden, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  guard.unref();
  guard.stdin.unref();
  const run = (...argv) => {
    const [command, ...words] = asOwner(...argv);
    return spawnSync(command, words, { encoding: 'utf8', timeout: 300_000 });
  };
  const made = run(path.join(programs, 'initdb'), '-D', data, '-U', 'helve', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync');
  assert.equal(made.status, 0, made.stderr);
  const sql = (statement, database = 'postgres') => run(path.join(programs, 'psql'), '-h', folder, '-U', 'helve', '-XAtqc', statement, database);
  let server;
  const start = async () => {
    for (let i = 0; sql('SELECT 1').status !== 0; ++i) {
      assert.ok(i < 3000, `never came up: ${server?.said}`);
      if (!server || server.exitCode !== null || server.signalCode !== null) {
        const [command, ...words] = asOwner(path.join(programs, 'postgres'), '-D', data, '-c', 'listen_addresses=',
          '-c', `unix_socket_directories=${folder}`, '-c', 'shared_buffers=16MB', '-c', 'deadlock_timeout=200ms');
        server = Object.assign(spawn(command, words, { stdio: ['ignore', 'ignore', 'pipe'] }), { said: '' });
        server.stderr.on('data', (piece) => (server.said = (server.said + piece).slice(-4000)));
        server.unref();
        server.stderr.unref();
      }
      await sleep(50);
    }
  };
  const end = async (kill) => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.ref();
    kill(server.pid);
    await ended;
  };
  const parentOf = (pid) => { try { return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]); } catch { return 0; } };
  let databases = 0;
  await start();
  return {
    start, sql,
    stop: () => end((pid) => process.kill(pid, 'SIGINT')),
    crash: () => end((pid) => {
      const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
      for (const each of [pid, ...children]) try { process.kill(Number(each), 'SIGKILL'); } catch { /* gone */ }
    }),
    fresh: () => {
      const name = `t${++databases}`;
      const done = sql(`CREATE DATABASE ${name}`);
      assert.equal(done.status, 0, done.stderr);
      return `postgresql:///${name}?host=${folder}&user=helve`;
    },
  };
}
