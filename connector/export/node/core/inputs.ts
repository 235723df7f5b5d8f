/** Checks the inputs of a step against its fields, and makes exact values of them. */

import { converted } from './converters.ts';
import { Exact } from './exact.ts';
import { minorUnits } from './formats.ts';
import type { Finding } from './messages.ts';
import { Misfit } from './messages.ts';
import { valuesAt } from './templates.ts';
import type { Field, Inputs, Pack, Row } from './types.ts';
import { isEmpty, isObject, textOf } from './values.ts';

const MAX_ITEMS = 1000;
const USUAL_CURRENCY = 'EUR';

/** The inputs as far as they can be read, and everything that is wrong with them, in the order of the fields. */
export function readInputs(pack: Pack, fields: Field[], raw: unknown): { inputs: Inputs; findings: Finding[] } {
	const findings: Finding[] = [];
	if (!isObject(raw)) {
		findings.push({ reason: 'inputs_not_an_object', field: 'inputs', values: {} });
		return { inputs: {}, findings };
	}
	const inputs = new Reading(pack, findings).object(fields, raw, '');
	if (!findings.length) findings.push(...excessDecimals(pack, fields, inputs));
	return { inputs, findings };
}

/** The inputs that a rule could have derived, and none has. */
export function underived(fields: Field[], inputs: Inputs): Finding[] {
	const absent = fields.filter((field) => field.derived && field.required && inputs[field.name] === undefined);
	return absent.map(({ name, label }) => ({ reason: 'missing', field: name, label, values: {} }));
}

/** The field at a path of names, through lists. */
export function fieldAt(fields: Field[], path: string): Field | undefined {
	const [name, ...rest] = path.replace(/\[\d*\]/g, '').split('.');
	const field = fields.find((one) => one.name === name);
	return rest.length ? fieldAt(field?.fields ?? [], rest.join('.')) : field;
}

class Reading {
	private readonly pack: Pack;
	private readonly findings: Finding[];

	constructor(pack: Pack, findings: Finding[]) {
		this.pack = pack;
		this.findings = findings;
	}

	/** An empty text or null, which fits no field, means that nothing was entered. */
	object(fields: Field[], raw: Row, above: string): Inputs {
		const found: Inputs = {};
		for (const field of fields) {
			const names = [field.name, ...(field.aliases ?? [])];
			const value = names.map((name) => raw[name]).find((one) => !isEmpty(one)) ?? field.default;
			const read = isEmpty(value) ? this.absent(field, above) : this.value(field, value, above + field.name);
			if (read !== undefined) found[field.name] = read;
		}
		const known = new Set(fields.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]));
		for (const name of Object.keys(raw).filter((one) => !known.has(one) && !isEmpty(raw[one]))) {
			this.findings.push({ reason: 'unknown_input', field: above + name, values: {} });
		}
		return found;
	}

	private absent(field: Field, above: string): undefined {
		const needed = (field.required || field.list_required) && !field.derived;
		if (needed) this.wrong(field, above + field.name, 'missing');
	}

	private value(field: Field, value: unknown, place: string): unknown {
		if (field.type === 'list') return this.list(field, value, place);
		if (field.type === 'object' && field.fields?.length) return this.entry(field, value, place);
		const found = converted(this.pack, field, value);
		return found instanceof Misfit ? this.wrong(field, place, found.reason, found.values) : found;
	}

	private list(field: Field, value: unknown, place: string): unknown {
		if (!Array.isArray(value)) return this.wrong(field, place, 'not_a_list');
		if (!value.length && field.list_required) return this.wrong(field, place, 'list_empty');
		if (value.length > MAX_ITEMS) return this.wrong(field, place, 'list_too_long', { most: MAX_ITEMS });
		return value.map((line, index) => this.entry(field, line, `${place}[${index}]`));
	}

	private entry(field: Field, value: unknown, place: string): unknown {
		if (!isObject(value)) return this.wrong(field, place, 'not_an_object');
		return this.object(field.fields ?? [], value, `${place}.`);
	}

	private wrong({ label }: Field, field: string, reason: string, values: Row = {}): undefined {
		this.findings.push({ reason, field, label, values });
	}
}

/** Amounts with more decimals than their currency has. */
function excessDecimals(pack: Pack, fields: Field[], inputs: Inputs): Finding[] {
	return amountFields(fields, '').flatMap(([path, { currency_field, label }]) => {
		const currency = textOf(inputs[currency_field ?? '']) || USUAL_CURRENCY;
		const decimals = minorUnits(pack, currency);
		return valuesAt(inputs, path).flatMap(([field, amount]) => {
			if (!(amount instanceof Exact) || amount.bare().scale <= decimals) return [];
			return [{ reason: 'too_many_decimals', field, label, values: { amount, currency, decimals } }];
		});
	});
}

function amountFields(fields: Field[], above: string): Array<[path: string, field: Field]> {
	return fields.flatMap((field): Array<[string, Field]> => {
		const path = above + field.name;
		const below = amountFields(field.fields ?? [], `${path}${field.type === 'list' ? '[]' : ''}.`);
		return field.currency_field ? [[path, field], ...below] : below;
	});
}
