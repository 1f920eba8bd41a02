// Bytes over raw sockets for the tests of hostile input: requests as they must not be, and what comes
// back for them in one line of text.
import net from 'node:net';
import http from 'node:http';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const legacy = '2025-11-25';
export const modern = '2026-07-28';
export const underAsan = /asan/.test(process.env.HELVE_BUILD ?? '');

// ------------------------------------------------------------------ requests

export const request = (method, params = {}, id = 1) => ({ jsonrpc: '2.0', id, method, params });
export const call = (name, args = {}, more = {}, id = 1) => request('tools/call', { name, arguments: args, ...more }, id);
export const echo = (message = 'x', id = 1) => call('echo', { message }, {}, id);
export const initialize = (version = legacy, capabilities = {}) =>
  request('initialize', { protocolVersion: version, capabilities, clientInfo: { name: 'hostile', version: '1' } });

const envelope = (capabilities = {}) => ({
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});
// The body with its envelope, and the headers that repeat it.
export function asModern(body, capabilities) {
  const whole = { ...body, params: { ...body.params, _meta: { ...envelope(capabilities), ...body.params?._meta } } };
  const name = body.params?.name ?? body.params?.uri;
  return { body: whole, headers: { 'MCP-Protocol-Version': modern, 'Mcp-Method': body.method, ...(name !== undefined && { 'Mcp-Name': name }) } };
}

export const text = (body) => (typeof body === 'object' && !Buffer.isBuffer(body) ? JSON.stringify(body) : body);

// A header that is null is left out, one that is an array stands there several times.
export function head(line, headers) {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [value].flat().map((one) => `${name}: ${one}\r\n`));
  return `${line}\r\n${lines.join('')}\r\n`;
}

export const post = (token) => (body, headers = {}, line = 'POST /mcp HTTP/1.1') => {
  const bytes = Buffer.from(text(body));
  const all = {
    Host: 'localhost', Authorization: token && `Bearer ${token}`, Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json', 'Content-Length': bytes.length, ...headers,
  };
  return Buffer.concat([Buffer.from(head(line, all), 'latin1'), bytes]);
};

// ------------------------------------------------------------------ states that clients carry

const number = (value) => { const out = Buffer.alloc(8); out.writeBigUInt64BE(BigInt(value)); return out; };
const field = (value) => { const bytes = Buffer.from(value); return Buffer.concat([number(bytes.length), bytes]); };
const sorted = (value) => {
  if (Array.isArray(value)) return `[${value.map((item) => `${sorted(item)},`).join('')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${sorted(value[key])},`).join('')}}`;
};

// A state as the server itself would seal it, or with one of its parts another one.
export function sealState(key, { principal, name, args = {}, state, issued = Date.now(), life = 600_000, version = 1, flags = 0, payload }) {
  const body = Buffer.concat([
    Buffer.from([version, flags]), randomBytes(16), number(issued), number(issued + life),
    Buffer.from(payload ?? JSON.stringify({ state })),
  ]);
  const signed = Buffer.concat([
    Buffer.from('helve requestState'), field(body), field(principal), field('tools/call'), field(name),
    field(createHash('sha256').update(sorted(args)).digest()),
  ]);
  return Buffer.concat([body, createHmac('sha256', key).update(signed).digest()]).toString('base64url');
}

// ------------------------------------------------------------------ answers

function takeChunks(bytes) {
  let body = '';
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const size = parseInt(bytes.slice(at, end), 16);
    if (bytes.length < end + 2 + size + 2) return undefined;
    if (size === 0) return { body, rest: bytes.slice(end + 4) };
    body += bytes.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
}

// The answers in `bytes` (latin1), and what is left behind the last whole one.
export function readAnswers(bytes) {
  const answers = [];
  for (;;) {
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return { answers, rest: bytes };
    const [line, ...lines] = bytes.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]));
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1] ?? NaN);
    let body = '';
    let rest = bytes.slice(end + 4);
    if (headers['transfer-encoding'] === 'chunked') {
      const chunks = takeChunks(rest);
      if (!chunks) return { answers, rest: bytes, open: { status, headers } };
      ({ body, rest } = chunks);
    } else {
      const length = Number(headers['content-length'] ?? 0);
      if (rest.length < length) return { answers, rest: bytes };
      body = rest.slice(0, length);
      rest = rest.slice(length);
    }
    if (status !== 100) answers.push({ status, headers, body: Buffer.from(body, 'latin1').toString('utf8') });
    bytes = rest;
  }
}

const messageOf = ({ headers, body }) => {
  const data = headers['content-type']?.startsWith('text/event-stream')
    ? body.split('\n').filter((line) => line.startsWith('data: ')).at(-1)?.slice(6) : body;
  try { return JSON.parse(data); } catch { return undefined; }
};

// "200 result", "400 -32600 http.host_count", "200 refused args.invalid", "202"
export function describe(answer) {
  const json = messageOf(answer);
  const one = (message) => {
    if (message.error) return `${message.error.code} ${message.error.data?.rule}`;
    const rule = message.result?._meta?.['io.helve/refusal']?.rule;
    return message.result?.isError ? `refused ${rule}` : 'result';
  };
  if (json === undefined) return answer.body ? `${answer.status} ?${answer.body}` : `${answer.status}`;
  return `${answer.status} ${Array.isArray(json) ? `[${json.map(one).join(' ')}]` : one(json)}`;
}

// A connection of which one sees every byte.
export function connect(address, { onData } = {}) {
  const socket = net.connect({ ...address, allowHalfOpen: true });
  const io = { socket, bytes: '', ended: false, broken: undefined, wake: () => {} };
  socket.on('data', (data) => { io.bytes += data.toString('latin1'); onData?.(data); io.wake(); });
  socket.on('end', () => { io.ended = true; io.wake(); });
  socket.on('close', () => { io.ended = true; io.wake(); });
  socket.on('error', (error) => { io.broken = error.code; io.wake(); });
  io.write = (bytes) => new Promise((resolve) => { if (socket.writable) socket.write(bytes, () => resolve()); else resolve(); });
  io.until = async (condition, ms = 10_000) => {
    const timer = setTimeout(() => { io.late = true; io.wake(); }, ms);
    while (!condition(io) && !io.late) await new Promise((resolve) => { io.wake = resolve; });
    clearTimeout(timer);
    return condition(io);
  };
  return io;
}

// ------------------------------------------------------------------ plain requests

export function ask(url, token, body, headers = {}, method = 'POST') {
  return new Promise((resolve, reject) => {
    const sent = http.request(url, {
      method, agent: false,
      headers: {
        Accept: 'application/json, text/event-stream', ...(token && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers,
      },
    }, async (response) => {
      response.setEncoding('utf8');
      let whole = '';
      try { for await (const piece of response) whole += piece; } catch (error) { return reject(error); }
      const answer = { status: response.statusCode, headers: response.headers, body: whole };
      resolve({ ...answer, json: messageOf(answer) });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : text(body));
  });
}
export const askModern = (url, token, body, capabilities) => {
  const whole = asModern(body, capabilities);
  return ask(url, token, whole.body, whole.headers);
};
export async function session(url, token, version = legacy) {
  const { headers } = await ask(url, token, initialize(version));
  return { 'Mcp-Session-Id': headers['mcp-session-id'], 'MCP-Protocol-Version': version };
}

export const rss = (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
