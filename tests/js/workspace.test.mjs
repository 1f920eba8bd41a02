// The file tools of the workspace (read, write, edit) as agents meet them: through the program
// itself, over stdio and HTTP, with the official clients, on real trees and on files of every size
// and form. HELVE_BUILD names the build folder. Nothing is fetched: what is read is on the machine.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync, chmodSync, closeSync, cpSync, existsSync, ftruncateSync, linkSync, lstatSync, mkdirSync, openSync,
  readFileSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync, writeSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clients } from './clients.mjs';
import { root } from './fixture.mjs';
import { helve, project, start } from './helve.mjs';
import { underAsan } from './hostile.mjs'; // its quarantine keeps what was freed

const overStdio = async (t, made) => ({ command: helve, args: ['mcp', '--root', made.folder], env: made.env, cwd: '/', stderr: 'ignore' });
// `forgets`: the server keeps nothing of such a session, so a change of a file names its version.
const kinds = clients.flatMap((client) => [
  { ...client, name: `${client.name}, stdio`, server: overStdio },
  { ...client, name: `${client.name}, HTTP`, server: start, forgets: client.modern },
]);
const kindNamed = (name) => kinds.find((kind) => kind.name === name);
const plain = kindNamed('SDK 1.32.2, stdio');
const overHttp = kindNamed('SDK 1.32.2, HTTP');
const mostOfAnswer = 40_000;

async function connect(t, kind, made, server) {
  const client = kind.make();
  const transport = kind.transport(server ?? await kind.server(t, made));
  await client.connect(transport);
  t.after(() => client.close());
  const call = async (name, args) => {
    const answer = await kind.call(client, { name, arguments: args }, { timeout: 50_000 });
    assert.ok(JSON.stringify(answer.content).length <= mostOfAnswer, `${name} answers with too much`);
    assert.equal(answer.structuredContent, undefined);
    return answer;
  };
  const done = async (name, args) => {
    const answer = await call(name, args);
    assert.ok(!answer.isError, answer.content[0].text);
    return { text: answer.content[0].text, data: answer._meta['io.helve/data'] };
  };
  const refused = async (name, args) => {
    const answer = await call(name, args);
    assert.ok(answer.isError, `not refused: ${answer.content[0].text.slice(0, 200)}`);
    assert.match(answer.content[0].text, /\nNext: /, 'what to do next is said');
    return { text: answer.content[0].text, ...answer._meta['io.helve/refusal'] };
  };
  // A page: the header, the lines behind it, the facts. What comes next is said twice, alike.
  const page = async (args) => {
    const { text, data } = await done('read', args);
    const end = text.indexOf('\n');
    const header = text.slice(0, end);
    const more = /; more: read (\{.*\})$/.exec(header);
    assert.deepEqual(more ? JSON.parse(more[1]) : undefined, data.next, header);
    return { header, body: text.slice(end + 1), data };
  };
  const readAll = async (file) => {
    let text = '';
    let pages = 0;
    for (let next = { path: file }; next; ++pages) {
      assert.ok(pages < 5_000, 'it never ends');
      const { body, data } = await page(next);
      text += body;
      next = data.next;
    }
    return { text, pages };
  };
  const version = async (file) => (await page({ path: file, limit: 1 })).data.version;
  // Where nothing is remembered, the version that the file has now.
  const known = async (file) => (kind.forgets ? { version: await version(file) } : {});
  return { client, pid: transport.pid, call, done, refused, page, readAll, version, known };
}

const fileIn = (made, name, content) => {
  const file = path.join(made.folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  if (content !== undefined) writeFileSync(file, content);
  return file;
};
const stamp = (file) => ({ bytes: readFileSync(file, 'latin1'), mtime: statSync(file, { bigint: true }).mtimeNs });
const peak = (pid) => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;

// A generator that gives the same each time.
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

for (const kind of kinds) {
  test(`${kind.name}: a file is written, read, edited (WS-23, WS-68, WS-73, WS-77, WS-81, WS-85)`, async (t) => {
    const made = project(t, {});
    const { done, page } = await connect(t, kind, made);
    const file = path.join(made.folder, 'new/deep/file.txt');
    const created = await done('write', { path: 'new/deep/file.txt', text: 'one\ntwo\nthree\n' });
    assert.equal(readFileSync(file, 'utf8'), 'one\ntwo\nthree\n');
    assert.equal(created.data.created, true);
    assert.equal(created.data.created_folders, 2);
    const read = await page({ path: file });
    assert.equal(read.body, 'one\ntwo\nthree\n');
    assert.deepEqual([read.data.first, read.data.last, read.data.lines, read.data.lines_exact], [1, 3, 3, true]);
    assert.equal(read.data.version, created.data.version);
    assert.match(read.header, /^new\/deep\/file\.txt: lines 1 to 3 of 3, version [0-9a-f]{12}$/);
    const { version } = read.data;
    const edited = await done('edit', { path: 'new/deep/file.txt', old: 'two', new: 'zwei', version });
    assert.deepEqual([edited.data.replacements, edited.data.lines], [1, [2]]);
    assert.match(edited.text, /-two\n\+zwei\n/);
    const same = await done('write', { path: file, text: 'one\nzwei\nthree\n', version: edited.data.version });
    assert.equal(same.data.unchanged, true);
    assert.equal(readFileSync(file, 'utf8'), 'one\nzwei\nthree\n');
  });

  test(`${kind.name}: wrong edits do nothing (WR-14, WS-3, WS-84, WS-85, WS-87, WS-88, WF-22, WF-36, WF-37, WF-40, WF-41)`, async (t) => {
    const made = project(t, {});
    const { call, refused, done, known } = await connect(t, kind, made);
    const file = fileIn(made, 'a.txt', 'alpha\nbeta\ngamma\nbeta\n');
    const before = stamp(file);
    const version = await known('a.txt');
    const cases = [
      ['an empty old', 'edit', { old: '', new: 'x' }, 'edit.empty_old'],
      ['old that occurs twice', 'edit', { old: 'beta', new: 'x' }, 'edit.ambiguous', /2 times[\s\S]*lines\s+2: beta\s+4: beta/],
      ['old equal to new', 'edit', { old: 'alpha', new: 'alpha' }, 'edit.no_change'],
      ['old that does not occur', 'edit', { old: 'Gamma', new: 'x' }, 'edit.no_match', /line 3/],
      ['a very long old', 'edit', { old: 'q'.repeat(20_000), new: 'x' }, 'edit.no_match'],
      ['one edit as a list', 'edit', { edits: [{ old: 'alpha', new: '1' }] }, 'edit.too_few'],
      ['no old and no edits', 'edit', {}, 'edit.incomplete'],
      ['old without new', 'edit', { old: 'alpha' }, 'edit.incomplete'],
      ['edits that overlap', 'edit', { edits: [{ old: 'alpha\nb', new: '1' }, { old: 'ha', new: '2' }] }, 'edit.overlap'],
      ['one of two edits does not match', 'edit', { edits: [{ old: 'alpha', new: '1' }, { old: 'delta', new: '2' }] }, 'edit.no_match'],
      ['a text of the wrong type', 'edit', { old: { a: 1 }, new: 'x' }, 'args.invalid'],
      ['an unknown argument', 'edit', { old: 'alpha', new: 'x', replace: true }, 'args.invalid'],
      ['no text', 'write', {}, 'args.invalid', /text/],
      ['a text of the wrong type', 'write', { text: ['a'] }, 'args.invalid'],
    ];
    for (const [what, tool, args, rule, says] of cases) {
      const answer = await refused(tool, { path: 'a.txt', ...version, ...args });
      assert.equal(answer.rule, rule, what);
      if (says) assert.match(answer.text, says, what);
      assert.ok(answer.text.length < 4_000, `${what}: the refusal is short`);
      assert.deepEqual(stamp(file), before, what);
    }
    const half = /half a surrogate pair/; // U+FFFD in its place would be another text
    await assert.rejects(call('write', { path: 'a.txt', ...version, text: 'a\ud800' }), half);
    await assert.rejects(call('edit', { path: 'a.txt', ...version, old: 'alpha', new: '\udc00' }), half);
    assert.deepEqual(stamp(file), before, 'half a surrogate pair');
    const dry = await done('edit', { path: 'a.txt', ...version, old: 'alpha', new: 'x', dry_run: true });
    assert.match(dry.text, /-alpha\n\+x/);
    assert.deepEqual(stamp(file), before, 'a dry run');
    assert.equal((await done('edit', { path: 'a.txt', ...version, old: 'beta', new: 'x', all: true })).data.replacements, 2);
    assert.equal(readFileSync(file, 'utf8'), 'alpha\nx\ngamma\nx\n');
  });

  if (kind.forgets) {
    test(`${kind.name}: a change names the version it is for (WS-80, WR-17, WF-34)`, async (t) => {
      const made = project(t, {});
      const { done, refused, page } = await connect(t, kind, made);
      const file = fileIn(made, 'a.txt', 'one\n');
      await page({ path: 'a.txt' });
      for (const [tool, args] of [['write', { text: 'two\n' }], ['edit', { old: 'one', new: 'two' }]]) {
        const needed = await refused(tool, { path: 'a.txt', ...args });
        assert.equal(needed.rule, 'file.version_needed');
        assert.equal(readFileSync(file, 'utf8'), 'one\n');
        writeFileSync(file, 'one, and more\n');
        const stale = await refused(tool, { path: 'a.txt', version: needed.details.version, ...args });
        assert.equal(stale.rule, 'file.changed', 'it was changed by another program meanwhile');
        assert.equal(readFileSync(file, 'utf8'), 'one, and more\n');
        const { version } = (await page({ path: 'a.txt' })).data;
        await done(tool, { path: 'a.txt', version, ...args });
        assert.match(readFileSync(file, 'utf8'), /^two/);
        writeFileSync(file, 'one\n');
      }
      await done('write', { path: 'b.txt', text: 'new\n' });
      assert.equal((await refused('write', { path: 'b.txt', text: 'x', version: 'absent' })).rule, 'file.exists');
      await done('write', { path: 'b.txt', text: 'x', version: 'any' });
    });
  } else {
    test(`${kind.name}: nobody's work is overwritten unseen (WR-17, WS-80, WS-89, WF-34)`, async (t) => {
      const made = project(t, {});
      const { done, refused, page } = await connect(t, kind, made);
      const file = fileIn(made, 'a.txt', 'one\ntwo\nthree\n');
      await page({ path: 'a.txt' });
      writeFileSync(file, 'one\ntwo and a half\nthree\n');
      const changed = await refused('write', { path: 'a.txt', text: 'mine\n' });
      assert.equal(changed.rule, 'file.changed');
      assert.match(changed.text, /-two\n\+two and a half\n/, 'with the difference');
      assert.match(changed.details.version, /^[0-9a-f]{12}$/);
      assert.equal((await refused('write', { path: 'a.txt', text: 'mine\n' })).rule, 'file.changed', 'nothing was learned by it');
      assert.equal(readFileSync(file, 'utf8'), 'one\ntwo and a half\nthree\n');

      const edited = await done('edit', { path: 'a.txt', old: 'three', new: 'drei' });
      assert.equal(edited.data.was_changed, true, 'an exact match is proof enough, and it is said');
      await page({ path: 'a.txt' });
      await done('write', { path: 'a.txt', text: 'mine\n' });
      await done('write', { path: 'a.txt', text: 'mine again\n' });
      utimesSync(file, new Date(), new Date(Date.now() + 5_000));
      await done('write', { path: 'a.txt', text: 'touched\n' });
      writeFileSync(file, 'another\n');
      writeFileSync(file, 'touched\n');
      await done('write', { path: 'a.txt', text: 'changed back\n' });

      // A formatter run by the agent itself: one message, one reading, then success.
      const { text } = await done('bash', { command: "sed -i 's/changed/formatted/' a.txt" });
      assert.match(text, /exit code 0/);
      assert.equal((await refused('write', { path: 'a.txt', text: 'end\n' })).rule, 'file.changed');
      assert.equal((await page({ path: 'a.txt' })).body, 'formatted back\n');
      await done('write', { path: 'a.txt', text: 'end\n' });
      assert.equal(readFileSync(file, 'utf8'), 'end\n');

      fileIn(made, 'unseen.txt', 'x'.repeat(1_000));
      const unseen = await done('write', { path: 'unseen.txt', text: 'y' });
      assert.match(unseen.text, /1000 bytes/, 'how much unseen content it replaced');
    });
  }
}

test('line ends, BOM and odd bytes survive an edit that is given with LF (WR-15, WS-70, WS-83, WS-86, WF-38, WF-39)', async (t) => {
  const made = project(t, {});
  const { done } = await connect(t, plain, made);
  const below = random(15);
  const pick = (list) => list[below(list.length)];
  const words = ['alpha', 'int x = 1;', '', '\t{ "key": 1 }', 'gr\u00f6\u00dfer \u2264', 'a\rb'].map((word) => Buffer.from(word));
  words.push(Buffer.from([0x63, 0x61, 0x66, 0xe9]), Buffer.from([0xff, 0x61]));  // Latin-1
  for (let i = 0; i < 500; ++i) {
    const ends = pick([['\n'], ['\r\n'], ['\n', '\r\n']]);
    const line = () => [...Array(1 + below(4)).keys()].flatMap(() => [pick(words), Buffer.from(pick(['', ' ']))]);
    const lines = (count) => [...Array(count).keys()].flatMap(() => [...line(), Buffer.from(pick(ends))]);
    const bom = Buffer.from(below(3) === 0 ? '\ufeff' : '');
    const front = Buffer.concat([bom, ...lines(below(12))]);
    const back = below(3) === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from(pick(ends)), ...lines(below(12)), ...(below(2) ? line() : [])]);
    const end = pick(ends);
    const name = `file${i}`;
    const file = fileIn(made, name, Buffer.concat([front, Buffer.from(`first ${i}${end}second ${i}`), back]));
    await done('edit', { path: name, old: `first ${i}\nsecond ${i}`, new: `1st ${i}\n2nd\n3rd` });
    const want = Buffer.concat([front, Buffer.from(`1st ${i}${end}2nd${end}3rd`), back]);
    assert.ok(readFileSync(file).equals(want), `file ${i} (${JSON.stringify(ends)}): ${readFileSync(file, 'latin1')}`);
  }
});

test('UTF-16 and Latin-1 are read and edited as what they are (WS-67, WS-70, WS-83, WF-29, WR-15)', async (t) => {
  const made = project(t, {});
  const { done, page, refused } = await connect(t, plain, made);
  const text = 'first line\r\nz\u00e4hler \u2264 \u{1f600}\r\nlast';
  const little = Buffer.from(`\ufeff${text}`, 'utf16le');
  const cases = [
    ['le.txt', little, (s) => Buffer.from(`\ufeff${s}`, 'utf16le'), /UTF-16LE.*BOM.*CRLF.*no newline/],
    ['be.txt', Buffer.from(little).swap16(), (s) => Buffer.from(`\ufeff${s}`, 'utf16le').swap16(), /UTF-16BE/],
  ];
  for (const [name, bytes, encode, says] of cases) {
    const file = fileIn(made, name, bytes);
    const shown = await page({ path: name });
    assert.equal(shown.body, text.replaceAll('\r\n', '\n'));
    assert.match(shown.header.replaceAll('UTF-16 ', 'UTF-16'), says);
    await done('edit', { path: name, old: 'line\nz\u00e4hler', new: 'line\nnenner\nz\u00e4hler' });
    assert.ok(readFileSync(file).equals(encode(text.replace('z\u00e4hler', 'nenner\r\nz\u00e4hler'))), name);
  }
  const latin = Buffer.from('caf\u00e9 au lait, d\u00e9j\u00e0 vu, and much plain text\nend\n', 'latin1');
  const file = fileIn(made, 'latin.txt', latin);
  const shown = await page({ path: 'latin.txt' });
  assert.equal(shown.data.lossy, true);
  assert.equal(shown.body, latin.toString('latin1').replace(/[\x80-\xff]/g, '\ufffd'));
  await done('edit', { path: 'latin.txt', old: 'end', new: 'the end' });
  assert.equal(readFileSync(file, 'latin1'), latin.toString('latin1').replace('end', 'the end'));
  assert.equal((await refused('read', { path: helve })).rule, 'file.binary');
});

test('replacing keeps mode, links and the second name (WR-16, WS-22, WS-78, WS-79, WF-33)', async (t) => {
  const made = project(t, {});
  const { done } = await connect(t, plain, made);
  const file = fileIn(made, 'real.txt', 'old\n');
  chmodSync(file, 0o751);
  symlinkSync('real.txt', path.join(made.folder, 'link.txt'));
  await done('edit', { path: 'link.txt', old: 'old', new: 'new' });
  assert.ok(lstatSync(path.join(made.folder, 'link.txt')).isSymbolicLink());
  assert.equal(readFileSync(file, 'utf8'), 'new\n');
  assert.equal(statSync(file).mode & 0o7777, 0o751);
  linkSync(file, path.join(made.folder, 'second.txt'));
  const inode = statSync(file).ino;
  for (const [tool, args, want] of [['write', { text: 'whole\n' }, 'whole\n'], ['edit', { old: 'whole', new: 'part' }, 'part\n']]) {
    const answer = await done(tool, { path: 'real.txt', ...args });
    assert.ok(answer.data.in_place, 'it is said');
    assert.deepEqual([statSync(file).ino, statSync(file).nlink, statSync(file).mode & 0o7777], [inode, 2, 0o751]);
    assert.equal(readFileSync(path.join(made.folder, 'second.txt'), 'utf8'), want);
  }
  assert.deepEqual(readdirSync(made.folder).sort(), ['helve.json', 'link.txt', 'real.txt', 'second.txt'], 'no temporary is left');
});

test('a server that is killed while it writes leaves whole files (WR-16, WS-78, WF-33)', async (t) => {
  const made = project(t, {});
  const texts = ['a', 'b'].map((letter) => `${letter}\n`.repeat(400_000));
  const file = fileIn(made, 'a.txt', texts[0]);
  for (let round = 0; round < 8; ++round) {
    const { pid, call } = await connect(t, plain, made);
    const write = (i) => call('write', { path: 'a.txt', text: texts[i % 2], version: 'any' }).then(() => write(i + 1), () => {});
    const writing = write(round);
    await sleep(20 + 15 * round);
    process.kill(pid, 'SIGKILL');
    await writing;
    const now = readFileSync(file, 'utf8');
    assert.ok(texts.includes(now), `${now.length} bytes, neither the old nor the new`);
  }
});

test('every file can be read to its end by what each page says is next (WR-18, WS-71, WS-72, WS-73, WS-74, WF-26, WF-28, WF-30)', async (t) => {
  const made = project(t, {});
  const { page, readAll, refused, pid } = await connect(t, plain, made);
  const short = [...Array(20_000).keys()].map((i) => `line ${i + 1}\n`).join('');
  fileIn(made, 'short.txt', short);
  assert.equal((await readAll('short.txt')).text, short);
  const capped = await page({ path: 'short.txt', offset: 10, limit: 100_000 });
  assert.equal(capped.data.last, 510, 'a range above the limit gives a page');
  assert.match(capped.header, /capped/);
  assert.equal((await page({ path: 'short.txt', offset: -2 })).body, 'line 19999\nline 20000\n');
  const past = await refused('read', { path: 'short.txt', offset: 20_000 });
  assert.equal(past.rule, 'read.past_end');
  assert.match(past.text, /20000 lines/);
  assert.equal((await page({ path: fileIn(made, 'empty.txt', '') })).data.lines, 0);

  const before = peak(pid);
  let one = '';
  for (let i = 0; one.length < 30_000_000; ++i) one += `${i},\u2264;`;
  fileIn(made, 'one.txt', one);
  const whole = await readAll('one.txt');
  assert.ok(whole.text === one, 'a line of 30 MB');
  assert.ok(whole.pages < 2_000, `${whole.pages} pages`);
  assert.ok(underAsan || peak(pid) - before < 10 * 1024 * 1024, `${peak(pid) - before} bytes for a page`);
});

test('a large file costs a page, not its size (WR-18, WS-68, WS-72, WF-26)', async (t) => {
  const made = project(t, {});
  const { page, pid } = await connect(t, plain, made);
  const line = (number) => `${String(number).padStart(9, '0')} ${'dense text '.repeat(8)}.\n`;
  const lines = 2_000_000;  // 200 MB
  const dense = fileIn(made, 'dense.log');
  const fd = openSync(dense, 'w');
  const block = 10_000;
  const template = Buffer.from(line(0).repeat(block));
  const size = line(0).length;
  for (let at = 0; at < lines; at += block) {
    for (let i = 0; i < block; ++i) template.write(String(at + i).padStart(9, '0'), i * size, 'latin1');
    writeSync(fd, template);
  }
  closeSync(fd);
  const before = peak(pid);
  const first = await page({ path: 'dense.log', limit: 3 });
  assert.equal(first.body, line(0) + line(1) + line(2));
  assert.equal(first.data.lines_exact, false, 'at least so many');
  assert.match(first.header, /at least/);
  assert.match(first.data.version, /^w:[0-9a-f]{12}$/);
  assert.equal((await page({ path: 'dense.log', offset: 1_234_567, limit: 2 })).body, line(1_234_567) + line(1_234_568));
  assert.equal((await page({ path: 'dense.log', offset: -1 })).body, line(lines - 1));
  const growth = peak(pid) - before;
  assert.ok(growth < 10 * 1024 * 1024, `${growth} bytes more for a file of 200 MB`);
  appendFileSync(dense, 'appended\n');
  assert.equal((await page({ path: 'dense.log', offset: -1 })).body, 'appended\n', 'the file as it is now');

  // More than 1 GiB, nearly all of it a hole.
  const sparse = fileIn(made, 'sparse.log', 'a line of the head\n'.repeat(1_000));
  const hole = openSync(sparse, 'r+');
  ftruncateSync(hole, 1_200_000_000);
  closeSync(hole);
  appendFileSync(sparse, '\nbefore the last\nthe last\n');
  assert.equal((await page({ path: 'sparse.log', limit: 2 })).body, 'a line of the head\n'.repeat(2));
  assert.equal((await page({ path: 'sparse.log', offset: -2 })).body, 'before the last\nthe last\n');
  assert.ok(underAsan || peak(pid) - before < 10 * 1024 * 1024);
});

const isText = (bytes) => !bytes.includes(0) && Buffer.from(bytes.toString('utf8')).equals(bytes);
const asShown = (bytes) => bytes.toString('utf8').replace(/^\ufeff/, '').replaceAll('\r\n', '\n');

test('a real tree is read as it is and edited byte for byte (WS-69, WS-83, WR-15)', async (t) => {
  const made = project(t, {});
  const { done, readAll } = await connect(t, overHttp, made);
  const tree = '/usr/include/linux';
  cpSync(tree, path.join(made.folder, 'tree'), { recursive: true });
  const files = readdirSync(tree).filter((name) => name.endsWith('.h')).slice(0, 200);
  assert.ok(files.length > 50, 'there is such a tree');
  let edited = 0;
  for (const name of files) {
    const bytes = readFileSync(path.join(tree, name));
    if (!isText(bytes)) continue;
    assert.equal((await readAll(path.join(tree, name))).text, asShown(bytes), name);
    const text = bytes.toString('utf8');
    const unique = text.split('\n').find((line) => line.length > 10 && text.indexOf(line) === text.lastIndexOf(line));
    if (!unique) continue;
    await done('edit', { path: `tree/${name}`, old: unique, new: `${unique} /* edited */` });
    assert.equal(readFileSync(path.join(made.folder, 'tree', name), 'utf8'), text.replace(unique, () => `${unique} /* edited */`), name);
    ++edited;
  }
  assert.ok(edited > 40, `${edited} files were edited`);
});

test('minified files are read in parts and edited in the middle of a line (WS-74, WF-30, WR-18)', async (t) => {
  const made = project(t, {});
  const { done, readAll } = await connect(t, plain, made);
  const modules = path.join(root, 'tests', 'js', 'node_modules');
  const found = execFileSync('find', [modules, '-name', '*.js', '-size', '+100k', '-size', '-3000k'], { encoding: 'utf8' }).trim().split('\n');
  const longest = (text) => Math.max(...text.split('\n').map((line) => line.length));
  const minified = found.filter((file) => { const bytes = readFileSync(file); return isText(bytes) && longest(bytes.toString('utf8')) > 50_000; }).slice(0, 3);
  assert.ok(minified.length > 0, 'there are minified files');
  for (const source of minified) {
    const bytes = readFileSync(source);
    const file = fileIn(made, 'min.js', bytes);
    assert.ok((await readAll('min.js')).text === asShown(bytes), source);
    const text = bytes.toString('utf8');
    const at = text.indexOf('function', text.length / 2);
    const old = text.slice(at, at + 60);
    if (text.indexOf(old) !== at || text.indexOf(old, at + 1) >= 0) continue;
    const { text: answer } = await done('edit', { path: 'min.js', old, new: `/**/${old}` });
    assert.ok(answer.length < 8_000, 'its diff is bounded');
    assert.ok(readFileSync(file, 'utf8') === `${text.slice(0, at)}/**/${text.slice(at)}`, source);
  }
});

test('edits of one file by two sessions: all of different lines survive, of the same one wins (WS-90, WS-92, WR-17, WF-35)', async (t) => {
  const made = project(t, {});
  const server = await start(t, made);
  const agents = [await connect(t, overHttp, made, server), await connect(t, overHttp, made, server)];
  const lines = [...Array(20).keys()].map((i) => `line <${i}>`);
  const file = fileIn(made, 'a.txt', `${lines.join('\n')}\n`);
  await Promise.all(lines.map((line, i) => agents[i % 2].done('edit', { path: 'a.txt', old: line, new: `${line} edited` })));
  assert.equal(readFileSync(file, 'utf8'), `${lines.map((line) => `${line} edited`).join('\n')}\n`);

  for (const agent of agents) await agent.page({ path: 'a.txt' });
  const answers = await Promise.all(agents.map((agent, i) => agent.call('write', { path: 'a.txt', text: `whole, by ${i}\n` })));
  const lost = answers.findIndex((answer) => answer.isError);
  assert.equal(answers.filter((answer) => answer.isError).length, 1, 'one of them');
  assert.equal(answers[lost]._meta['io.helve/refusal'].rule, 'file.changed');
  assert.match(answers[lost].content[0].text, new RegExp(`\\+whole, by ${1 - lost}`), 'is told what the other did');
  assert.equal(readFileSync(file, 'utf8'), `whole, by ${1 - lost}\n`);

  const same = await Promise.all(agents.map((agent, i) => agent.call('edit', { path: 'a.txt', old: 'whole', new: `part ${i}` })));
  assert.equal(same.filter((answer) => answer.isError).length, 1, 'what one has replaced the other does not find');
});

for (const kind of [plain, kindNamed('SDK 2.4.0, modern, HTTP')]) {
  test(`${kind.name}: what is no file to read or write is refused by its own rule (WS-18, WS-20, WS-21, WF-23, WF-24, WF-25)`, async (t) => {
    const made = project(t, {});
    const { refused, done, page, readAll } = await connect(t, kind, made);
    fileIn(made, 'folder/readme.md', 'x\n');
    fileIn(made, 'plain', 'x\n');
    execFileSync('mkfifo', [path.join(made.folder, 'pipe')]);
    symlinkSync('loop', path.join(made.folder, 'loop'));
    const cases = [
      ['read', 'folder', 'file.is_directory', /readme\.md/],
      ['read', 'folder/readme.txt', 'file.not_found', /readme\.md/],
      ['read', 'plain/x', 'file.not_found'],
      ['read', 'pipe', 'file.special', /named pipe/],
      ['read', '/dev/zero', 'file.special', /device/],
      ['read', 'loop', 'path.loop'],
      ['read', '~/x', 'path.tilde'],
      ['read', 'x'.repeat(300), 'path.too_long'],
      ['edit', 'folder', 'file.is_directory'],
      ['edit', 'none', 'file.not_found'],
      ['edit', 'pipe', 'file.special'],
      ['write', 'folder', 'file.is_directory'],
      ['write', 'pipe', 'file.special'],
      ['write', 'plain/x', 'file.not_found'],
      ['write', 'helve.json', 'path.configuration'],
      ['write', '.helve/results/x.txt', 'path.configuration'],
      ['write', 'folder/../helve.json', 'path.configuration'],
    ];
    const more = { read: {}, write: { text: 'y' }, edit: { old: 'x', new: 'y' } };
    for (const [tool, name, rule, says] of cases) {
      const answer = await refused(tool, { path: name, ...more[tool] });
      assert.equal(answer.rule, rule, `${tool} ${name.slice(0, 40)}: ${answer.text}`);
      if (says) assert.match(answer.text, says);
    }
    const odd = 'a name\nof two lines \u2264 "quoted"';
    await done('write', { path: odd, text: 'x\n'.repeat(1_000) });
    assert.ok(existsSync(path.join(made.folder, odd)));
    assert.equal((await page({ path: odd, limit: 1 })).body, 'x\n', 'the header stays one line');
    assert.equal((await readAll(odd)).text, 'x\n'.repeat(1_000), 'and the next call names the file');
  });
}

test('the six tools are listed in their order and stay small (WS-1, WS-2)', async (t) => {
  const { client } = await connect(t, plain, project(t, {}));
  const { tools } = await client.listTools();
  const six = ['bash', 'bash_output', 'bash_stop', 'read', 'write', 'edit'];
  assert.deepEqual(tools.map((tool) => tool.name).slice(0, 6), six);
  const size = JSON.stringify(tools.slice(0, 6)).length;
  assert.ok(size <= 6 * 1024, `${size} bytes of specifications`);
  assert.ok(tools.slice(0, 6).every((tool) => !tool.outputSchema));
});
