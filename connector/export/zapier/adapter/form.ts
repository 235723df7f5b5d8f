/**
 * Raw inputs of what a form gives. Zapier's forms are flat: a field within a group or a line is named after both, a
 * list within a line has one entry, and a file is an address.
 */

import type { Field, Pack } from '../../node/core/manifest/pack.ts';
import { problem, sayer } from '../../node/core/messages.ts';
import { whenIn, writtenDay } from '../../node/core/values/dates.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import { isEmpty, isObject, textOf } from '../../node/core/values/value_kinds.ts';
import type { Bundle, Step, Z } from './zapier.ts';

/** How many options a dropdown shows before "Load more". */
export const PAGE_SIZE = 100;
const MAX_FILE_BYTES = 25 * 1024 * 1024;

/** The inputs that these fields ask for. */
export async function rawInputs(z: Z, pack: Pack, fields: Field[] = [], { inputData }: Bundle): Promise<Row> {
	/** Undefined when nothing was entered in any of the fields. */
	async function group(inside: Field[], given: Row, above: string, inLine: boolean): Promise<Row | undefined> {
		const values = inside.map(async (field) => [field.name, await value(field, given, above + field.name, inLine)]);
		const entered = (await Promise.all(values)).filter(([, one]) => !isEmpty(one));
		return entered.length ? Object.fromEntries(entered) : undefined;
	}

	async function value(field: Field, given: Row, key: string, inLine: boolean): Promise<unknown> {
		const { type, fields: inside = [] } = field;
		if (type === 'file') return await fileAt(z, pack, field, given[key]);
		if (!inside.length) return given[key];
		if (type !== 'list') return await group(inside, given, `${key}_`, inLine);
		const isLines = isObject(given[key]) || Array.isArray(given[key]);
		if (!isLines && !inLine) return given[key]; // JSON text, or what is no list: the core reads or refuses it
		const lines = inLine ? [given] : [given[key]].flat();
		const read = lines.map((line) => (isObject(line) ? group(inside, line, `${key}_`, true) : line));
		const entered = (await Promise.all(read)).filter((line) => !isEmpty(line));
		return entered.length ? entered : undefined;
	}

	const shown = fields.filter(({ internal }) => !internal);
	return (await group(shown, inputData, '', false)) ?? {};
}

/** The inputs of a dropdown: those that its use fixes, and those that come from other fields of the form. */
export function inputsOfUse({ fixed = {}, taken = {} }: Step, { inputData }: Bundle): Row {
	const given = Object.entries(taken).map(([name, field]) => [name, inputData[field]]);
	return { ...Object.fromEntries(given.filter(([, one]) => !isEmpty(one))), ...fixed };
}

/** Points in time as days in the zone of the Zap, where a day is asked for: a host does not know that zone. */
export function inZone({ meta }: Bundle, fields: Field[] = [], given: Row): Row {
	const { zone } = whenIn(Date.now(), textOf(meta?.timezone));
	const value = ({ type, fields: inside = [] }: Field, one: unknown): unknown => {
		if (type === 'date') return writtenDay(one, zone) ?? one;
		if (Array.isArray(one)) return one.map((line) => (isObject(line) ? group(inside, line) : line));
		return inside.length && isObject(one) ? group(inside, one) : one;
	};
	const group = (inside: Field[], row: Row): Row => {
		const known = (name: string): Field | undefined => inside.find((field) => field.name === name);
		return Object.fromEntries(
			Object.entries(row).map(([name, one]) => [name, value(known(name) ?? { name, type: '', label: '' }, one)]),
		);
	};
	return group(fields, given);
}

/** The file at an address in base64; a file that is no address is taken as it is. */
async function fileAt(z: Z, { messages }: Pack, { name, label }: Field, given: unknown): Promise<unknown> {
	if (typeof given !== 'string' || !/^https?:\/\//i.test(given)) return given;
	let why: unknown;
	try {
		const answer = await z.request({ url: given, raw: true, skipThrowForStatus: true, size: MAX_FILE_BYTES });
		const content = Buffer.from(await answer.arrayBuffer()).toString('base64');
		if (answer.status < 300) return content;
		why = answer.status;
	} catch (error) {
		why = (error as Error).message;
	}
	throw problem(sayer(messages), 'input', 'zapier_file_not_fetched', { field: label, why }, { field: name, label });
}
