// Zapier's own core, driven line by line: an event comes in as JSON, what the core made of it goes out.
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

/** What Zapier's cache holds of each connected account; the core takes this for the real one. */
const caches = {};

const run = async (event) => {
  try {
    if (event.at_once) return { results: await Promise.all(event.at_once.map(run)) };
    const zcacheTestObj = (caches[JSON.stringify(event.bundle?.authData ?? {})] ??= {});
    const { results, status } = await handler({ command: 'execute', zcacheTestObj, ...event });
    return { results, status };
  } catch (error) {
    return { error: { name: error.name, message: error.message } };
  }
};

let last = Promise.resolve();
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  last = last.then(async () => say(await run(JSON.parse(line))));
});
say({ results: 'ready' });
