// The official MCP clients, each with the eras that it can speak, for the end-to-end tests. A server
// is what to start ({command, args}) for stdio, or {url, headers} for HTTP.
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const info = { name: 'helve-tests', version: '1' };
const schemas = {
  'elicitation/create': ElicitRequestSchema,
  'sampling/createMessage': CreateMessageRequestSchema,
  'roots/list': ListRootsRequestSchema,
};

const version1 = {
  make: (capabilities = {}, options = {}) => new Client1(info, { capabilities, ...options }),
  transport: (server) => (server.url ? new Http1(new URL(server.url), { requestInit: { headers: server.headers } }) : new Stdio1(server)),
  call: (client, params, options) => client.callTool(params, undefined, options),
  on: (client, method, react) => client.setRequestHandler(schemas[method], react),
};
const version2 = (mode) => ({
  make: (capabilities = {}, options = {}) => new Client2(info, { capabilities, versionNegotiation: { mode }, ...options }),
  transport: (server) => (server.url ? new Http2(new URL(server.url), { requestInit: { headers: server.headers } }) : new Stdio2(server)),
  call: (client, params, options) => client.callTool(params, options),
  on: (client, method, react) => client.setRequestHandler(method, react),
});

export const clients = [
  { name: 'SDK 1.32.2', ...version1, unknownResource: -32002 },
  // this client translates -32002 itself
  { name: 'SDK 2.4.0, handshake', ...version2('legacy'), unknownResource: -32602 },
  { name: 'SDK 2.4.0, modern', ...version2({ pin: '2026-07-28' }), modern: true, unknownResource: -32602 },
  { name: 'SDK 2.4.0, on its own choice', ...version2('auto'), modern: true, unknownResource: -32602 },
];
