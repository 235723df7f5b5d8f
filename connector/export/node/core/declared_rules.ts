/** Checks a call to a declared path by the rules of the action that declares it; what is sent stays as it was given. */

import { readInputs } from './inputs.ts';
import type { Finding } from './messages.ts';
import { refusal } from './messages.ts';
import { follow } from './rules.ts';
import type { Field, Manifest, Pack, Row } from './types.ts';
import { isObject } from './values.ts';

/** Everything may be left out: what is needed, the service itself says. Names beyond the form are free. */
export function checkDeclared(pack: Pack, { inputs: declared, rules = [] }: Manifest, query: Row, body: unknown): void {
	const fields = declared
		.filter((field) => !field.internal && (field.in === 'query' || field.in === 'body'))
		.map((field) => ({ ...field, required: false, list_required: false, default: undefined }));
	const raw: Row = {};
	for (const field of fields) {
		const isQuery = field.in === 'query';
		const value = field.as === null ? undefined : sentUnder(field.as ?? field.name, isQuery ? query : body);
		if (value === undefined || value === null || (isQuery && Array.isArray(value))) continue;
		raw[field.name] = known(field, value);
	}
	const { inputs, findings } = readInputs(pack, fields, raw);
	refuse(pack, fields, findings);
	refuse(pack, fields, follow(pack, rules, fields, inputs).findings);
}

function sentUnder(name: string, sent: unknown): unknown {
	return isObject(sent) && Object.hasOwn(sent, name) ? sent[name] : undefined;
}

/** A value without the names that the form does not have. */
function known(field: Field, value: unknown): unknown {
	const { fields = [] } = field;
	if (!fields.length) return value;
	if (Array.isArray(value)) return value.map((one) => known(field, one));
	if (!isObject(value)) return value;
	const kept = fields.filter(({ name }) => name in value).map((one) => [one.name, known(one, value[one.name])]);
	return Object.fromEntries(kept) as Row;
}

function refuse({ messages }: Pack, fields: Field[], found: Finding[]): void {
	const placed = found.map((finding) => {
		const name = /^[^.[]*/.exec(finding.field)?.[0];
		const place = fields.find((field) => field.name === name)?.in;
		return place ? { ...finding, field: `${place}.${finding.field}` } : finding;
	});
	const [first, ...others] = placed;
	if (first) throw refusal(messages, first, ...others);
}
