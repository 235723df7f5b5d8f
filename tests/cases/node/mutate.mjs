/**
 * Runs cases in a core whose conditions and names can be changed one at a time, and tells what differs.
 *
 * node mutate.mjs CORE INPUT OUTPUT: the input holds packs, cases, changes `[place, forced]`, and how many cases that no
 * longer give the same are `enough` for a change; the output holds for each change what became of these.
 */

import { readFileSync, writeFileSync } from 'node:fs';

import { Runner } from './case_runner.mjs';

/** Cases of one section that differ for one change: enough to find one among them that is meant to notice. */
const MAX_OF_SECTION = 25;
const MAX_STEPS = 3_000_000;

const state = { changed: undefined, passed: new Set(), steps: 0 };
globalThis.__switch__ = {
	condition(place, value) {
		state.passed.add(place);
		if (++state.steps > MAX_STEPS) throw new Error('a changed loop does not end');
		return state.changed?.[0] === place ? state.changed[1] : value;
	},
	name(place, value) {
		state.passed.add(place);
		return state.changed?.[0] === place ? state.changed[1] : value;
	},
};

const [core, input, output] = process.argv.slice(2);
const { packs, cases, changes, enough } = JSON.parse(readFileSync(input, 'utf8'));
const runner = await Runner.of(core, packs);

async function told(one) {
	state.steps = 0;
	try {
		return await runner.ran(one);
	} catch (error) {
		return { crash: String(error) };
	}
}

/** A change may bring out anything. */
function written(found) {
	return JSON.stringify(found, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
}

const usual = new Map();
const passing = new Map();
for (const one of cases) {
	state.passed = new Set();
	usual.set(one.key, written(await told(one)));
	for (const place of state.passed) passing.set(place, [...(passing.get(place) ?? []), one]);
}

const results = [];
for (const [place, forced] of changes) {
	const [differing, counted] = [{}, {}];
	state.changed = [place, forced];
	for (const one of passing.get(place) ?? []) {
		if (Object.keys(differing).length >= enough) break;
		if (counted[one.section] >= MAX_OF_SECTION) continue;
		const found = await told(one);
		if (written(found) === usual.get(one.key)) continue;
		differing[one.key] = found;
		counted[one.section] = (counted[one.section] ?? 0) + 1;
	}
	state.changed = undefined;
	results.push(differing);
}
writeFileSync(output, written(results));
