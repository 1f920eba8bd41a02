// The helve program as a person meets it: files, exit codes, streams, signals. HELVE_BUILD names
// the build folder.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Ajv2020 from 'ajv/dist/2020.js';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const helve = path.join(process.env.HELVE_BUILD ?? path.join(root, 'build', 'dev'), 'helve');

function desk(t) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'helve-cli-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const env = { ...process.env, HOME: path.join(folder, 'home'), XDG_STATE_HOME: path.join(folder, 'state'),
    XDG_CONFIG_HOME: path.join(folder, 'config'), NO_COLOR: '1' };
  mkdirSync(env.HOME);
  const work = path.join(folder, 'work');
  mkdirSync(work);
  return {
    folder, work, env,
    put: (name, content) => {
      mkdirSync(path.dirname(path.join(work, name)), { recursive: true });
      writeFileSync(path.join(work, name), typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
    },
    helve: (...args) => {
      const done = spawnSync(helve, args, { cwd: work, env, timeout: 120_000, maxBuffer: 1 << 28 });
      return { code: done.status, signal: done.signal, out: done.stdout.toString(), err: done.stderr.toString(), raw: done.stdout };
    },
    start: (...args) => {
      const child = spawn(helve, args, { cwd: work, env });
      child.out = '';
      child.err = '';
      child.stdout.on('data', (d) => (child.out += d));
      child.stderr.on('data', (d) => (child.err += d));
      child.ended = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
      t.after(() => child.kill('SIGKILL'));
      return child;
    },
  };
}

const processes = (mark) => readdirSync('/proc').filter((pid) => {
  if (!/^\d+$/.test(pid)) return false;
  try { return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(mark); } catch { return false; }
}).length;
const unique = () => `7${Math.floor(Math.random() * 1e9)}.5`;
const until = async (what, condition) => {
  for (let i = 0; i < 400; ++i) {
    if (condition()) return;
    await sleep(25);
  }
  assert.fail(`never: ${what}`);
};

test('the result alone is on stdout, everything else on stderr', (t) => {
  const d = desk(t);
  const run = d.helve('run', '-t', 'echo {what=hello}', 'what=a b  c');
  assert.deepEqual([run.code, run.out], [0, 'a b  c\n']);
  assert.match(run.err, /1 of 1 steps done/);
  assert.equal(d.helve('run', '--quiet', '-t', 'echo x').err, '');
});

test('bytes come out as they went in', (t) => {
  const d = desk(t);
  const bytes = Buffer.from([...Array(256).keys(), 0xff, 0xfe, 0x0a, 0x0d]);
  d.put('bytes', bytes);
  assert.deepEqual(d.helve('run', '--quiet', '-t', '["cat bytes","cat"]').raw, bytes);
  d.put('many', Buffer.alloc(3_000_000, 0xf7));
  assert.equal(d.helve('run', '--quiet', '-t', '["cat many","cat"]').raw.length, 3_000_000);
});

test('exit codes are those of the format (CT-73)', (t) => {
  const d = desk(t);
  const cases = [
    ['true', 0], ["sh -c 'exit 3'", 3], ["sh -c 'kill -9 $$'", 137], ['helve-no-such-program', 127], ['./plain', 126],
    [JSON.stringify({ timeout: 50, template: 'sleep 60' }), 124], [JSON.stringify(['true', 'false']), 0],
    [JSON.stringify({ failure: 'root', template: ['true', 'false'] }), 1],
  ];
  d.put('plain', 'no program');
  for (const [template, code] of cases) assert.equal(d.helve('run', '-t', template).code, code, template);
});

test('--json prints the report, of its schema, and --report writes it', (t) => {
  const d = desk(t);
  const schema = JSON.parse(readFileSync(path.join(root, 'src/commands/report.schema.json'), 'utf8'));
  const validate = new Ajv2020({ strict: false }).compile(schema);
  const run = d.helve('run', '--json', '--report', 'r.json', '-t', '["echo 1",{"parallel":true,"template":["cat","false",{"retry":2,"template":"false"}]}]');
  const report = JSON.parse(run.out);
  assert.ok(validate(report), JSON.stringify(validate.errors));
  assert.deepEqual([report.status, report.exit, report.steps.length], ['degraded', 0, 5]);
  assert.deepEqual(JSON.parse(readFileSync(path.join(d.work, 'r.json'), 'utf8')), report);
  assert.equal(d.helve('run', '--quiet', '--report', 'no/such/folder.json', '-t', 'true').code, 1);
});

test('--report FILE.html is one page that needs nothing else', (t) => {
  const d = desk(t);
  d.helve('run', '--report', 'r.html', '-t', `["echo <script>alert(1)</script>",{"label":"</title>","template":"false"}]`);
  const page = readFileSync(path.join(d.work, 'r.html'), 'utf8');
  assert.ok(!page.includes('<script>alert'), 'output is escaped');
  assert.ok(page.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
  assert.doesNotMatch(page, /(?:src|href)=|https?:\/\/|@import|url\(/);
});

test('--dry-run prints the vectors and starts nothing', (t) => {
  const d = desk(t);
  const dry = d.helve('run', '--dry-run', '-t', '{"repeat":2,"parallel":true,"template":"touch {name}-{index}"}', 'name=it is');
  assert.equal(dry.code, 0);
  assert.match(dry.out, /touch 'it is-0'/);
  assert.match(dry.out, /touch 'it is-1'/);
  assert.deepEqual(readdirSync(d.work), []);
});

test('secrets are in no output but that of the command', (t) => {
  const d = desk(t);
  d.put('helve.json', { tools: { login: { args: ['token'], secret: ['token'], template: ['echo {token}', "sh -c 'cat >&2; exit 1'"], failure: 'root' } } });
  const values = ['login', 'token=hunter2hunter2'];
  const dry = d.helve('run', '--dry-run', ...values);
  const run = d.helve('run', '--json', '--report', 'r.html', ...values);
  for (const text of [dry.out, dry.err, run.out, run.err, readFileSync(path.join(d.work, 'r.html'), 'utf8')]) {
    assert.ok(!text.includes('hunter2'), text);
  }
});

test('Ctrl-C stops everything that was started and says so', async (t) => {
  const d = desk(t);
  const mark = unique();
  const run = d.start('run', '-t', JSON.stringify({ parallel: true, template: [`sleep ${mark}`, `sh -c 'sleep ${mark}; echo late'`] }));
  await until('both started', () => processes(mark) >= 2);
  run.kill('SIGINT');
  assert.deepEqual(await run.ended, { code: 130, signal: null });
  assert.match(run.err, /stopping everything that was started/);
  assert.equal(processes(mark), 0);
});

test('a second Ctrl-C does not wait for a command that ignores the first', async (t) => {
  const d = desk(t);
  const mark = unique();
  d.put('stubborn.sh', `trap '' TERM\nsleep ${mark} & wait\nwhile :; do sleep ${mark}; done\n`);
  const run = d.start('run', '-t', 'sh stubborn.sh');
  await until('started', () => processes(mark) >= 1);
  const began = Date.now();
  run.kill('SIGINT');
  await sleep(300);
  run.kill('SIGINT');
  assert.equal((await run.ended).code, 130);
  assert.ok(Date.now() - began < 4500, 'the grace of 5 s was cut short');
  assert.equal(processes(mark), 0);
});

test('what a step left in the background ends with the run', async (t) => {
  const d = desk(t);
  const mark = unique();
  const run = d.helve('run', '--quiet', '-t', `sh -c 'setsid sleep ${mark} </dev/null >/dev/null 2>&1 & echo started'`);
  assert.equal(run.out, 'started\n');
  await until('it is gone', () => processes(mark) === 0);
});

test('--stdin gives the first step what we read, to each branch and attempt anew', (t) => {
  const d = desk(t);
  const input = 'line\n'.repeat(600_000);
  const both = spawnSync(helve, ['run', '--quiet', '--stdin', '-t', '{"parallel":true,"template":["wc -c",["cat","wc -l"]]}'], { cwd: d.work, env: d.env, input });
  assert.match(both.stdout.toString(), /done ---\n3000000\n[^]*done ---\n600000\n/);
  const none = spawnSync(helve, ['run', '--quiet', '-t', 'wc -c'], { cwd: d.work, env: d.env, input: 'x' });
  assert.equal(none.stdout.toString(), '0\n');
});

test('a result or a report that cannot be written is an error, and devices stay what they are', (t) => {
  const d = desk(t);
  const full = spawnSync('sh', ['-c', `'${helve}' run --quiet -t 'echo lost' > /dev/full`], { cwd: d.work, env: d.env });
  assert.equal(full.status, 74);
  assert.match(full.stderr.toString(), /could not be written/);
  assert.equal(spawnSync('mkfifo', [path.join(d.work, 'pipe')]).status, 0);
  const read = spawnSync('sh', ['-c', `cat pipe > copy & '${helve}' run --quiet --report pipe -t 'echo x'; wait`], { cwd: d.work, env: d.env, timeout: 20_000 });
  assert.equal(read.stdout.toString(), 'x\n');
  assert.equal(JSON.parse(readFileSync(path.join(d.work, 'copy'), 'utf8')).status, 'ok');
  d.put('real.json', 'old');
  spawnSync('ln', ['-s', 'real.json', path.join(d.work, 'link.json')]);
  d.helve('run', '--quiet', '--report', 'link.json', '-t', 'true');
  assert.equal(JSON.parse(readFileSync(path.join(d.work, 'real.json'), 'utf8')).status, 'ok');
});

test('helve run killed with -9 takes its command with it, and leaves the evidence (CT-103)', async (t) => {
  const d = desk(t);
  const mark = unique();
  const run = d.start('run', '-t', JSON.stringify(['echo one', `sleep ${mark}`]));
  await until('the second step', () => processes(mark) === 1);
  run.kill('SIGKILL');
  await run.ended;
  await until('its command is gone', () => processes(mark) === 0);
  const runs = path.join(d.env.XDG_STATE_HOME, 'helve');
  const [project] = readdirSync(runs);
  const [id] = readdirSync(path.join(runs, project, 'runs'));
  const lines = readFileSync(path.join(runs, project, 'runs', id, 'steps.jsonl'), 'utf8').trim().split('\n');
  assert.equal(JSON.parse(lines[0]).stdout.text, 'one\n');
});

test('a reader that goes away does not hang us', (t) => {
  const d = desk(t);
  const done = spawnSync('sh', ['-c', `'${helve}' run -t 'seq 1000000' | head -1`], { cwd: d.work, env: d.env, timeout: 60_000 });
  assert.equal(done.stdout.toString(), '1\n');
  assert.equal(done.signal, null);
});

test('pi-actors style recipes load, and a foreign control field is refused by its name (CT-4)', (t) => {
  const d = desk(t);
  d.put('recipes/build.json', { description: 'Builds.', args: ['target:string=all'], defaults: { jobs: '2' }, template: 'echo make -j{jobs} {target}' });
  d.put('helve.json', { tools: {} });
  assert.equal(d.helve('run', '--quiet', 'build', 'target=x').out, 'make -j2 x\n');
  assert.equal(d.helve('check').code, 0);
  d.put('recipes/wide.json', { parallel: true, concurrency: 4, template: ['true', 'true'] });
  const check = d.helve('check');
  assert.equal(check.code, 1);
  assert.match(check.out + check.err, /recipes\/wide\.json:1:\d+: error: .*concurrency/);
});

test('check names file, line and path, prints what to do, and --json says the same', (t) => {
  const d = desk(t);
  d.put('helve.json', '{\n  "tools": {\n    "a": {"templat": "echo"},\n    "b": {"template": "echo \'open"},\n    "ok": "rm -rf {x}"\n  }\n}\n');
  const check = d.helve('check');
  assert.equal(check.code, 1);
  const text = check.out + check.err;
  assert.match(text, /helve\.json:3:\d+: error:/);
  assert.match(text, /helve\.json:4:\d+: error:/);
  assert.match(text, /\/tools\/b\/template/);
  assert.match(text, /next:/i);
  const json = JSON.parse(d.helve('check', '--json').out);
  assert.ok(json.findings.some((f) => f.rule === 'template.unterminated_quote' && f.line === 4 && f.next));
  assert.ok(json.tools.some((tool) => tool.name === 'ok' && tool.risks.includes('risk.destructive_fs')));
});

// Each is refused with a rule and a next step: no crash, no hang, nothing started.
const hostile = [
  ['a template of 10 MB', () => JSON.stringify({ template: `echo ${'x'.repeat(10 * 1024 * 1024)}` }), /bytes|large/],
  ['nesting 10,000 deep in JSON', () => '['.repeat(10_000) + '"true"' + ']'.repeat(10_000), /deep/],
  ['nesting 200 deep', () => '['.repeat(200) + '"true"' + ']'.repeat(200), /nested nodes: more than 32/],
  ['1,000,000 placeholders', () => JSON.stringify({ template: `echo ${'{a=1}'.repeat(1_000_000)}` }), /bytes|large/],
  ['invalid UTF-8', () => Buffer.from([0x22, 0x65, 0x63, 0x68, 0x6f, 0x20, 0xff, 0xfe, 0x22]), /UTF-8|JSON/i],
  ['a NUL byte', () => JSON.stringify({ template: 'echo a\0b' }), /NUL/],
  ['not JSON', () => '{"template": ', /JSON/],
  ['an empty file', () => '', /JSON|empty/i],
  ['a number', () => '42', /template|string|object/i],
  ['a duplicate key', () => '{"template":"a","template":"b"}', /twice/],
  ['an integer beyond 64 bits', () => '{"template":"echo","timeout":99999999999999999999999}', /64 bit/],
];
for (const [name, make, says] of hostile) {
  test(`a recipe file with ${name} is refused in words`, (t) => {
    const d = desk(t);
    d.put('bad.json', make());
    for (const args of [['run', './bad.json'], ['check', 'bad.json']]) {
      const done = d.helve(...args);
      assert.equal(done.signal, null);
      assert.equal(done.code, 1, done.err);
      assert.match(done.out + done.err, says);
      assert.match(done.out + done.err, /next:/i);
    }
  });
}

// Commands that behave badly do not take the host with them.
test('commands that misbehave', async (t) => {
  const d = desk(t);
  const mark = unique();
  const cases = [
    ['forks a daemon', `sh -c 'setsid sleep ${mark} </dev/null >/dev/null 2>&1 & echo forked'`, 0, 'forked\n'],
    ['closes its stdout and goes on', `sh -c 'echo a; exec 1>&-; sleep 0.1'`, 0, 'a\n'],
    ['never reads its stdin', JSON.stringify(['seq 300000', 'echo done']), 0, 'done\n'],
    ['writes much to stderr', `sh -c 'seq 300000 >&2; echo out'`, 0, 'out\n'],
  ];
  for (const [name, template, code, out] of cases) {
    const done = d.helve('run', '--quiet', '-t', template);
    assert.deepEqual([done.code, done.out], [code, out], name);
  }
  spawnSync('pkill', ['-f', `sleep ${mark}`]);
});

test('a vanished working folder is a refusal', (t) => {
  const d = desk(t);
  d.put('helve.json', { tools: { here: { cwd: 'gone', template: 'pwd' } } });
  const done = d.helve('run', 'here');
  assert.equal(done.code, 1);
  assert.match(done.err, /gone.*\n.*Next:/s);
});

test('a full disk for spill files: the result is what fits in memory, and the run says so', { skip: process.getuid() !== 0 }, (t) => {
  const d = desk(t);
  const state = mkdtempSync(path.join(os.tmpdir(), 'helve-full-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', state]).status !== 0) return t.skip('no tmpfs here');
  t.after(() => { spawnSync('umount', ['-l', state]); rmSync(state, { recursive: true }); });
  d.env.XDG_STATE_HOME = state;
  const piped = d.helve('run', '--json', '-t', JSON.stringify({ failure: 'root', template: ['head -c 8000000 /dev/zero', { failure: 'root', template: 'wc -c' }] }));
  assert.equal(piped.code, 74);
  assert.equal(JSON.parse(piped.out).steps[1].reason, 'input_incomplete');
  assert.equal(d.helve('run', '--quiet', '-t', 'echo still works').out, 'still works\n');
});

test('few descriptors and processes: a refusal or a wait, never a crash', (t) => {
  const d = desk(t);
  const template = JSON.stringify({ parallel: true, repeat: 100, template: 'sleep 0.02' });
  const few = spawnSync('sh', ['-c', `ulimit -n 40; exec '${helve}' run --json -t '${template}'`], { cwd: d.work, env: d.env, timeout: 120_000 });
  assert.equal(few.signal, null);
  const report = JSON.parse(few.stdout.toString());
  assert.equal(report.steps.length, 100);
  for (const step of report.steps) assert.ok(step.status === 'ok' || step.reason === 'spawn_error', JSON.stringify(step));
});

test('init writes a file that check accepts, and never over another', (t) => {
  const d = desk(t);
  assert.equal(d.helve('init').code, 0);
  assert.equal(d.helve('check').code, 0);
  const before = readFileSync(path.join(d.work, 'helve.json'), 'utf8');
  assert.equal(d.helve('init').code, 1);
  assert.equal(readFileSync(path.join(d.work, 'helve.json'), 'utf8'), before);
});

test('every command has help with examples, and a wrong one names the nearest', (t) => {
  const d = desk(t);
  for (const command of ['run', 'tools', 'check', 'init', 'mcp', 'conform', 'completions', 'man', 'version']) {
    const help = d.helve(command, '--help');
    assert.equal(help.code, 0, command);
    assert.match(help.out, /Example/, command);
  }
  const typo = d.helve('rnu');
  assert.equal(typo.code, 2);
  assert.match(typo.err, /run/);
  const argument = d.helve('run', '-t', 'echo {name}', 'nmae=x');
  assert.equal(argument.code, 1);
  assert.match(argument.err, /name/);
});

test('completions are accepted by their shells, and the manual page by man', (t) => {
  const d = desk(t);
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = d.helve('completions', shell);
    assert.equal(script.code, 0);
    assert.ok(script.out.includes('helve'));
    if (existsSync(`/bin/${shell}`) || existsSync(`/usr/bin/${shell}`)) {
      d.put(`c.${shell}`, script.out);
      const parsed = spawnSync(shell, ['-n', path.join(d.work, `c.${shell}`)]);
      assert.equal(parsed.status, 0, parsed.stderr.toString());
    }
  }
  d.put('helve.1', d.helve('man').out);
  const page = spawnSync('man', ['-l', '--warnings', path.join(d.work, 'helve.1')], { env: { ...d.env, LC_ALL: 'C.UTF-8', MANPAGER: 'cat' } });
  assert.equal(page.status, 0);
  assert.equal(page.stderr.toString(), '');
  assert.match(page.stdout.toString(), /helve/);
});
