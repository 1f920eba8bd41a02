// `bash` and its jobs as agents meet them: through the program itself, over stdio and HTTP, with
// what commands do to stay, to hide and to flood. HELVE_BUILD names the build folder, HELVE_SOURCE
// the tar archive of a large source tree (./dev fetches Debian's of binutils).
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clients } from './clients.mjs';
import { helve, project, running, start, unique, until } from './helve.mjs';
import { rss, underAsan } from './hostile.mjs';

const overStdio = async (t, made) => ({ command: helve, args: ['mcp', '--root', made.folder], env: made.env, cwd: '/', stderr: 'ignore' });
const kinds = clients.flatMap((client) => [
  { ...client, name: `${client.name}, stdio`, server: overStdio },
  { ...client, name: `${client.name}, HTTP`, server: start },
]);
const [plain] = kinds;

async function connect(t, { kind = plain, made = project(t, {}), server } = {}) {
  const client = kind.make();
  const transport = kind.transport(server ?? await kind.server(t, made));
  await client.connect(transport);
  t.after(() => client.close());
  const call = (name, args, options = { timeout: 55_000 }) => kind.call(client, { name, arguments: args }, options);
  const bash = (command, more = {}) => call('bash', { command, ...more });
  return { ...made, client, call, bash, pid: transport.pid };
}

// The long ones, for `./dev test --all`.
const all = process.env.HELVE_ALL === '1';

const textOf = (answer) => answer.content.map((block) => block.text ?? '').join('');
const output = (answer) => textOf(answer).replace(/^.*\n/, '');
const data = (answer) => answer._meta['io.helve/data'];
const ruleOf = (answer) => answer._meta?.['io.helve/refusal']?.rule;
const jobFacts = (answer) => answer._meta['io.helve/job'];

for (const kind of kinds) {
  test(`${kind.name}: a command, its job, its end (WS-1, WS-5, WS-42, WS-46)`, async (t) => {
    const { client, bash, call } = await connect(t, { kind });
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    assert.deepEqual(names.slice(0, 6), ['bash', 'bash_output', 'bash_stop', 'read', 'write', 'edit'], 'WS-1');
    const failed = await bash('echo why >&2; exit 3');
    assert.ok(!failed.isError, 'WS-5: a command that failed is an answer');
    assert.match(textOf(failed), /^exit code 3 \(.*\)\nwhy\n$/);
    assert.deepEqual([data(failed).code, data(failed).state], [3, 'exited']);
    assert.equal(failed.structuredContent, undefined);

    const begun = await bash('echo one; sleep 0.7; echo two; sleep 0.3; exit 4', { timeout: 200 });
    const { job, cursor } = data(begun);
    assert.match(textOf(begun), new RegExp(`^still running .* as ${job}\\none\\n`), 'WR-8');
    let rest = '';
    let at = cursor;
    for (let state = 'running'; state === 'running';) {
      const page = await call('bash_output', { job, cursor: at, wait: 5000 });
      ({ cursor: at, state } = jobFacts(page));
      rest += output(page).replace(/^\[.*\]\n?/gm, '');
    }
    assert.equal(rest, 'two\n', 'WR-7: each byte once');
    assert.equal(ruleOf(await call('bash_output', { job: 'job_0123456789abcdef' })), 'job.unknown');
  });
}

// The ways in which a command hides what it starts.
const waysToHide = (mark) => ({
  'a child': `sleep ${mark} & wait`,
  'a session of its own': `setsid sleep ${mark} & wait`,
  'a double fork': `(setsid sh -c 'sleep ${mark} & exec sleep ${mark}' &) ; sleep ${mark}`,
  'TERM ignored': `trap '' TERM; sleep ${mark} & while :; do sleep 0.1; done`,
  'streams closed': `setsid sleep ${mark} < /dev/null > /dev/null 2>&1 & sleep ${mark}`,
  'stopped': `sleep ${mark} & kill -STOP $!; wait`,
  'another name': `exec -a innocent sleep ${mark}`,
  'nohup': `nohup sleep ${mark} > /dev/null & disown; sleep ${mark}`,
  'no variables': `env -i setsid sleep ${mark} & sleep ${mark}`,
});

test('WR-1: nothing of a stopped job is left, however it hides', async (t) => {
  const { bash, call } = await connect(t);
  const mark = unique();
  for (const [way, command] of Object.entries(waysToHide(mark))) {
    const begun = await bash(command, { timeout: 300 });
    assert.ok(running(mark) >= 1, way);
    const stopped = await call('bash_stop', { job: data(begun).job });
    assert.match(textOf(stopped), /stopped by SIG(TERM|KILL)/, way);
    assert.equal(running(mark), 0, way);
  }
});

// What ends the jobs of a session, once they all run.
const ends = {
  stop: async ({ call }, jobs) => {
    for (const answer of await Promise.all(jobs.map((job) => call('bash_stop', { job })))) {
      assert.match(textOf(answer), /stopped by SIG(TERM|KILL)/);
    }
  },
  'the limit of its life': async ({ call }, jobs) => {
    const last = async (job) => {
      for (let polls = 0; polls < 10; ++polls) {
        const said = textOf(await call('bash_output', { job, wait: 40_000 }));
        if (/^ended by its limit kill_after/.test(said)) return;
      }
      assert.fail(`${job} did not come to its limit`);
    };
    await Promise.all(jobs.map(last));
  },
  'the end of the session': ({ client }) => client.close(),
};
for (const [end, act] of Object.entries(ends)) {
  test(`WR-1, N = 50: nothing of a job is left after ${end}, however it hides`, { skip: !all }, async (t) => {
    for (const way of Object.keys(waysToHide(0))) {
      const session = await connect(t);
      const mark = unique();
      const life = end === 'the limit of its life' ? { kill_after: 8000 } : {};
      const begun = await Promise.all(Array.from({ length: 50 }, () => session.bash(waysToHide(mark)[way], { timeout: 1000, ...life })));
      assert.ok(running(mark) >= 50, way);
      await act(session, begun.map((answer) => data(answer).job));
      await until(`nothing is left, ${way}`, () => running(mark) === 0);
      await session.client.close();
    }
  });
}

test('WR-1: a fork loop is held and ended', async (t) => {
  const { bash, call } = await connect(t);
  const mark = unique();
  // It forks without bound in width, not in depth; 3 s of its own, should the stop fail.
  const begun = await bash(`end=$((SECONDS+3)); while ((SECONDS < end)); do sleep ${mark} & done 2> /dev/null; wait`, { timeout: 300 });
  await call('bash_stop', { job: data(begun).job });
  await until('all of it is gone', () => running(mark) === 0, 20_000);
});

test('WR-1, WS-60: the end of the client ends its jobs, over stdio and HTTP', async (t) => {
  for (const kind of kinds.filter((each) => !each.modern)) {
    const mark = unique();
    const { bash, client } = await connect(t, { kind });
    await bash(`trap '' TERM; setsid sleep ${mark} & while :; do sleep 0.1; done`, { timeout: 300 });
    assert.equal(running(mark), 1 + 1, kind.name); // the shell has the mark in its command line, too
    await (client.transport?.terminateSession?.() ?? undefined);
    await client.close();
    await until(`nothing is left, ${kind.name}`, () => running(mark) === 0);
  }
});

test('WS-61, WR-13: a server that is killed takes its jobs with it', async (t) => {
  const made = project(t, {});
  const mark = unique();
  const server = await start(t, made);
  const { bash } = await connect(t, { kind: kinds[1], made, server });
  const jobs = [];
  for (let i = 0; i < 3; ++i) jobs.push(data(await bash(`echo last words ${i}; setsid sleep ${mark} & wait`, { timeout: 300 })).job);
  await server.stop('SIGKILL');
  await until('none of them lives', () => running(mark) === 0);
  const again = await connect(t, { made });
  for (const [i, job] of jobs.entries()) {
    const answer = await again.call('bash_output', { job });
    assert.match(textOf(answer), new RegExp(`lost[\\s\\S]*last words ${i}`));
    assert.equal(jobFacts(answer).state, 'lost');
  }
});

test('WR-3: a fast death keeps its last words', async (t) => {
  const { bash, call } = await connect(t);
  for (let round = 0; round < (underAsan ? 2 : 20); ++round) {
    const all = await Promise.all(Array.from({ length: 50 }, (_, i) => bash(`echo last ${i} >&2; exit 1`)));
    for (const [i, answer] of all.entries()) assert.match(textOf(answer), new RegExp(`^exit code 1 .*\\nlast ${i}\\n$`));
  }
  const { job } = data(await bash('sleep 0.4; echo last >&2; exit 1', { timeout: 50 }));
  const end = await call('bash_output', { job, wait: 20_000 });
  assert.match(textOf(end), /^exit code 1 .*\nlast\n/);
  for (let i = 0; i < 100; ++i) assert.equal(textOf(await call('bash_output', { job, cursor: 0 })), textOf(end));
});

test('WR-9: a flood harms nobody', async (t) => {
  const made = project(t, {});
  const server = await start(t, made);
  const one = await connect(t, { kind: kinds[1], made, server });
  const other = await connect(t, { kind: kinds[1], made, server });
  writeFileSync(path.join(made.folder, 'small.txt'), 'small\n');
  await other.call('read', { path: 'small.txt' });
  await one.bash('seq 1 100000');
  const before = rss(server.pid);
  const flood = await one.bash('yes', { timeout: 300 });
  let worst = 0;
  let most = before;
  for (let i = 0; i < 20; ++i) {
    const began = performance.now();
    assert.match(textOf(await other.call('read', { path: 'small.txt' })), /small/);
    worst = Math.max(worst, performance.now() - began);
    most = Math.max(most, rss(server.pid));
    await sleep(50);
  }
  t.diagnostic(`reads of another session: ${worst.toFixed(0)} ms at worst; memory grew by ${(most - before).toFixed(1)} MiB`);
  if (!underAsan) assert.ok(most - before < 5 * 8, `memory grew by ${most - before} MiB`); // five times the bound
  await one.call('bash_stop', { job: data(flood).job });
  const disk = Number(execFileSync('du', ['-sm', path.join(made.base, 'state')], { encoding: 'utf8' }).split('\t')[0]);
  assert.ok(disk <= 70, `logs take ${disk} MiB`);
});

test('WR-9: 10 GB in one line harm nobody', { skip: !all }, async (t) => {
  const bytes = underAsan ? 1e9 : 1e10;
  const made = project(t, {}, { workspace: { output_bytes: 2e10 } });
  const server = await start(t, made);
  const one = await connect(t, { kind: kinds[1], made, server });
  const other = await connect(t, { kind: kinds[1], made, server });
  writeFileSync(path.join(made.folder, 'small.txt'), 'small\n');
  await other.call('read', { path: 'small.txt' });
  await one.bash('seq 1 100000');
  const before = rss(server.pid);
  const began = performance.now();
  const flood = await one.bash(`head -c ${bytes} /dev/zero | tr '\\0' x`, { timeout: 300 });
  const { job } = data(flood);
  let worst = 0;
  let most = before;
  let state = 'running';
  while (state === 'running') {
    assert.ok(performance.now() - began < 900_000, 'it comes to its end');
    for (let i = 0; i < 20; ++i) {
      const asked = performance.now();
      assert.match(textOf(await other.call('read', { path: 'small.txt' })), /small/);
      worst = Math.max(worst, performance.now() - asked);
      most = Math.max(most, rss(server.pid));
      await sleep(50);
    }
    ({ state } = jobFacts(await one.call('bash_output', { job, tail: 1 })));
  }
  const end = await one.call('bash_output', { job, tail: 1 });
  assert.match(textOf(end), /^exit code 0/);
  t.diagnostic(`${((performance.now() - began) / 1000).toFixed(0)} s; reads of another session: ${worst.toFixed(0)} ms at worst; memory grew by ${(most - before).toFixed(1)} MiB`);
  if (!underAsan) assert.ok(most - before < 5 * 8, `memory grew by ${most - before} MiB`);
  const disk = Number(execFileSync('du', ['-sm', path.join(made.base, 'state')], { encoding: 'utf8' }).split('\t')[0]);
  assert.ok(disk <= 70, `logs take ${disk} MiB`);
});

test('WS-34: too much output ends a command', async (t) => {
  const { bash } = await connect(t, { made: project(t, { workspace: { output_bytes: 50_000_000 } }) });
  const ended = await bash('head -c 100000000 /dev/zero | tr "\\0" x');
  assert.match(textOf(ended), /^ended by the limit of 48 MiB of output/);
  assert.equal(data(ended).reason, 'output');
});

test('WR-10: nothing waits for a person', async (t) => {
  const { bash, folder } = await connect(t);
  execFileSync('git', ['init', '-q', folder]);
  const commands = {
    cat: /exit code 0/,
    'read x < /dev/tty': /exit code 1/,
    'git -c user.name=a -c user.email=b@c commit --allow-empty': /exit code [1-9][\s\S]*no editor here/,
    'bash -i < /dev/null': /exit code/,
  };
  for (const [command, want] of Object.entries(commands)) {
    const answer = await bash(command, { timeout: 20_000 });
    assert.match(textOf(answer), want, command);
    assert.notEqual(data(answer).state, 'running', command);
  }
  assert.match(textOf(await bash('git log')), /does not have any commits/, 'no history was made');

  const me = 'git -c user.name=a -c user.email=b@c';
  await bash(`${me} commit -q --allow-empty -m one && ${me} commit -q --allow-empty -m two`);
  const before = textOf(await bash('git rev-parse HEAD')).split('\n')[1];
  const rebased = await bash(`${me} rebase -i HEAD~1`, { timeout: 20_000 });
  assert.match(textOf(rebased), /exit code [1-9][\s\S]*no editor here/);
  assert.equal(textOf(await bash('git rev-parse HEAD')).split('\n')[1], before, 'history is as it was');
});

test('WR-12: what is secret stays home', async (t) => {
  const made = project(t, {});
  const names = ['OPENAI_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN', 'SSH_AUTH_SOCK', 'DATABASE_URL', 'NPM_TOKEN', 'HELVE_TOKEN'];
  for (const name of names) made.env[name] = 'do-not-tell';
  const { bash } = await connect(t, { made });
  const answer = await bash("env; set; tr '\\0' '\\n' < /proc/self/environ; cat /proc/$PPID/environ 2> /dev/null | grep -c nothing");
  assert.ok(!textOf(answer).includes('do-not-tell'));
});

test('confinement of bash and of a template tool (WS-65, WS-66)', async (t) => {
  const outside = path.join(project(t, {}).base, 'outside');
  mkdirSync(outside);
  const made = project(t, {
    workspace: { confine: { level: 'paths', network: false } },
    tools: { spill: { template: `touch ${outside}/by-template`, confine: 'paths' } },
  });
  made.env.TMPDIR = path.join(made.base, 'tmp');
  mkdirSync(made.env.TMPDIR);
  const { bash, call } = await connect(t, { made });
  const answer = await bash(`echo in > inside; touch ${outside}/x; cat inside; exec 3<> /dev/tcp/127.0.0.1/1`);
  assert.match(textOf(answer), /Permission denied[\s\S]*\bin\n/);
  assert.match(textOf(answer), /Operation not permitted|Permission denied/);
  assert.equal(data(answer).confined, 'paths');
  assert.match(textOf(await call('spill', {})), /Permission denied/);
  assert.deepEqual(readdirSync(outside), []);
  const doctor = made.run('doctor', '--root', made.folder);
  assert.equal(doctor.status, 0, doctor.stdout + doctor.stderr);
  assert.match(doctor.stdout, /landlock +yes +ABI \d/);
});

test('what a confined bash writes into the configuration stays in the fence (decisions, section 2)', async (t) => {
  const made = project(t, { workspace: { confine: 'paths' }, tools: { free: 'touch {file}' } });
  made.env.TMPDIR = path.join(made.base, 'tmp');
  mkdirSync(made.env.TMPDIR);
  const { bash, call, client } = await connect(t, { made });
  const out = (name) => path.join(made.base, name);
  assert.ok(!(await call('free', { file: out('by-the-owner') })).isError, 'what was there at the start keeps its own fence');
  await bash(`mkdir recipes; echo '"cp /dev/null {file}"' > recipes/esc.json`);
  await until('the recipe is taken over', async () => (await client.listTools()).tools.some((tool) => tool.name === 'esc'));
  assert.match(textOf(await call('esc', { file: out('by-the-agent') })), /Permission denied/);
  assert.ok(readdirSync(made.base).includes('by-the-owner') && !readdirSync(made.base).includes('by-the-agent'));
});

test('an environment and roots, over a new state folder (WS-17, WS-19)', async (t) => {
  const made = project(t, { workspace: { paths: 'roots', environment: { prefix: '/env', folder: 'handbook' } } });
  mkdirSync(path.join(made.folder, 'handbook'));
  writeFileSync(path.join(made.folder, 'handbook/a.txt'), 'rules\n');
  const { bash, call, client } = await connect(t, { made });
  assert.match(textOf(await bash('cat $HELVE_ENV/a.txt')), /\nrules\n$/);
  assert.match(textOf(await call('read', { path: '/env/a.txt' })), /rules/);
  assert.equal(ruleOf(await call('write', { path: '/env/a.txt', text: 'x' })), 'env.readonly_path');
  assert.equal(ruleOf(await call('read', { path: '/env/../etc/passwd' })), 'path.outside');
  assert.match(client.getInstructions(), /\/env/);
});

test('WS-19: what changed in the environment of what was read is said once', async (t) => {
  const made = project(t, { workspace: { environment: { prefix: '/env', folder: 'handbook' } } });
  const item = (name) => path.join(made.folder, 'handbook', name);
  mkdirSync(path.join(made.folder, 'handbook'));
  for (const name of ['a.txt', 'b.txt']) writeFileSync(item(name), 'rules\n');
  const { bash, call } = await connect(t, { made });
  for (const name of ['a.txt', 'b.txt']) await call('read', { path: `/env/${name}` });
  writeFileSync(item('a.txt'), 'other rules\n');
  rmSync(item('b.txt'));
  assert.match(textOf(await bash('echo $((1 + 1))')), /^exit code 0.*\nthe environment is at revision [0-9a-f]{12} now, and .*: \/env\/a\.txt, \/env\/b\.txt \(gone\)\n2\n$/);
  assert.match(textOf(await bash('echo $((1 + 1))')), /^exit code 0.*\n2\n$/);
  writeFileSync(item('a.txt'), 'rules again\n');
  assert.match(textOf(await call('read', { path: '/env/a.txt' })), /^.*has changed: \/env\/a\.txt\nrules again\n$/);
});

test('WS-93: every call is written down, and nothing of what it was given', async (t) => {
  const made = project(t, { tools: { deploy: 'echo {token}' } });
  const server = await start(t, made);
  const { bash, call } = await connect(t, { kind: kinds[1], made, server });
  await bash('echo of the command');
  await call('read', { path: 'helve.json' });
  await call('deploy', { token: 'do-not-tell' });
  await server.stop();
  const state = path.join(made.base, 'state', 'helve');
  const lines = readFileSync(path.join(state, readdirSync(state)[0], 'calls.jsonl'), 'utf8');
  assert.match(lines, /"tool":"bash","subject":"echo of the command","outcome":"ok"/);
  assert.match(lines, /"tool":"read","subject":"helve.json"/);
  assert.match(lines, /"calls":3/);
  assert.ok(!lines.includes('do-not-tell'));
});

test('a thousand sessions leave nothing behind', async (t) => {
  const made = project(t, {});
  const server = await start(t, made);
  const mark = unique();
  const open = () => readdirSync(`/proc/${server.pid}/fd`).length;
  const round = async (i) => {
    const client = kinds[1].make();
    const transport = kinds[1].transport(server);
    await client.connect(transport);
    await kinds[1].call(client, { name: 'bash', arguments: { command: `sleep ${mark}`, timeout: i % 2 ? 0 : 20 } }, {});
    await transport.terminateSession();
    await client.close();
  };
  const rounds = async (count) => {
    for (let i = 0; i < count; i += 10) await Promise.all(Array.from({ length: 10 }, (_, k) => round(i + k)));
  };
  await rounds(20); // what is kept to be used again is there now
  await until('the first are gone', () => running(mark) === 0);
  await sleep(1000);
  const before = open();
  await rounds(underAsan ? 60 : 1000);
  await until('nothing runs', () => running(mark) === 0);
  await until('descriptors are given back', () => open() <= before + 8);
});

test('a large source tree: searched, built as a job that is followed, stopped', { skip: !process.env.HELVE_SOURCE }, async (t) => {
  const { bash, call, folder } = await connect(t);
  const unpacked = await bash(`mkdir src && tar -xf ${process.env.HELVE_SOURCE} --strip-components=1 -C src && find src -type f | wc -l`, { timeout: 44_000 });
  assert.match(textOf(unpacked), /^exit code 0/);
  assert.ok(Number(output(unpacked)) > 1000, textOf(unpacked));
  const page = await call('read', { path: 'src/bfd/elf.c', offset: -3 });
  assert.match(textOf(page), /src\/bfd\/elf\.c: lines \d+ to \d+/);

  // Follows a job to its end; what it printed, whole.
  const follow = async (begun) => {
    let { state, job, cursor } = data(begun);
    let said = output(begun);
    for (let polls = 0; state === 'running' && polls < 500; ++polls) {
      const page_ = await call('bash_output', { job, cursor, wait: 40_000 });
      ({ state, cursor } = jobFacts(page_));
      said += output(page_);
    }
    return { state, said };
  };
  const configured = await follow(await bash('mkdir build && cd build && CC=clang-19 ../src/libiberty/configure', { timeout: 1000 }));
  assert.match(configured.said, /creating Makefile/);
  const built = await follow(await bash('make -C build -j2 && ls -l build/libiberty.a', { timeout: 500 }));
  assert.match(built.said, /libiberty\.a/);
  assert.ok(statSync(path.join(folder, 'build/libiberty.a')).size > 100_000);

  const again = await bash('make -C build clean && make -C build', { timeout: 1500 });
  assert.match(textOf(again), /^still running/);
  const stopped = await call('bash_stop', { job: data(again).job });
  assert.match(textOf(stopped), /stopped by SIGTERM/);
  const left = readdirSync('/proc').filter((pid) => {
    try { return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder); } catch { return false; }
  });
  assert.deepEqual(left.map((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8')), []);
});
