// Floor for fan-out: COUNT x COMMAND through child_process.spawn, output captured, WIDTH at once.
import { spawn } from 'node:child_process';
const [count, width, ...command] = process.argv.slice(2);
let left = Number(count);
const one = () => new Promise((resolve, reject) => {
  const child = spawn(command[0], command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.on('data', () => {});
  child.stderr.on('data', () => {});
  child.on('error', reject);
  child.on('close', resolve);
});
const worker = async () => { while (left-- > 0) await one(); };
await Promise.all(Array.from({ length: Number(width) }, worker));
