// Zapier's own core, driven line by line: an event comes in as JSON, what the core made of it goes out.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

/** How many times as fast pauses pass; what is longer is a time limit, and stays. */
const hurry = Number(process.argv[3] ?? 1);
const trueSetTimeout = setTimeout;
globalThis.setTimeout = (act, pause, ...more) => trueSetTimeout(act, pause < 10_000 ? pause / hurry : pause, ...more);

const { default: app } = await import(pathToFileURL(process.argv[2]));
const core = createRequire(process.argv[2])('zapier-platform-core');
const handler = core.createAppHandler(app);
const say = (answer) => process.stdout.write(`>${JSON.stringify(answer)}\n`);

/**
 * What Zapier's cache and its cursor hold of each connected account, behind the calls that the core makes in production. The core's
 * own mock of it keeps a value where one stands already (`nx`), and so could not show that of two only one is first.
 */
const caches = {};
const METHODS = {
  zcache_get: (cache, key) => standing(cache, key)?.value ?? null,
  zcache_set: (cache, key, value, ttl, scope, nx) => {
    if (nx && standing(cache, key)) return false;
    cache[key] = { value, until: ttl === null ? Infinity : Date.now() + 1000 * ttl };
    return true;
  },
  zcache_delete: (cache, key) => delete cache[key],
  get_cursor: (cache) => cache.cursor ?? null,
  set_cursor: (cache, cursor) => void (cache.cursor = cursor),
};
const standing = (cache, key) => (cache[key]?.until > Date.now() ? cache[key] : undefined);

const rpc = createServer((request, answer) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const { id, method, params } = JSON.parse(Buffer.concat(parts).toString());
    const cache = (caches[decodeURIComponent(request.url)] ??= {});
    const body = method in METHODS ? { id, result: METHODS[method](cache, ...params) ?? null } : { id, error: method };
    answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
});
// With a token of production instead, the core would send its logs to Zapier.
process.env.ZAPIER_DEPLOY_KEY = 'a key';
await new Promise((ready) => rpc.listen(0, '127.0.0.1', ready));

const run = async (event) => {
  try {
    if (event.at_once) return { results: await Promise.all(event.at_once.map(run)) };
    const account = encodeURIComponent(JSON.stringify(event.bundle?.authData ?? {}));
    const rpc_base = `http://127.0.0.1:${rpc.address().port}/${account}`;
    const { results, status } = await handler({ command: 'execute', rpc_base, ...event });
    return { results, status };
  } catch (error) {
    return { error: { name: error.name, message: error.message } };
  }
};

let last = Promise.resolve();
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  last = last.then(async () => say(await run(JSON.parse(line))));
});
rpc.unref();
say({ results: 'ready' });
