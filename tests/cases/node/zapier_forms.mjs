/** Runs cases as `cases.mjs` does, with their inputs filled into a form of Zapier. */

import { readFileSync, writeFileSync } from 'node:fs';

import { rawInputs } from '../../../connector/export/zapier/adapter/form.ts';
import { Runner } from './case_runner.mjs';

const [core, input, output] = process.argv.slice(2);
const { packs, cases } = JSON.parse(readFileSync(input, 'utf8'));
const runner = await Runner.of(core, packs);
const told = {};
for (const one of cases) {
	const pack = packs[one.wire].en;
	const inputs = await rawInputs({}, pack, pack.actions[one.manifest].inputs, { inputData: one.inputs });
	told[one.key] = await runner.ran({ ...one, inputs });
}
writeFileSync(output, JSON.stringify(told));
