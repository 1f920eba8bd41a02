// The peer of the HTTP benchmarks: one echo tool on the official SDK, both eras on one endpoint, as
// its documentation builds it. Run by the node of tests/js, whose packages it takes.
//
//   node bench/sdk_echo.mjs PORT
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const packages = createRequire(path.join(here, '..', 'tests', 'js', 'package.json'));
const load = (name) => import(pathToFileURL(packages.resolve(name)));
const { McpServer, createMcpHandler, fromJsonSchema } = await load('@modelcontextprotocol/server');
const { toNodeHandler } = await load('@modelcontextprotocol/node');

const schema = fromJsonSchema({
  type: 'object',
  properties: { message: { type: 'string', description: 'what to say' } },
  required: ['message'],
});

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'sdk-echo', version: '1' });
  server.registerTool('echo', { description: 'Answers with the message.', inputSchema: schema },
    async ({ message }) => ({ content: [{ type: 'text', text: `Echo: ${message}` }] }));
  return server;
});

createServer(toNodeHandler(handler)).listen(Number(process.argv[2] ?? 0), '127.0.0.1', function ready() {
  console.error(`listening on http://127.0.0.1:${this.address().port}/mcp`);
});
