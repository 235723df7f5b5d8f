/** Everything that is said about inputs before a request is made: fields, derived values, rules, code. Pure. */

import { readInputs, underived } from './inputs.ts';
import type { Finding } from './messages.ts';
import { problem, refusal, sayer } from './messages.ts';
import { derive, follow } from './rules.ts';
import type { ActionCode, Inputs, Manifest, Pack, Refuse, Row, When } from './types.ts';

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
export function given(pack: Pack, { inputs: fields }: Manifest, raw: Row, when: When): Inputs {
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
