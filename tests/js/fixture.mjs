// helve-fixture for the end-to-end tests, over stdio and as a server over HTTP. HELVE_BUILD names the
// build folder.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
export const build = process.env.HELVE_BUILD ?? path.join(root, 'build', 'dev');
export const fixture = path.join(build, 'helve-fixture');
export const overStdio = { command: fixture, args: ['--stdio'], stderr: 'ignore' };

// Starts it on `address` and ends it with the test. Resolves to {url, pid, stop()} once it listens.
export async function serve(t, address = '127.0.0.1:0', ...more) {
  const child = spawn(fixture, ['--listen', address, ...more], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
  const stop = async (signal = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  t.after(() => stop('SIGKILL'));
  const said = [];
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      const match = /^listening on (http:\S+)$/.exec(line);
      if (match) resolve(match[1]);
    });
    child.on('error', reject);
    child.on('close', (code) => reject(new Error(`helve-fixture ended with ${code} before it listened:\n${said.join('\n')}`)));
  });
  return { url, pid: child.pid, stop, said };
}
