/**
 * Runs cases in the TypeScript core, all in one process.
 *
 * node cases.mjs CORE INPUT OUTPUT: the folder of the core, a file with packs (by language) and cases, and a file to
 * write what became of each.
 */

import { readFileSync, writeFileSync } from 'node:fs';

import { Runner } from './case_runner.mjs';

const [core, input, output] = process.argv.slice(2);
const { packs, cases } = JSON.parse(readFileSync(input, 'utf8'));
const runner = await Runner.of(core, packs);
const told = {};
for (const one of cases) told[one.key] = await runner.ran(one);
writeFileSync(output, JSON.stringify(told));
