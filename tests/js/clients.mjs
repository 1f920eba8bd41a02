// The official MCP clients, each with the eras that it can speak, for the end-to-end tests.
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const info = { name: 'helve-tests', version: '1' };

export const clients = [
  {
    name: 'SDK 1.32.2',
    make: () => new Client1(info, { capabilities: {} }),
    transport: (server) => new Stdio1(server),
    call: (client, params, options) => client.callTool(params, undefined, options),
    unknownResource: -32002,
  },
  {
    name: 'SDK 2.4.0, handshake',
    make: () => new Client2(info, { capabilities: {}, versionNegotiation: { mode: 'legacy' } }),
    transport: (server) => new Stdio2(server),
    call: (client, params, options) => client.callTool(params, options),
    unknownResource: -32602, // this client translates -32002 itself
  },
  {
    name: 'SDK 2.4.0, modern',
    make: () => new Client2(info, { capabilities: {}, versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    transport: (server) => new Stdio2(server),
    call: (client, params, options) => client.callTool(params, options),
    modern: true,
    unknownResource: -32602,
  },
  {
    name: 'SDK 2.4.0, on its own choice',
    make: () => new Client2(info, { capabilities: {}, versionNegotiation: { mode: 'auto' } }),
    transport: (server) => new Stdio2(server),
    call: (client, params, options) => client.callTool(params, options),
    modern: true,
    unknownResource: -32602,
  },
];
