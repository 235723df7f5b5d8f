// Talks to a server on stdio by the official TypeScript SDK: lists the tools, so that it knows what answers must fit,
// and prints what each call of those given as JSON comes to.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [command, calls] = process.argv.slice(2);
const client = new Client({ name: 'kontor-test', version: '0.0.0' });
await client.connect(new StdioClientTransport({ command, args: ['mcp'], env: process.env }));
const { tools } = await client.listTools();
const told = [];
const wrong = tools.map(({ name }) => ({ name, arguments: { there_is_no_such_input: true } }));
for (const call of [...JSON.parse(calls), ...wrong]) {
	try {
		told.push({ ...call, ...(await client.callTool(call)) });
	} catch (error) {
		told.push({ ...call, thrown: String(error) });
	}
}
console.log(JSON.stringify({ tools: tools.map(({ name }) => name), told }));
await client.close();
