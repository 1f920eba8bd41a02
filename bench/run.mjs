// The benchmarks of docs/benchmarks.md: each figure of ours beside its floor, interleaved in one
// run, medians over the rounds, and the ratio against its bar. `./dev bench` builds and runs it.
//
//   node bench/run.mjs [--rounds N (5)] [--only WORD] [--scale F (1)]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const release = path.join(here, '..', 'build', 'release');
const helve = path.join(release, 'helve');
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
};
const rounds = Number(option('rounds', 5));
const scale = Number(option('scale', 1));
const only = option('only', '');
const folder = mkdtempSync(path.join(os.tmpdir(), 'helve-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const env = { ...process.env, XDG_STATE_HOME: path.join(folder, 'state') };
const rows = [];

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

function run(argv, { stdin = 'ignore', capture = false } = {}) {
  const began = process.hrtime.bigint();
  const done = spawnSync(argv[0], argv.slice(1), {
    env, cwd: folder, stdio: [stdin, capture ? 'pipe' : 'ignore', 'ignore'], maxBuffer: 1 << 28,
  });
  if (done.status !== 0) throw new Error(`${argv.join(' ')} ended with ${done.status ?? done.signal ?? done.error}`);
  return { seconds: Number(process.hrtime.bigint() - began) / 1e9, out: done.stdout?.toString() ?? '' };
}

// KiB, of the process itself: the last VmHWM that was seen before it ended.
function peakOf(argv) {
  const script = '"$@" > /dev/null & p=$!; h=0; while [ -e /proc/$p/status ]; do n=$(sed -n "s/^VmHWM:[^0-9]*\\([0-9]*\\).*/\\1/p" /proc/$p/status 2>/dev/null); [ -n "$n" ] && h=$n; [ -z "$n" ] && break; done; echo $h';
  return Number(run(['sh', '-c', script, 'sh', ...argv], { capture: true }).out);
}

// Interleaved: one of each, then again.
function measure(things) {
  const seconds = Object.fromEntries(Object.keys(things).map((name) => [name, []]));
  for (let round = 0; round < rounds; ++round) {
    for (const [name, act] of Object.entries(things)) seconds[name].push(act());
  }
  return Object.fromEntries(Object.entries(seconds).map(([name, list]) => [name, median(list)]));
}

function row(what, ours, floor, ratio, bar, good) {
  rows.push({ what, ours, floor, ratio, bar, verdict: good ? 'met' : '**missed**' });
  console.error(`${good ? 'met   ' : 'MISSED'} ${what}: ${ours} beside ${floor}: ${ratio} (${bar})`);
}

const wanted = (word) => word.includes(only);
const config = path.join(folder, 'helve.json');
writeFileSync(config, JSON.stringify({ limits: { nodes: 30000 }, tools: {} }));
const fan = (count, extra = {}) => [
  helve, 'run', '--config', config, '--quiet', '-t', JSON.stringify({ parallel: true, repeat: count, template: '/bin/true', ...extra }),
];

if (wanted('leaf')) {
  const count = Math.round(2000 * scale);
  const t = measure({
    helve: () => run(fan(count, { parallel: false })).seconds,
    floor: () => run([path.join(release, 'bench', 'spawn_floor'), String(count)]).seconds,
  });
  const ratio = t.helve / t.floor;
  row('leaf: /bin/true captured, one after the other, with its report', `${(1e6 * t.helve / count).toFixed(0)} us`,
    `posix_spawn loop ${(1e6 * t.floor / count).toFixed(0)} us`, `${ratio.toFixed(2)} x`, 'at most 1.15 x', ratio <= 1.15);
}

if (wanted('fanout')) {
  const count = Math.round(10000 * scale);
  const few = Math.round(500 * scale);
  const some = Math.round(2000 * scale);
  const lines = path.join(folder, 'lines');
  writeFileSync(lines, 'x\n'.repeat(count));
  const fewLines = path.join(folder, 'few');
  writeFileSync(fewLines, 'x\n'.repeat(few));
  const t = measure({
    helve: () => count / run(fan(count)).seconds,
    ceiling: () => count / run([path.join(release, 'bench', 'clone_floor'), String(count)]).seconds,
    xargs: () => count / run(['sh', '-c', `xargs -n1 -P2 /bin/true < ${lines}`]).seconds,
    parallel: () => few / run(['sh', '-c', `parallel -j2 /bin/true :::: ${fewLines}`]).seconds,
    node: () => some / run([process.execPath, path.join(here, 'node_spawn.mjs'), String(some), '2', '/bin/true']).seconds,
  });
  const against = (name, floor, bar) => {
    const ratio = t.helve / t[floor];
    row(`fanout: ${count} x /bin/true, captured, with its report`, `${Math.round(t.helve)}/s`,
      `${name} ${Math.round(t[floor])}/s`, `${ratio.toFixed(2)} x`, `at least ${bar} x`, ratio >= bar);
  };
  against('bare clone3, nothing captured', 'ceiling', 0.85);
  against('xargs -P2', 'xargs', 1.4);
  against('GNU parallel -j2', 'parallel', 8);
  against('node child_process.spawn', 'node', 3);
}

if (wanted('overhead')) {
  const out = run([path.join(release, 'bench', 'process_bench'), '--benchmark_filter=fan_out/2', '--benchmark_format=json'], { capture: true }).out;
  for (const b of JSON.parse(out).benchmarks) {
    const big = b.name.includes('/1024');
    row(`overhead: CPU of the host a command, ${big ? 'with 1 GiB resident' : 'while small'}`,
      `${b.host_cpu_us_per_job.toFixed(0)} us`, '', '', 'at most 100 us', b.host_cpu_us_per_job <= 100);
  }
}

if (wanted('stream')) {
  const big = path.join(folder, 'big');
  const bytes = Math.round(scale * (1 << 30));
  run(['sh', '-c', `head -c ${bytes} /dev/zero > ${big}`]);
  const out = path.join(folder, 'out');
  const t = measure({
    tail: () => run([helve, 'run', '--quiet', '--tail', '-t', `cat ${big}`]).seconds,
    cat: () => run(['sh', '-c', `cat ${big} | cat > /dev/null`]).seconds,
    spill: () => run([helve, 'run', '--quiet', '--json', '-t', `cat ${big}`]).seconds,
    file: () => run(['sh', '-c', `cat ${big} | cat > ${out}; rm ${out}`]).seconds,
  });
  const speed = (seconds) => `${(bytes / seconds / (1 << 30)).toFixed(2)} GiB/s`;
  row('stream: 1 GiB, only its tail kept', speed(t.tail), `cat | cat ${speed(t.cat)}`, `${(t.cat / t.tail).toFixed(2)} x`, 'at least 0.8 x', t.cat / t.tail >= 0.8);
  row('stream: 1 GiB into a spill file', speed(t.spill), `cat > file ${speed(t.file)}`, `${(t.file / t.spill).toFixed(2)} x`, 'at least 0.9 x', t.file / t.spill >= 0.9);
  const peak = peakOf([helve, 'run', '--quiet', '--tail', '-t', `cat ${big}`]);
  row('stream: peak memory of it', `${(peak / 1024).toFixed(1)} MiB`, '', '', 'at most 32 MiB', peak <= 32 * 1024);
}

function load(argv, ...more) {
  const out = run([process.execPath, path.join(here, 'mcp-load.mjs'), '--json', ...more, '--', ...argv], { capture: true }).out;
  return JSON.parse(out);
}

if (wanted('mcp')) {
  const project = path.join(folder, 'project');
  spawnSync('mkdir', [project]);
  writeFileSync(path.join(project, 'helve.json'), JSON.stringify({ tools: { hello: 'echo {name=world}' } }));
  const start = load([helve, 'mcp', '--root', project], '--tool', 'hello', '--count', '50', '--concurrency', '1', '--warmup', '5', '--startups', '20', '--args', '{}');
  row('mcp: helve mcp, exec to the initialize answer', `${start.startupMs.p50.toFixed(1)} ms`, '', '', 'at most 10 ms', start.startupMs.p50 <= 10);
  const idle = start.idle.rssKiB / 1024;
  row('mcp: idle resident memory', `${idle.toFixed(1)} MiB`, '', '', 'at most 10 MiB', idle <= 10);
  const count = String(Math.round(10000 * scale));
  const p50 = { ours: [], floor: [] };
  const p99 = { ours: [], floor: [] };
  for (let round = 0; round < rounds; ++round) {
    for (const [name, argv] of [['ours', [path.join(release, 'helve-fixture')]], ['floor', [path.join(release, 'bench', 'mcp_floor')]]]) {
      const result = load(argv, '--count', count, '--concurrency', '1,64', '--startups', '0', '--settle', '100');
      p50[name].push(result.passes[0].ms.p50);
      p99[name].push(result.passes[1].ms.p99);
    }
  }
  const single = median(p50.ours) / median(p50.floor);
  row('mcp: echo, p50 with one call in flight', `${median(p50.ours).toFixed(3)} ms`, `C floor ${median(p50.floor).toFixed(3)} ms`, `${single.toFixed(2)} x`, 'at most 1.5 x', single <= 1.5);
  const many = median(p99.ours) / median(p99.floor);
  row('mcp: echo, p99 with 64 in flight', `${median(p99.ours).toFixed(2)} ms`, `C floor ${median(p99.floor).toFixed(2)} ms`, `${many.toFixed(2)} x`, 'at most 3 x', many <= 3);
  const long = load([path.join(release, 'helve-fixture')], '--count', String(Math.round(100000 * scale)), '--concurrency', '8', '--startups', '0', '--settle', '300');
  const cpu = long.passes[0].serverCpuUsPerCall;
  row('mcp: CPU of the server a call, 8 in flight', `${cpu.toFixed(1)} us`, '', '', 'at most 15 us', cpu <= 15);
  const growth = (long.after.rssKiB - long.idle.rssKiB) / 1024;
  row('mcp: growth of resident memory over 100,000 calls', `${growth.toFixed(2)} MiB`, '', '', 'at most 2 MiB', growth <= 2);
}

if (wanted('http')) {
  const argv = [process.execPath, path.join(here, 'mcp_http.mjs'), '--json', '--rounds', String(rounds), '--scale', String(scale)];
  for (const r of JSON.parse(run(argv, { capture: true }).out)) row(r.what, r.ours, r.floor, r.ratio, r.bar, r.good);
}

if (wanted('workspace')) {
  const argv = [process.execPath, path.join(here, 'workspace.mjs'), '--json', '--rounds', String(rounds), '--scale', String(scale)];
  for (const r of JSON.parse(run(argv, { capture: true }).out)) row(r.what, r.ours, r.floor, r.ratio, r.bar, r.good);
  const durable = { BM_EditDurably: [], BM_ReadAndWriteDurably: [] };
  for (let round = 0; round < rounds; ++round) {
    for (const [name, list] of Object.entries(durable)) {
      const out = run([path.join(release, 'bench', 'workspace_edit_bench'), '--benchmark_format=json', `--benchmark_filter=^${name}`, '--benchmark_min_time=0.3'], { capture: true }).out;
      list.push(JSON.parse(out).benchmarks[0].real_time);
    }
  }
  const [ours, floor] = [median(durable.BM_EditDurably), median(durable.BM_ReadAndWriteDurably)];
  row('workspace: edit of 10 MiB, durable', `${ours.toFixed(0)} ms`, `read, write and fsync once ${floor.toFixed(0)} ms`, `${(ours / floor).toFixed(2)} x`, 'at most 1.3 x', ours / floor <= 1.3);
}

if (wanted('template')) {
  const out = run([path.join(release, 'bench', 'template_bench'), '--benchmark_format=json', '--benchmark_min_time=0.5'], { capture: true }).out;
  for (const b of JSON.parse(out).benchmarks) {
    if (/expand/i.test(b.name) && !/repeat/i.test(b.name)) {
      row('template: a leaf with 10 placeholders', `${Math.round(b.cpu_time)} ns`, '', '', 'under 2,000 ns', b.cpu_time < 2000);
    } else if (/split/i.test(b.name)) {
      row('template: splitting', `${Math.round(b.bytes_per_second / 1e6)} MB/s`, '', '', 'over 200 MB/s', b.bytes_per_second > 200e6);
    }
  }
}

const columns = ['what', 'ours', 'floor', 'ratio', 'bar', 'verdict'];
const table = [
  `| ${columns.join(' | ')} |`, `|${columns.map(() => ' --- ').join('|')}|`,
  ...rows.map((r) => `| ${columns.map((c) => r[c]).join(' | ')} |`),
].join('\n');
console.log(table);
writeFileSync(path.join(here, '..', 'build', 'bench.md'), table + '\n');
