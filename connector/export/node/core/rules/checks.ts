/** Everything that is said about inputs before a request is made: fields, derived values, rules, code. Pure. */

import type { ActionCode, Refuse } from '../manifest/code.ts';
import { readInputs, underived } from '../manifest/inputs.ts';
import type { Field, Inputs, Manifest, Pack } from '../manifest/pack.ts';
import type { Finding } from '../messages.ts';
import { problem, refusal, sayer } from '../messages.ts';
import type { When } from '../values/dates.ts';
import type { Row } from '../values/value_kinds.ts';
import { isObject } from '../values/value_kinds.ts';
import { derive, follow } from './rules.ts';

const MARK_PREFIX = 'kontor_';

export interface Checked {
	inputs: Inputs;
	/** Sentences about what was read but looks unintended, and of rules that only warn. */
	warnings: string[];
}

/** The inputs as exact values; raises the refusal of what is wrong. */
export function checked(pack: Pack, manifest: Manifest, code: ActionCode | undefined, raw: Row, when: When): Checked {
	const { inputs: fields, rules = [] } = manifest;
	const { inputs: given, findings, warnings: noticed } = readInputs(pack, fields, raw, when);
	refuse(pack, findings);
	const inputs = derive(rules, given);
	refuse(pack, underived(fields, inputs));
	const { findings: refused, warnings } = follow(pack, rules, fields, inputs, when);
	refuse(pack, refused);
	code?.check?.(inputs, refuser(pack, manifest));
	refuseMarks(pack, manifest, inputs);
	return { inputs, warnings: [...noticed, ...warnings] };
}

/** The inputs without asking for those that are missing: what is pure does not need them all. */
export function readGiven(pack: Pack, { inputs: fields }: Manifest, raw: Row, when: When): Inputs {
	const { inputs, findings } = readInputs(pack, fields, raw, when);
	const wrong = findings.filter(({ reason }) => reason !== 'missing');
	refuse(pack, wrong);
	return inputs;
}

/** Names that are sent along to find a write again cannot be given. */
function refuseMarks({ messages }: Pack, { read_back: how }: Manifest, inputs: Inputs): void {
	const field = how?.key_field ?? '';
	const name = Object.keys(inputs[field] ?? {}).find((one) => one.toLowerCase().startsWith(MARK_PREFIX));
	if (name === undefined) return;
	const say = sayer(messages);
	const details = { outcome: 'not_sent', field, remedy: say('mark_reserved_remedy') } as const;
	throw problem(say, 'input', 'mark_reserved', { name, prefix: MARK_PREFIX }, details);
}

function refuse({ messages }: Pack, [first, ...others]: Finding[]): void {
	if (first) throw refusal(messages, first, ...others);
}

function refuser({ messages: all }: Pack, { id, messages = {}, inputs }: Manifest): Refuse {
	return (reason, field, values = {}) => {
		const words = messages[reason] ?? all[`${id}.${reason}`];
		const label = inputs.find(({ name }) => name === field)?.label;
		throw refusal(all, { reason, field, label, words, values });
	};
}

/**
 * Checks a call to a declared path by the rules of the action that declares it; what is sent stays as it was given.
 * Everything may be left out: what is needed, the service itself says. Names beyond the form are free.
 */
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
		const value = isObject(sent) ? declaredPart(field, sent[field.as ?? field.name]) : undefined;
		if (!(isQuery && Array.isArray(value))) raw[field.name] = value;
	}
	const { inputs, findings } = readInputs(pack, fields, raw, when);
	refuseDeclared(pack, fields, findings);
	refuseDeclared(pack, fields, follow(pack, rules, fields, inputs, when).findings);
}

/** A value without the names that the form does not have. */
function declaredPart(field: Field, value: unknown): unknown {
	if (Array.isArray(value)) return value.map((one) => declaredPart(field, one));
	if (!isObject(value)) return value;
	return Object.fromEntries((field.fields ?? []).map((one) => [one.name, declaredPart(one, value[one.name])]));
}

/** Refuses with the field named by where it was sent: `query.limit`. */
function refuseDeclared({ messages }: Pack, fields: Field[], found: Finding[]): void {
	const [first, ...others] = found.map((finding) => {
		const name = /^[^.[]*/.exec(finding.field)?.[0];
		const place = fields.find((field) => field.name === name)?.in === 'query' ? 'query' : 'body';
		return { ...finding, field: `${place}.${finding.field}` };
	});
	if (first) throw refusal(messages, first, ...others);
}
