// Hostile HTTP: one table of what clients must not send, or must not be able to do with it, against one
// process. After each row that process still answers; no answer says anything of others. What many
// connections at once can do is in hostile_crowds.test.mjs.
import { after, test } from 'node:test';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { build, root, serve } from './fixture.mjs';
import {
  ask, asModern, call, connect, describe, echo, head, initialize, legacy, modern, post, readAnswers, request,
  rss, sealState, session, text, underAsan,
} from './hostile.mjs';

const tokens = { alice: `al${randomBytes(16).toString('hex')}`, bob: `bo${randomBytes(16).toString('hex')}` };
const stateKey = randomBytes(24).toString('hex');
const server = await serve({ after }, '127.0.0.1:0', '--token', `alice=${tokens.alice}`, '--token', `bob=${tokens.bob}`,
  '--state-key', stateKey, '--patience', '1000');
const { url, pid } = server;
const port = Number(new URL(url).port);
const address = { host: '127.0.0.1', port };

// ------------------------------------------------------------------ who is there

const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const alice = {};
for (const version of versions) alice[version] = await session(url, tokens.alice, version);
const bob = await session(url, tokens.bob);
const secretOfBob = `bobs${randomBytes(8).toString('hex')}`;
await ask(url, tokens.bob, echo(secretOfBob), bob);
// Bob's state is as good as one that was taken from him.
const hidden = [tokens.alice, tokens.bob, stateKey, secretOfBob, bob['Mcp-Session-Id'], ...versions.map((v) => alice[v]['Mcp-Session-Id']),
  build, root, process.env.HOME ?? '/home/'].filter((word) => word.length > 4);

const plain = post(tokens.alice);
const modernly = (body, headers = {}, capabilities) => {
  const whole = asModern(body, capabilities);
  return plain(whole.body, { ...whole.headers, ...headers });
};
const good = (id = 1) => modernly(echo('x', id));
const inSession = (body, headers = {}, version = legacy) => plain(body, { ...alice[version], ...headers });
const get = (headers = {}) => head('GET /mcp HTTP/1.1', { Host: 'localhost', Authorization: `Bearer ${tokens.alice}`, Accept: 'text/event-stream', ...headers });
const bare = (line, headers = {}, body = '') => head(line, { Host: 'localhost', Authorization: `Bearer ${tokens.alice}`, ...headers }) + body;

// ------------------------------------------------------------------ states

const asks = 'test_input_required_result_request_state';
const canAsk = { elicitation: { form: {} } };
const forms = { confirm: { action: 'accept', content: { ok: true } } };
const withState = (requestState, { name = asks, args = {}, id = 1, token = tokens.alice } = {}) => {
  const whole = asModern(call(name, args, { requestState, inputResponses: forms }, id), canAsk);
  return post(token)(whole.body, whole.headers);
};
async function freshState(token = tokens.alice) {
  const whole = asModern(call(asks), canAsk);
  const { json } = await ask(url, token, whole.body, whole.headers);
  assert.equal(json.result.resultType, 'input_required');
  return json.result.requestState;
}
const ofAlice = { principal: 'alice', name: asks, state: { tool: asks } };
const sealed = (changes) => sealState(stateKey, { ...ofAlice, ...changes });
const changed = (state, at) => {
  const bytes = Buffer.from(state, 'base64url');
  bytes[at < 0 ? bytes.length + at : at] ^= 1;
  return bytes.toString('base64url');
};

// ------------------------------------------------------------------ pieces of the table

const chunk = (data) => `${Buffer.byteLength(data).toString(16)}\r\n${data}\r\n`;
const chunked = (chunks, headers = {}) => {
  const whole = asModern(echo());
  return plain('', { ...whole.headers, 'Content-Length': null, 'Transfer-Encoding': 'chunked', ...headers }) + chunks;
};
const body = text(asModern(echo()).body);
const smuggled = 'DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n';
const ambiguous = '400 -32600 http.framing_ambiguous, closed';
const badChunk = '400 -32600 http.chunk_invalid, closed';
const badHeader = '400 -32600 http.header_invalid, closed';
const badJson = '400 -32700 json.invalid';
const forged = '200 -32602 state.forged';
const mismatch = '400 -32020 mcp.header_mismatch';
const badEncoding = '400 -32020 mcp.header_encoding';
const unknownSession = '404 -32600 mcp.session_unknown';
const nested = (depth, open = '[', close = ']') => `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":${open.repeat(depth)}${depth ? '1' : ''}${close.repeat(depth)}}}`;
const withId = (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;

// ------------------------------------------------------------------ the table: [name, what is sent, what comes back]
// What is sent: bytes, pieces with pauses (numbers, in ms) between them, or a function that makes those.

const framing = [
  ['length and chunks', plain(body, { 'Transfer-Encoding': 'chunked' }) + smuggled, ambiguous],
  ['chunks and length, the other way round', bare('POST /mcp HTTP/1.1', { 'Transfer-Encoding': 'chunked', 'Content-Length': 4 }, `0\r\n\r\n${smuggled}`), ambiguous],
  ['two lengths that differ', plain(body, { 'Content-Length': [5, body.length] }), ambiguous],
  ['two lengths that agree', plain(body, { 'Content-Length': [body.length, body.length] }), ambiguous],
  ['a list of lengths', plain(body, { 'Content-Length': '5, 5' }), '400 -32600 http.length_invalid, closed'],
  ['a length with a sign', plain(body, { 'Content-Length': '+5' }), '400 -32600 http.length_invalid, closed'],
  ['a negative length', plain(body, { 'Content-Length': '-5' }), '400 -32600 http.length_invalid, closed'],
  ['a hexadecimal length', plain(body, { 'Content-Length': '0x5' }), '400 -32600 http.length_invalid, closed'],
  ['an empty length', plain(body, { 'Content-Length': '' }), '400 -32600 http.length_invalid, closed'],
  ['a length beyond 64 bits', plain(body, { 'Content-Length': '184467440737095516160' }), '400 -32600 http.length_invalid, closed'],
  ['a length with a form feed', plain(body, { 'Content-Length': '5\f' }), badHeader],
  ['chunked twice', chunked('0\r\n\r\n', { 'Transfer-Encoding': ['chunked', 'chunked'] }), '501 -32600 http.encoding_unsupported, closed'],
  ['chunked, identity', chunked('0\r\n\r\n', { 'Transfer-Encoding': 'chunked, identity' }), '501 -32600 http.encoding_unsupported, closed'],
  ['gzip, chunked', chunked('0\r\n\r\n', { 'Transfer-Encoding': 'gzip, chunked' }), '501 -32600 http.encoding_unsupported, closed'],
  ['xchunked', chunked('0\r\n\r\n', { 'Transfer-Encoding': 'xchunked' }), '501 -32600 http.encoding_unsupported, closed'],
  ['chunked behind a vertical tab', chunked('0\r\n\r\n', { 'Transfer-Encoding': '\vchunked' }), badHeader],
  ['chunked with a blank before the colon', bare('POST /mcp HTTP/1.1', { 'Transfer-Encoding ': 'chunked' }, '0\r\n\r\n'), badHeader],
  ['chunked on a folded line', bare('POST /mcp HTTP/1.1', { 'X-A': 'b\r\n Transfer-Encoding: chunked' }, '0\r\n\r\n'), badHeader],
  ['chunked in HTTP/1.0', plain('', { 'Content-Length': null, 'Transfer-Encoding': 'chunked' }, 'POST /mcp HTTP/1.0') + '0\r\n\r\n', ambiguous],
  ['a bare line feed between headers', 'POST /mcp HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n', '400 -32600 http.line_end_invalid, closed'],
  ['a bare return inside a header', bare('POST /mcp HTTP/1.1', { 'X-A': 'b\rContent-Length: 5' }), badHeader],
  ['NUL in a header', bare('POST /mcp HTTP/1.1', { 'X-A': 'a\0b' }), badHeader],
  ['NUL in the name of a header', bare('POST /mcp HTTP/1.1', { 'X-\0A': 'b' }), badHeader],
  ['a header without a colon', 'GET /mcp HTTP/1.1\r\nHost: localhost\r\nnonsense\r\n\r\n', badHeader],
  ['a header without a name', bare('GET /mcp HTTP/1.1', { '': 'x' }), badHeader],
  ['a chunk size with a sign', chunked('+5\r\nhello\r\n0\r\n\r\n'), badChunk],
  ['a chunk size with 0x', chunked('0x5\r\nhello\r\n0\r\n\r\n'), badChunk],
  ['a chunk size with blanks', chunked('5 \r\nhello\r\n0\r\n\r\n'), badChunk],
  ['a chunk size that is none', chunked('zz\r\nhello\r\n0\r\n\r\n'), badChunk],
  ['a chunk size beyond 64 bits', chunked('10000000000000000\r\nhello\r\n0\r\n\r\n'), badChunk],
  ['a chunk that is longer than it says', chunked('3\r\nhello\r\n0\r\n\r\n'), badChunk],
  ['a chunk that ends with a line feed alone', chunked('5\r\nhello\n0\r\n\r\n'), badChunk],
  ['a chunk extension with a bare line feed', chunked(`5;a\nb\r\nhello\r\n0\r\n\r\n`), badChunk],
  ['a chunk line without an end', chunked(`5;${'a'.repeat(20_000)}`), badChunk],
  ['a chunk that is too large', chunked('7fffffffffffffff\r\nx'), '413 -32600 http.body_too_large, closed'],
  ['a trailer that says how long the body is', chunked(`${chunk(body)}0\r\nContent-Length: 5\r\n\r\n`), badChunk],
  ['a trailer with a host', chunked(`${chunk(body)}0\r\nHost: evil.example\r\n\r\n`), badChunk],
  ['trailers without an end', chunked(`${chunk(body)}0\r\n${'X-A: b\r\n'.repeat(4000)}`), badChunk],
  ['a trailer that says who asks', chunked(`${chunk(body)}0\r\nAuthorization: Bearer ${tokens.bob}\r\n\r\n`, { Authorization: 'Bearer none' }), '401 -32600 http.token_refused, closed'],
  ['good chunks of one byte', chunked([...body].map(chunk).join('') + '0\r\n\r\n'), '200 result'],
  ['a chunk split over pieces', ['head', 20, 'rest'].map((part) => (part === 'head' ? chunked('').toString() + chunk(body).slice(0, 9) : part === 'rest' ? `${chunk(body).slice(9)}0\r\n\r\n` : part)), '200 result'],
  ['a body that is longer than its length', plain(body, { ...asModern(echo()).headers, 'Content-Length': body.length - 1 }), `${badJson}, 400 -32600 http.request_line_invalid, closed`],
  ['a request in the body of another', [good(), plain(smuggled, { 'Content-Type': 'text/plain' })], '200 result, 415 -32600 http.content_type, closed'],
  ['GET with a body that is a request', bare('GET /mcp HTTP/1.1', { 'MCP-Protocol-Version': modern, 'Content-Length': smuggled.length }, smuggled), '405 -32600 http.method_refused'],
  ['an answer to what was not asked', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', '400 -32600 http.request_line_invalid, closed'],
];

const lines = [
  ['nothing but an empty line, then a request', Buffer.concat([Buffer.from('\r\n\r\n'), good()]), '200 result'],
  ['TLS', Buffer.from('16030100c8010000c40303', 'hex'), '400 -32600 http.tls, closed'],
  ['HTTP/2 at once', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400 -32600 http.http2, closed'],
  ['HTTP/2 by Upgrade', modernly(echo(), { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQAAP__' }), '200 result'],
  ['a web socket', bare('GET /mcp HTTP/1.1', { 'MCP-Protocol-Version': modern, Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'Sec-WebSocket-Version': 13 }), '405 -32600 http.method_refused'],
  ['SSH', 'SSH-2.0-OpenSSH_9.2\r\n', '408 -32600 http.header_slow, closed'],
  ['SMTP', 'EHLO evil.example\r\nMAIL FROM:<a@b>\r\n\r\n', '400 -32600 http.request_line_invalid, closed'],
  ['random bytes', Buffer.from('ff00fe01fd02fc03', 'hex'), '400 -32600 http.request_line_invalid, closed'],
  ['HTTP/0.9', 'GET /mcp\r\n\r\n', '400 -32600 http.request_line_invalid, closed'],
  ['HTTP/1.2', bare('GET /mcp HTTP/1.2'), '505 -32600 http.version_unsupported, closed'],
  ['HTTP/3.0', bare('GET /mcp HTTP/3.0'), '505 -32600 http.version_unsupported, closed'],
  ['http/1.1 in small letters', bare('GET /mcp http/1.1'), '400 -32600 http.request_line_invalid, closed'],
  ['two blanks in the first line', bare('GET  /mcp HTTP/1.1'), '400 -32600 http.request_line_invalid, closed'],
  ['a tab in the first line', bare('GET\t/mcp HTTP/1.1'), '400 -32600 http.request_line_invalid, closed'],
  ['a blank in front of the method', ' GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n', '400 -32600 http.request_line_invalid, closed'],
  ['a target with a NUL', bare('GET /mc\0p HTTP/1.1'), '400 -32600 http.target_invalid, closed'],
  ['a target beyond ASCII', bare('GET /mcp\xe9 HTTP/1.1'), '400 -32600 http.target_invalid, closed'],
  ['a target with a fragment', bare('GET /mcp#x HTTP/1.1'), '400 -32600 http.target_invalid, closed'],
  ['a target that is no path', bare('GET mcp HTTP/1.1'), '400 -32600 http.target_invalid, closed'],
  ['a target of another scheme', bare('GET ftp://localhost/mcp HTTP/1.1'), '400 -32600 http.target_invalid, closed'],
  ['absolute form', modernly(echo()).toString('latin1').replace('/mcp', 'http://localhost/mcp'), '200 result'],
  ['absolute form of a foreign host', modernly(echo()).toString('latin1').replace('/mcp', 'http://evil.example/mcp'), '403 -32600 http.host_refused, closed'],
  ['absolute form with a user', modernly(echo()).toString('latin1').replace('/mcp', 'http://localhost@evil.example/mcp'), '403 -32600 http.host_refused, closed'],
  ['absolute form without a host', bare('GET http:///mcp HTTP/1.1'), '400 -32600 http.target_invalid, closed'],
  ['asterisk form', bare('OPTIONS * HTTP/1.1'), '404 -32600 http.path_unknown, closed'],
  ['asterisk form with GET', bare('GET * HTTP/1.1'), '400 -32600 http.target_invalid, closed'],
  ['CONNECT', bare('CONNECT evil.example:443 HTTP/1.1'), '400 -32600 http.target_invalid, closed'],
  ['a path that is percent-encoded', modernly(echo()).toString('latin1').replace('/mcp', '/%6dcp'), '404 -32600 http.path_unknown, closed'],
  ['a path with dots', modernly(echo()).toString('latin1').replace('/mcp', '/x/../mcp'), '404 -32600 http.path_unknown, closed'],
  ['a path with two slashes', modernly(echo()).toString('latin1').replace('/mcp', '//mcp'), '404 -32600 http.path_unknown, closed'],
  ['a path that goes up', bare('GET /mcp/../../../../etc/passwd HTTP/1.1'), '404 -32600 http.path_unknown, closed'],
  ['a path with a slash behind it', bare('GET /mcp/ HTTP/1.1'), '404 -32600 http.path_unknown, closed'],
  ['a path with a backslash', bare('GET \\mcp HTTP/1.1'), '400 -32600 http.target_invalid, closed'],
  ['a query', modernly(echo()).toString('latin1').replace('/mcp', `/mcp?token=${'a'.repeat(100)}`), '200 result'],
  ['a target that is too long', bare(`GET /${'a'.repeat(10_000)} HTTP/1.1`), '414 -32600 http.target_too_long, closed'],
  ['a target without an end', `GET /${'a'.repeat(20_000)}`, '414 -32600 http.target_too_long, closed'],
  ['a header that is too long', bare('GET /mcp HTTP/1.1', { 'X-A': 'a'.repeat(20_000) }), '431 -32600 http.header_too_long, closed'],
  ['too many headers', bare('GET /mcp HTTP/1.1', Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`X-${i}`, 'y']))), '431 -32600 http.header_too_long, closed'],
  ['a header that is just short enough', modernly(echo(), { 'X-A': 'a'.repeat(15_000) }), '200 result'],
  ['a method without an end', 'A'.repeat(20_000), '414 -32600 http.target_too_long, closed'],
  ['small letters in the method', bare('post /mcp HTTP/1.1', { 'Content-Length': 0 }), '405 -32600 http.method_refused, closed'],
  ['HEAD', bare('HEAD /mcp HTTP/1.1'), '405, closed', { head: true }],
  ...['PUT', 'PATCH', 'TRACE', 'PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY', 'MOVE', 'LOCK', 'UNLOCK', 'SEARCH', 'REPORT', 'M-SEARCH', 'PURGE', 'QUERY', 'X'.repeat(300)].map((method) =>
    [`the method ${method.slice(0, 20)}`, bare(`${method} /mcp HTTP/1.1`), '405 -32600 http.method_refused, closed']),
  ['OPTIONS that asks nothing', bare('OPTIONS /mcp HTTP/1.1'), '405 -32600 http.method_refused, closed'],
  ['OPTIONS of a foreign page', bare('OPTIONS /mcp HTTP/1.1', { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' }), '403 -32600 http.origin_refused, closed'],
  ['OPTIONS with a header of its own in a header', bare('OPTIONS /mcp HTTP/1.1', { Origin: 'http://localhost', 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'a, b c: d' }), '204, closed'],
  ['Expect of something else', modernly(echo(), { Expect: '200-ok' }), '417 -32600 http.expectation_unknown, closed'],
  ['Expect: 100-continue, and no wait', modernly(echo(), { Expect: '100-continue' }), '200 result'],
  ['Expect: 100-continue with a token that is none', [post('none')('x', { Expect: '100-continue' }).subarray(0, -1)], '401 -32600 http.token_refused, closed'],
  ['Range', modernly(echo(), { Range: 'bytes=0-0,1-1,2-2' }), '200 result'],
  ['conditions', modernly(echo(), { 'If-Match': '"x"', 'If-None-Match': '*', 'If-Modified-Since': 'never', 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }), '200 result'],
  ['headers that proxies set', modernly(echo(), { 'X-Forwarded-For': '127.0.0.1', 'X-Forwarded-Host': 'evil.example', 'X-HTTP-Method-Override': 'DELETE', 'X-Original-URL': '/admin', Forwarded: 'for=127.0.0.1;host=evil.example' }), '200 result'],
  ['Connection that names headers to be dropped', modernly(echo(), { Connection: 'close, Authorization, Mcp-Method' }), '200 result, closed'],
  ['HTTP/1.0', plain(body, asModern(echo()).headers, 'POST /mcp HTTP/1.0'), '200 result, closed'],
  ['HTTP/1.0 without a host', plain(body, { ...asModern(echo()).headers, Host: null }, 'POST /mcp HTTP/1.0'), '403 -32600 http.host_count, closed'],
];

const gzip = Buffer.from('1f8b0800000000000003abae050043bfa6a302000000', 'hex');
const contents = [
  ['no Content-Type', plain(body, { 'Content-Type': null }), '415 -32600 http.content_type, closed'],
  ['a form of a page', plain('a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }), '415 -32600 http.content_type, closed'],
  ['two Content-Types', plain(body, { 'Content-Type': ['text/plain', 'application/json'] }), '415 -32600 http.content_type, closed'],
  ['another charset', plain(body, { 'Content-Type': 'application/json; charset=utf-16' }), '415 -32600 http.content_type, closed'],
  ['a compressed body', plain(gzip, { 'Content-Encoding': 'gzip' }), badJson],
  ['nothing', plain(''), badJson],
  ['a byte order mark', plain(`\ufeff${body}`), badJson],
  ['UTF-16', plain(Buffer.from(body, 'utf16le')), badJson],
  ['a NUL behind the message', plain(`${body}\0`), badJson],
  ['a NUL as text', plain('\0'), badJson],
  ['half a character', plain(Buffer.from([...Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'), 0xc3])), badJson],
  ['an overlong slash', plain(Buffer.from([...Buffer.from('{"a":"'), 0xc0, 0xaf, ...Buffer.from('"}')])), badJson],
  ['a surrogate in UTF-8', plain(Buffer.from([...Buffer.from('{"a":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')])), badJson],
  ['a character beyond Unicode', plain(Buffer.from([...Buffer.from('{"a":"'), 0xf4, 0x90, 0x80, 0x80, ...Buffer.from('"}')])), badJson],
  ['half a surrogate pair, escaped', plain('{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', alice[legacy]), '200 -32601 mcp.method_unknown'],
  ['half a surrogate pair in an argument', plain(text(echo('HALF')).replace('HALF', '\\ud800'), alice[legacy]), '400 -32602 json.half_pair'],
  ['a good character split over two pieces', () => {
    const bytes = modernly(echo('\u{1f40c}'));
    const at = bytes.indexOf(0xf0) + 2;
    return [bytes.subarray(0, at), 30, bytes.subarray(at)];
  }, '200 result'],
  ['every byte alone', [...good()].slice(0, 900).map((byte) => Buffer.from([byte])), '200 result'],
  ['a control character in a text', plain('{"a":"\n"}'), badJson],
  ['a comma too many', plain('{"jsonrpc":"2.0",}'), badJson],
  ['NaN', plain('{"jsonrpc":"2.0","id":NaN}'), badJson],
  ['a comment', plain('/* */{}'), badJson],
  ['two messages', plain(`${body}${body}`), badJson],
  ['two messages on two lines', plain(`${body}\n${body}`), badJson],
  ['__proto__', modernly(call('echo', JSON.parse('{"message":"x","__proto__":{"a":1},"constructor":{}}'))), '200 result'],
  ['a depth of 250', inSession(nested(250)), '200 result'],
  ['a depth of 300', inSession(nested(300)), '400 -32600 json.too_deep'],
  ['a depth of 300 objects', inSession(nested(300, '{"a":', '}')), '400 -32600 json.too_deep'],
  ['a depth of 100,000', inSession(nested(100_000)), '400 -32700 json.too_deep'],
  ['a depth without an end', inSession('['.repeat(1_000_000)), '400 -32700 json.too_deep'],
  ['an integer beyond 64 bits', plain('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":123456789012345678901234567890}}'), '400 -32600 json.integer_too_large'],
  ['an exponent beyond a double', plain('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":1e999999999}}'), badJson],
  ['a number of a million digits', plain(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":${'9'.repeat(1_000_000)}}}`), '400 -32600 json.integer_too_large'],
  ['a body that is too large, by its length', bare('POST /mcp HTTP/1.1', { 'Content-Type': 'application/json', 'Content-Length': 33_554_433 }), '413 -32600 http.body_too_large, closed'],
  ['a body of 8 EiB', bare('POST /mcp HTTP/1.1', { 'Content-Type': 'application/json', 'Content-Length': '9223372036854775807' }), '413 -32600 http.body_too_large, closed'],
  ['a body that is too large, by its chunks', () => [chunked(''), ...Array.from({ length: 33 }, () => chunk('x'.repeat(1 << 20)))], '413 -32600 http.body_too_large, closed'],
  ['a large body of numbers', () => [plain(`[${'1,'.repeat(900_000)}1]`, alice['2025-03-26'])], '400 -32600 mcp.batch_size'],
  ['a larger body of numbers', () => [plain(`[${'1,'.repeat(16_000_000)}1]`, alice['2025-03-26'])], '400 -32700 json.too_many_values'],
  ['a large body of members', () => [plain(`{${Array.from({ length: 300_000 }, (_, i) => `"k${i}":{}`).join(',')}}`)], '400 -32600 mcp.not_jsonrpc'],
];

const huge = 'i'.repeat(2_000_000);
const messages = [
  ['a text as message', plain('"x"'), '400 -32600 mcp.not_an_object'],
  ['null', plain('null'), '400 -32600 mcp.not_an_object'],
  ['JSON-RPC 1.0', plain({ id: 1, method: 'ping' }), '400 -32600 mcp.not_jsonrpc'],
  ['jsonrpc as a number', plain('{"jsonrpc":2.0,"id":1,"method":"ping"}'), '400 -32600 mcp.not_jsonrpc'],
  ['no method', plain({ jsonrpc: '2.0', id: 1 }), '400 -32600 mcp.no_method'],
  ['a method that is a number', plain({ jsonrpc: '2.0', id: 1, method: 5 }), '400 -32600 mcp.no_method'],
  ['params that are an array', inSession({ jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }), '400 -32602 mcp.params_not_object'],
  ...['null', 'true', '{}', '[1]', '1.5', '1e300'].map((id) => [`the id ${id}`, inSession(withId(id)), '400 -32600 mcp.bad_id']),
  ['the id 9223372036854775807', inSession(withId('9223372036854775807')), '200 result'],
  ['the id 18446744073709551616', inSession(withId('18446744073709551616')), '400 -32700 json.integer_too_large'],
  ['the id with a NUL', inSession(withId('"\\u0000"')), '200 result'],
  ['an id of two million letters', inSession(withId(`"${huge}"`)), '400 -32600 mcp.bad_id'],
  ['two ids', inSession('{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'), '200 result'],
  ['an unknown method of two million letters', inSession(request(huge)), '200 -32601 mcp.method_unknown'],
  ['an unknown tool of two million letters', inSession(call(huge)), '200 -32602 tool.unknown'],
  ['a version of two million letters', plain({ ...request('ping'), params: { _meta: { 'io.modelcontextprotocol/protocolVersion': huge, 'io.modelcontextprotocol/clientCapabilities': {} } } }), '400 -32022 mcp.version_unsupported'],
  ['an unknown resource of two million letters', inSession(request('resources/read', { uri: huge })), '200 -32002 resource.not_found'],
  ['arguments that are two million letters', inSession(call('sleep', { ms: huge })), '200 refused args.invalid'],
  ['a cursor that nobody gave', inSession(request('tools/list', { cursor: '../../../etc/passwd' })), '200 -32602 mcp.cursor_unknown'],
  ['a notification that cancels everything', inSession({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: '*' } }), '202'],
  ['an answer that nobody asked for', inSession({ jsonrpc: '2.0', id: 77, result: {} }), '202'],
  ['an answer and no session', plain({ jsonrpc: '2.0', id: 77, result: {} }), '400 -32600 mcp.session_missing'],
  ['an answer in the modern era', plain({ jsonrpc: '2.0', id: 77, result: {} }, { 'MCP-Protocol-Version': modern }), '400 -32600 mcp.response_unasked'],
  ['initialize twice', inSession(initialize()), '400 -32600 mcp.initialized_already'],
  ['initialize without anything', plain({ jsonrpc: '2.0', id: 1, method: 'initialize' }), '200 -32602 mcp.param_invalid'],
  ['no tool that is named like a file', inSession(call('../../bin/sh')), '200 -32602 tool.unknown'],
  ['the name of a tool that is an object', inSession(request('tools/call', { name: {} })), '200 -32602 mcp.param_invalid'],
  ['a log level that is none', inSession(request('logging/setLevel', { level: 'all' })), '200 -32602 mcp.param_invalid'],
];

const batch = [request('ping', {}, 1), echo('x', 2)];
const batches = [
  ...['2024-11-05', '2025-06-18', '2025-11-25'].map((version) => [`a batch in ${version}`, inSession(batch, {}, version), '400 -32600 mcp.batch_unsupported']),
  ['a batch in 2025-03-26', inSession(batch, {}, '2025-03-26'), '200 [result result]'],
  ['an empty batch in 2025-03-26', inSession([], {}, '2025-03-26'), '400 -32600 mcp.batch_unsupported'],
  ['a batch of batches', inSession([batch, batch], {}, '2025-03-26'), '200 [-32600 mcp.not_an_object -32600 mcp.not_an_object]'],
  ['a batch of nonsense', inSession([1, 'x', null, {}], {}, '2025-03-26'), '200 [-32600 mcp.not_an_object -32600 mcp.not_an_object -32600 mcp.not_an_object -32600 mcp.not_jsonrpc]'],
  ['a batch with one id twice', inSession([call('sleep', { ms: 20 }, {}, 5), call('sleep', { ms: 20 }, {}, 5)], {}, '2025-03-26'), '200 [-32600 mcp.id_in_use result]'],
  ['a batch of ten thousand', inSession(Array.from({ length: 10_000 }, (_, id) => request('ping', {}, id)), {}, '2025-03-26'), '400 -32600 mcp.batch_size'],
  ['a batch with initialize', inSession([initialize()], {}, '2025-03-26'), '200 [-32600 mcp.initialized_already]'],
  ['a batch with a modern request', inSession([asModern(echo()).body], {}, '2025-03-26'), '400 -32600 mcp.batch_unsupported'],
  ['a batch of modern requests', plain([asModern(echo()).body], asModern(echo()).headers), '400 -32600 mcp.batch_unsupported'],
  ['a batch without a session', plain(batch), '400 -32600 mcp.session_missing'],
  ['a batch of notifications', inSession([{ jsonrpc: '2.0', method: 'notifications/initialized' }], {}, '2025-03-26'), '202'],
];

const states = [
  ['a good state', async () => withState(await freshState()), '200 result'],
  ['a good state that this test has sealed', () => withState(sealed()), '200 result'],
  ['a state that is empty', () => withState(''), forged],
  ['a state that is a number', () => withState(5), '200 -32602 mcp.param_invalid'],
  ['a state of random letters', () => withState(randomBytes(120).toString('base64url')), forged],
  ['a state of two million letters', () => withState(huge), forged],
  ['a state that is no base64', () => withState('!!!!'), forged],
  ...[0, 1, 5, 20, 30, 45, -1, -32].map((at) => [`a state whose byte ${at} is changed`, async () => withState(changed(await freshState(), at)), forged]),
  ...[1, 4, 32, 60].map((cut) => [`a state without its last ${cut} letters`, async () => withState((await freshState()).slice(0, -cut)), forged]),
  ['a state with something behind it', async () => withState(`${await freshState()}AAAA`), forged],
  ['a state with padding', async () => withState(`${await freshState()}=`), forged],
  ['a state of another principal', async () => withState(await freshState(tokens.bob)), forged],
  ['a state of one\'s own, sent by another', async () => withState(await freshState(), { token: tokens.bob }), forged],
  ['a state of another tool', async () => withState(await freshState(), { name: 'test_input_required_result_tampered_state' }), forged],
  ['a state of other arguments', async () => withState(await freshState(), { args: { more: 1 } }), forged],
  ['a state that is used twice', async () => {
    const state = await freshState();
    return [withState(state), 20, withState(state)];
  }, '200 result, 200 -32602 state.used'],
  ['a state that has expired', () => withState(sealed({ issued: Date.now() - 700_000 })), '200 -32602 state.expired'],
  ['a state that expires at this moment', () => withState(sealed({ life: 0 })), '200 -32602 state.expired'],
  ['a state of another version', () => withState(sealed({ version: 2 })), forged],
  ['a state whose payload is no JSON', () => withState(sealed({ payload: '{' })), forged],
  ['a state whose payload is no object', () => withState(sealed({ payload: '[]' })), forged],
  ['a state of another key', () => withState(sealState(randomBytes(32), ofAlice)), forged],
  ['answers without a state', () => withState(undefined), '200 result'],
  ['answers that are no object', () => modernly(call(asks, {}, { inputResponses: [] }), {}, canAsk), '200 -32602 mcp.param_invalid'],
  ['a state in the handshake era', async () => inSession(call('echo', { message: 'x' }, { requestState: await freshState() })), '200 result'],
];

const sessions = [
  ['no session', plain(request('tools/list')), '400 -32600 mcp.session_missing'],
  ['a session that never was', plain(request('tools/list'), { 'Mcp-Session-Id': randomBytes(16).toString('hex') }), unknownSession],
  ['the session of another principal', plain(request('tools/list'), bob), unknownSession],
  ['DELETE of the session of another principal', bare('DELETE /mcp HTTP/1.1', bob), unknownSession],
  ['the stream of another principal', get(bob), unknownSession],
  ['an event of the stream of another principal', get({ ...bob, 'Last-Event-ID': '1' }), unknownSession],
  ['an event that never was', get({ ...alice[legacy], 'Last-Event-ID': '0000000000000000-0-1' }), '400 -32600 mcp.event_unknown'],
  ['an event that is none', get({ ...alice[legacy], 'Last-Event-ID': '../..' }), '400 -32600 mcp.event_unknown'],
  ['an empty session', plain(request('tools/list'), { 'Mcp-Session-Id': '' }), unknownSession],
  ['a session of 10,000 letters', plain(request('tools/list'), { 'Mcp-Session-Id': 'a'.repeat(10_000) }), unknownSession],
  ['a session with quotes', plain(request('tools/list'), { 'Mcp-Session-Id': `"${alice[legacy]['Mcp-Session-Id']}"` }), unknownSession],
  ['a session in capitals', plain(request('tools/list'), { 'Mcp-Session-Id': `${alice[legacy]['Mcp-Session-Id']}`.toUpperCase() }), unknownSession],
  ['two sessions', plain(request('tools/list'), { 'Mcp-Session-Id': [alice[legacy]['Mcp-Session-Id'], bob['Mcp-Session-Id']] }), unknownSession],
  ['one session twice', plain(request('tools/list'), { 'Mcp-Session-Id': [alice[legacy]['Mcp-Session-Id'], alice[legacy]['Mcp-Session-Id']] }), unknownSession],
  ['a session with a version that is none', inSession(request('tools/list'), { 'MCP-Protocol-Version': '1999-01-01' }), '400 -32600 mcp.header_version'],
  ['a session with a version of 9,000 letters', inSession(request('tools/list'), { 'MCP-Protocol-Version': 'v'.repeat(9000) }), '400 -32600 mcp.header_version'],
  ['a session with a modern version', inSession(request('tools/list'), { 'MCP-Protocol-Version': modern }), '400 -32602 mcp.envelope_missing'],
  ['no token', plain(body, { ...asModern(echo()).headers, Authorization: null }), '401 -32600 http.token_refused, closed'],
  ['no token, but a session', plain(request('tools/list'), { ...alice[legacy], Authorization: null }), '401 -32600 http.token_refused, closed'],
  ['a token that is none', plain(body, { Authorization: 'Bearer x' }), '401 -32600 http.token_refused, closed'],
  ['half a token', plain(body, { Authorization: `Bearer ${tokens.alice.slice(0, -1)}` }), '401 -32600 http.token_refused, closed'],
  ['two tokens', plain(body, { Authorization: [`Bearer ${tokens.alice}`, `Bearer ${tokens.bob}`] }), '401 -32600 http.token_refused, closed'],
  ['a token of another scheme', plain(body, { Authorization: `Basic ${Buffer.from(`x:${tokens.alice}`).toString('base64')}` }), '401 -32600 http.token_refused, closed'],
  ['a token in the query', bare(`POST /mcp?access_token=${tokens.alice} HTTP/1.1`, { Authorization: null, 'Content-Length': 0 }), '401 -32600 http.token_refused, closed'],
  ['a token of 15,000 letters', plain(body, { Authorization: `Bearer ${'a'.repeat(15_000)}` }), '401 -32600 http.token_refused, closed'],
];

const read = (uri) => request('resources/read', { uri });
const base64 = (value) => `=?base64?${Buffer.from(value).toString('base64')}?=`;
const headers = [
  ['another version', modernly(echo(), { 'MCP-Protocol-Version': legacy }), mismatch],
  ['no version', modernly(echo(), { 'MCP-Protocol-Version': null }), '400 -32020 mcp.header_missing'],
  ['two versions', modernly(echo(), { 'MCP-Protocol-Version': [modern, modern] }), '400 -32020 mcp.header_repeated'],
  ['a version that is encoded', modernly(echo(), { 'MCP-Protocol-Version': base64(modern) }), mismatch],
  ['another method', modernly(echo(), { 'Mcp-Method': 'tools/list' }), mismatch],
  ['the method in capitals', modernly(echo(), { 'Mcp-Method': 'TOOLS/CALL' }), mismatch],
  ['no method', modernly(echo(), { 'Mcp-Method': null }), '400 -32020 mcp.header_missing'],
  ['an empty method', modernly(echo(), { 'Mcp-Method': '' }), mismatch],
  ['two methods', modernly(echo(), { 'Mcp-Method': ['tools/call', 'tools/list'] }), '400 -32020 mcp.header_repeated'],
  ['another name', modernly(echo(), { 'Mcp-Name': 'sleep' }), mismatch],
  ['the name in capitals', modernly(echo(), { 'Mcp-Name': 'ECHO' }), mismatch],
  ['no name', modernly(echo(), { 'Mcp-Name': null }), '400 -32020 mcp.header_missing'],
  ['two names', modernly(echo(), { 'Mcp-Name': ['echo', 'echo'] }), '400 -32020 mcp.header_repeated'],
  ['two names in the body', plain(body.replace('"name":"echo"', '"name":"echo","name":"sleep"'), asModern(echo()).headers), mismatch],
  ['another resource', modernly(read('test://static-text'), { 'Mcp-Name': 'test://other' }), mismatch],
  ['another prompt', modernly(request('prompts/get', { name: 'test_simple_prompt' }), { 'Mcp-Name': 'other' }), mismatch],
  ['a name that is well encoded', modernly(echo(), { 'Mcp-Name': base64('echo') }), '200 result'],
  ['a name that is well encoded, and another', modernly(echo(), { 'Mcp-Name': base64('sleep') }), mismatch],
  ['an encoded name without padding', modernly(echo(), { 'Mcp-Name': '=?base64?ZWNobw?=' }), badEncoding],
  ['an encoded name of other letters', modernly(echo(), { 'Mcp-Name': '=?base64?ZW!obw==?=' }), badEncoding],
  ['an encoded name of the other alphabet', modernly(echo(), { 'Mcp-Name': '=?base64?_-__?=' }), badEncoding],
  ['an encoded name that is not UTF-8', modernly(echo(), { 'Mcp-Name': `=?base64?${Buffer.from('ff', 'hex').toString('base64')}?=` }), badEncoding],
  ['an encoded name with bits to spare', modernly(echo(), { 'Mcp-Name': '=?base64?ZWNobx==?=' }), badEncoding],
  ['an encoded name that is encoded again', modernly(echo(), { 'Mcp-Name': base64(base64('echo')) }), mismatch],
  ['an encoded name with a NUL', modernly(echo(), { 'Mcp-Name': base64('echo\0') }), mismatch],
  ['an encoding that is empty', modernly(echo(), { 'Mcp-Name': '=?base64??=' }), mismatch],
  ['an encoding in capitals', modernly(echo(), { 'Mcp-Name': '=?BASE64?ZWNobw==?=' }), mismatch],
  ['a name beyond ASCII', modernly(echo(), { 'Mcp-Name': 'ech\xf6' }), badEncoding],
  ['a version that is not served', () => {
    const whole = asModern(echo());
    whole.body.params._meta['io.modelcontextprotocol/protocolVersion'] = '2099-01-01';
    return plain(whole.body, { ...whole.headers, 'MCP-Protocol-Version': '2099-01-01' });
  }, '400 -32022 mcp.version_unsupported'],
  ['no capabilities', plain(body.replace('"io.modelcontextprotocol/clientCapabilities":{}', '"x":{}'), asModern(echo()).headers), '400 -32602 mcp.envelope_missing'],
  ['capabilities that are a text', plain(body.replace('"io.modelcontextprotocol/clientCapabilities":{}', '"io.modelcontextprotocol/clientCapabilities":"all"'), asModern(echo()).headers), '400 -32602 mcp.envelope_invalid'],
  ['an envelope that is an array', plain({ ...echo(), params: { _meta: [] } }, asModern(echo()).headers), '400 -32602 mcp.envelope_invalid'],
  ['a subscription that cannot arrive', modernly(request('subscriptions/listen', { notifications: {} }), { Accept: 'application/json' }), '406 -32600 mcp.stream_refused'],
  ['initialize with a modern header', plain(initialize(), { 'MCP-Protocol-Version': modern }), '400 -32020 mcp.initialize_modern'],
  ['GET in the modern era', get({ 'MCP-Protocol-Version': modern }), '405 -32600 http.method_refused'],
  ['DELETE in the modern era', bare('DELETE /mcp HTTP/1.1', { 'MCP-Protocol-Version': modern }), '405 -32600 http.method_refused'],
];

const refusedHost = '403 -32600 http.host_refused, closed';
const hosts = [
  ...['localhost', `localhost:${port}`, 'LOCALHOST', 'localhost.', '127.0.0.1', '127.1', '127.0.0.2:80', '[::1]', `[::1]:${port}`, '[0:0:0:0:0:0:0:1]', '2130706433', 'app.localhost'].map((host) =>
    [`the host ${host}`, modernly(echo(), { Host: host }), '200 result']),
  ...['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example', 'localhostevil', '0.0.0.0', '[::]', '10.0.0.1', '169.254.169.254', '192.168.0.1:7717', 'xn--lcalhost-n1a', '[::1', 'localhost:99999', 'localhost:x', '128.0.0.1', '[::ffff:10.0.0.1]', ''].map((host) =>
    [`the host ${host || '(empty)'}`, modernly(echo(), { Host: host }), refusedHost]),
  ...['localhost/evil', 'evil@localhost', 'local host', 'localhost,evil'].map((host) =>
    [`the host ${host}`, modernly(echo(), { Host: host }), '400 -32600 http.host_invalid, closed']),
  ['two hosts', modernly(echo(), { Host: ['localhost', 'evil.example'] }), '400 -32600 http.host_count, closed'],
  ['no host', modernly(echo(), { Host: null }), '400 -32600 http.host_count, closed'],
  ...['http://localhost', `http://127.0.0.1:${port}`, 'https://localhost:1', 'http://[::1]'].map((origin) =>
    [`the origin ${origin}`, modernly(echo(), { Origin: origin }), '200 result']),
  ...['null', 'http://evil.example', 'http://localhost.evil.example', 'http://evil.example/localhost', 'file://', 'http://localhost@evil.example', 'chrome-extension://abcdefgh', 'localhost', 'http://', 'http://127.0.0.1.nip.io', 'ftp://localhost', ''].map((origin) =>
    [`the origin ${origin || '(empty)'}`, modernly(echo(), { Origin: origin }), '403 -32600 http.origin_refused, closed']),
  ['two origins', modernly(echo(), { Origin: ['http://localhost', 'http://evil.example'] }), '403 -32600 http.origin_refused, closed'],
];

const slowly = (bytes, ms, count = 8) => Array.from({ length: count }, (_, i) => [bytes.subarray(i, i + 1), ms]).flat();
const paces = [
  ['a header that never ends', ['POST /mcp HTTP/1.1\r\nHost: localhost\r\n'], '408 -32600 http.header_slow, closed'],
  ['a header byte by byte', slowly(good(), 250), '408 -32600 http.header_slow, closed'],
  ['a body that never comes', [good().subarray(0, -10)], '408 -32600 http.body_slow, closed'],
  ['a chunk that never comes', [chunked('ff\r\nx')], '408 -32600 http.body_slow, closed'],
  ['many requests at once', Buffer.concat(Array.from({ length: 12 }, (_, i) => good(i))), Array.from({ length: 12 }, () => '200 result').join(', ')],
  ['requests at once, with an error of JSON among them', Buffer.concat([good(), inSession('{'), good()]), `200 result, ${badJson}, 200 result`],
  ['requests at once, with one that is none among them', Buffer.concat([good(), Buffer.from('nonsense\r\n\r\n'), good()]), '200 result, 400 -32600 http.request_line_invalid, closed'],
  ['requests at once, with one of a foreign host among them', Buffer.concat([good(), modernly(echo(), { Host: 'evil.example' }), good()]), `200 result, ${refusedHost}`],
  ['requests at once, with one without a token among them', Buffer.concat([good(), post()('{}'), good()]), '200 result, 401 -32600 http.token_refused, closed'],
  ['requests at once, with DELETE among them', async () => {
    const other = await session(url, tokens.alice);
    return Buffer.concat([plain(echo(), other), Buffer.from(bare('DELETE /mcp HTTP/1.1', other)), plain(echo(), other)]);
  }, `200 result, 204, ${unknownSession}`],
  ['a request behind a slow one', Buffer.concat([modernly(call('silence', { ms: 100 })), good()]), '200 result, 200 result'],
  ['a client that closed its half, handshake era', [inSession(call('silence', { ms: 100 }, {}, 'half')), 'half'], '200 result, closed'],
  ['a client that closed its half, modern era: that cancels', [modernly(call('silence', { ms: 30_000 })), 'half'], 'closed'],
  ['a client that closed its half within the request', [good().subarray(0, -10), 'half'], 'closed'],
  ['a client that closed its half at once', ['half'], 'closed'],
  ['a client that closed its half behind two requests', [Buffer.concat([good(), good()]), 'half'], '200 result, 200 result, closed'],
];

// ------------------------------------------------------------------ the run

const table = { framing, lines, contents, messages, batches, states, sessions, headers, hosts, paces };

async function play(sent, want, { head: onlyHead } = {}) {
  const made = typeof sent === 'function' ? await sent() : sent;
  const io = connect(address);
  for (const piece of Array.isArray(made) ? made : [made]) {
    if (typeof piece === 'number') await sleep(piece);
    else if (piece === 'half') io.socket.end();
    else await io.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
  }
  const wanted = want.split(', ').filter((part) => part !== 'closed').length;
  const read = () => (onlyHead ? { answers: /\r\n\r\n$/.test(io.bytes) ? [{ status: Number(io.bytes.slice(9, 12)), headers: {}, body: '' }] : [], rest: '' } : readAnswers(io.bytes));
  await io.until(() => io.ended || (!want.endsWith('closed') && read().answers.length >= wanted));
  const { answers, rest } = read();
  for (const word of hidden) assert.ok(!io.bytes.includes(word), `an answer says ${word}: ${io.bytes}`);
  assert.ok(io.bytes.length < 20_000, `an answer of ${io.bytes.length} bytes`);
  assert.equal(rest, '', 'bytes behind the answers');
  for (const { status, headers } of answers) {
    if (status === 401) assert.equal(headers['www-authenticate'], 'Bearer');
    if (status === 405) assert.ok(headers.allow || onlyHead);
    if (status === 403) assert.equal(headers['access-control-allow-origin'], undefined);
  }
  return { io, said: [...answers.map(describe), ...(io.ended ? ['closed'] : [])].join(', ') };
}

// On the same connection if it is still good, so that nothing is left of the row in it.
async function stillServes(io) {
  const again = io.ended ? connect(address) : io;
  const before = readAnswers(again.bytes).answers.length;
  const word = randomBytes(4).toString('hex');
  await again.write(modernly(echo(word)));
  await again.until(() => again.ended || readAnswers(again.bytes).answers.length > before);
  const last = readAnswers(again.bytes).answers.at(-1);
  assert.equal(describe(last), '200 result');
  assert.ok(last.body.includes(`Echo: ${word}`), last.body);
  io.socket.destroy();
  again.socket.destroy();
}

const rows = Object.values(table).flat();
const first = rss(pid);
for (const [name, group] of Object.entries(table)) {
  test(`hostile HTTP, ${name}: ${group.length} rows`, { concurrency: true }, async (t) => {
    await Promise.all(group.map(([row, sent, want, more]) => t.test(row, async () => {
      const { io, said } = await play(sent, want, more);
      assert.equal(said, want);
      await stillServes(io);
    })));
  });
}

test('the table is long enough, and its server is as it was', async () => {
  assert.ok(rows.length >= 100, `${rows.length}`);
  for (const version of versions) {
    const { json } = await ask(url, tokens.alice, echo('still here'), alice[version]);
    assert.equal(json.result.content[0].text, 'Echo: still here', version);
  }
  assert.equal((await ask(url, tokens.bob, echo(), bob)).status, 200);
  if (!underAsan) assert.ok(rss(pid) < 160, `${first} MiB, then ${rss(pid)} MiB`);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  for (const word of [tokens.alice, tokens.bob, stateKey]) assert.ok(!server.said.join('\n').includes(word));
});
