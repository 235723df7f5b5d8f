/** The inputs of a node: what stands in its form, or what a property, a variable or an expression gives. */

import type { Field } from '../../node/core/manifest/pack.ts';
import type { Say } from '../../node/core/messages.ts';
import { problem } from '../../node/core/messages.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import { isEmpty, isObject, textOf } from '../../node/core/values/value_kinds.ts';
import type { Message, Red, RedNode } from './red.ts';

/** A typed input, as the editor keeps it. */
export interface TypedInput {
	type?: string;
	value?: unknown;
}

export type TypedInputs = Record<string, TypedInput | undefined>;

/** Their text is the value: read by Node-RED, a number in JSON would lose its digits. */
const AS_WRITTEN = ['str', 'choice', 'json', 'bool', undefined];
const YES = /^(true|yes|ja|wahr|1)$/i;

/** The inputs for these fields; an expression that fails is told with the field that it stands in. */
export async function rawInputs(
	red: Red,
	node: RedNode,
	say: Say,
	fields: Field[],
	inputs: TypedInputs,
	message: Message,
): Promise<Row> {
	const raw: Row = {};
	for (const field of fields.filter(({ internal }) => !internal)) {
		const { name, label } = field;
		const given = await evaluated(red, node, inputs[name], message).catch(({ message: why }: Error) => {
			const details = { field: name, label, outcome: 'not_sent' } as const;
			throw problem(say, 'input', 'node_red_expression', { field: label, why }, details);
		});
		const value = filesRead(field, given);
		if (!isEmpty(value)) raw[name] = value;
	}
	return raw;
}

/** Undefined where nothing is entered. */
export async function evaluated(
	red: Red,
	node: RedNode,
	{ type, value }: TypedInput = {},
	message: Message,
): Promise<unknown> {
	if (AS_WRITTEN.includes(type) || isEmpty(value)) return value;
	return await new Promise((resolve, reject) => {
		red.util.evaluateNodeProperty(value, type ?? '', node, message, (error, found) => {
			if (error) reject(error instanceof Error ? error : new Error(textOf(error)));
			else resolve(found);
		});
	});
}

export function isYes(value: unknown): boolean {
	return YES.test(textOf(value));
}

/** With the content of files in base64, wherever the field has files. */
function filesRead({ type, fields = [] }: Field, value: unknown): unknown {
	if (Buffer.isBuffer(value)) return type === 'file' ? value.toString('base64') : value;
	if (!fields.length) return value;
	if (Array.isArray(value)) return value.map((line: unknown) => filesRead({ type, fields } as Field, line));
	if (!isObject(value)) return value;
	const known = (name: string): Field | undefined => fields.find((field) => field.name === name);
	const read = Object.entries(value).map(([name, inner]) => {
		const field = known(name);
		return [name, field ? filesRead(field, inner) : inner];
	});
	return Object.fromEntries(read);
}
