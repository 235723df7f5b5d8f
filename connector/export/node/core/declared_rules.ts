/** Checks a call to a declared path by the rules of the action that declares it; what is sent stays as it was given. */

import { readInputs } from './inputs.ts';
import type { Finding } from './messages.ts';
import { refusal } from './messages.ts';
import { follow } from './rules.ts';
import type { Field, Manifest, Pack, Row, When } from './types.ts';
import { isObject } from './values.ts';

/** Everything may be left out: what is needed, the service itself says. Names beyond the form are free. */
export function checkDeclared(
	pack: Pack,
	{ inputs: declared, rules = [] }: Manifest,
	query: Row,
	body: unknown,
	when: When,
): void {
	const fields = declared.map((field) => ({ ...field, required: false, list_required: false, default: undefined }));
	const raw: Row = {};
	for (const field of fields) {
		const isQuery = field.in === 'query';
		const sent = isQuery ? query : body;
		const value = isObject(sent) ? known(field, sent[field.as ?? field.name]) : undefined;
		if (!(isQuery && Array.isArray(value))) raw[field.name] = value;
	}
	const { inputs, findings } = readInputs(pack, fields, raw, when);
	refuse(pack, fields, findings);
	refuse(pack, fields, follow(pack, rules, fields, inputs, when).findings);
}

/** A value without the names that the form does not have. */
function known(field: Field, value: unknown): unknown {
	if (Array.isArray(value)) return value.map((one) => known(field, one));
	if (!isObject(value)) return value;
	return Object.fromEntries((field.fields ?? []).map((one) => [one.name, known(one, value[one.name])]));
}

function refuse({ messages }: Pack, fields: Field[], found: Finding[]): void {
	const [first, ...others] = found.map((finding) => {
		const name = /^[^.[]*/.exec(finding.field)?.[0];
		const place = fields.find((field) => field.name === name)?.in === 'query' ? 'query' : 'body';
		return { ...finding, field: `${place}.${finding.field}` };
	});
	if (first) throw refusal(messages, first, ...others);
}
