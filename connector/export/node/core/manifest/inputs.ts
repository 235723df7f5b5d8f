/** Checks the inputs of a step against its fields, and makes exact values of them. */

import type { Finding } from '../messages.ts';
import { fill } from '../messages.ts';
import type { When } from '../values/dates.ts';
import { Exact } from '../values/exact.ts';
import { blanks } from '../values/localize.ts';
import type { Row } from '../values/value_kinds.ts';
import { isEmpty, isObject, Misfit } from '../values/value_kinds.ts';
import { minorUnits } from '../values/written_numbers.ts';
import { converted, currencyOf, jsonIn } from './converters.ts';
import type { Field, Inputs, Pack } from './pack.ts';
import { valuesAt } from './templates.ts';

const MAX_ITEMS = 1000;

export interface Reading {
	/** As far as they can be read. */
	inputs: Inputs;
	/** Everything that is wrong with them, in the order of the fields. */
	findings: Finding[];
	/** Sentences about what was read but looks unintended. */
	warnings: string[];
}

export function readInputs(pack: Pack, fields: Field[], raw: unknown, when: When): Reading {
	const [findings, warnings]: [Finding[], string[]] = [[], []];
	if (!isObject(raw)) {
		findings.push({ reason: 'inputs_not_an_object', field: 'inputs', values: {} });
		return { inputs: {}, findings, warnings };
	}
	const given = filledIn(fields, raw);
	const inputs = new Reader(pack, given, when, findings, warnings).object(fields, given, '');
	if (!findings.length) findings.push(...excessDecimals(pack, fields, inputs));
	return { inputs, findings, warnings };
}

/** The inputs that a rule could have derived, and none has. */
export function underived(fields: Field[], inputs: Inputs): Finding[] {
	const absent = fields.filter((field) => field.derived && field.required && inputs[field.name] === undefined);
	return absent.map(({ name, label }) => ({ reason: 'missing', field: name, label, values: {} }));
}

/** Without what is blank, and with JSON texts read: nulls, texts of blanks, objects and lines with nothing in them. */
function filledIn(fields: Field[], raw: Row): Row {
	const known = (name: string): Field | undefined =>
		fields.find((field) => field.name === name || field.aliases?.includes(name));
	const filled = Object.entries(raw).map(([name, value]) => [name, filledValue(value, known(name))] as const);
	return Object.fromEntries(filled.filter(([, value]) => !isEmpty(value)));
}

function filledValue(given: unknown, { type, fields = [] }: Partial<Field> = {}): unknown {
	if (typeof given === 'string' && !given.trim()) return undefined;
	const value = fields.length ? jsonIn(given) : given;
	if (!fields.length || value instanceof Misfit || !(isObject(value) || Array.isArray(value))) return value;
	const entries = [value].flat().map((one: unknown) => (isObject(one) ? filledIn(fields, one) : one));
	const filled = entries.filter((one) => !isEmpty(one) && !(isObject(one) && !Object.keys(one).length));
	if (type === 'list') return filled.length || (Array.isArray(value) && !value.length) ? filled : undefined;
	return Array.isArray(value) ? value : filled[0];
}

class Reader {
	private readonly pack: Pack;
	private readonly all: Row;
	private readonly when: When;
	private readonly findings: Finding[];
	private readonly warnings: string[];

	constructor(pack: Pack, all: Row, when: When, findings: Finding[], warnings: string[]) {
		this.pack = pack;
		this.all = all;
		this.when = when;
		this.findings = findings;
		this.warnings = warnings;
	}

	object(fields: Field[], raw: Row, above: string): Inputs {
		const inputs: Inputs = {};
		for (const field of fields) {
			const names = [field.name, ...(field.aliases ?? [])];
			const value = names.map((name) => raw[name]).find((one) => !isEmpty(one)) ?? field.default;
			const read = isEmpty(value) ? this.absent(field, above) : this.value(field, value, above + field.name);
			if (read !== undefined) inputs[field.name] = read;
		}
		const known = new Set(fields.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]));
		for (const name of Object.keys(raw).filter((one) => !known.has(one))) {
			this.findings.push({ reason: 'unknown_input', field: above + name, values: {} });
		}
		return inputs;
	}

	private absent(field: Field, above: string): undefined {
		const needed = (field.required || field.list_required) && !field.derived;
		if (needed) this.wrong(field, above + field.name, 'missing');
	}

	private value(field: Field, value: unknown, place: string): unknown {
		if (value instanceof Misfit) return this.wrong(field, place, value.reason, value.values);
		if (field.type === 'list') return this.list(field, value, place);
		if (field.type === 'object' && field.fields?.length) return this.entry(field, value, place);
		const { messages } = this.pack;
		const notice = (warning: string, values: Row): void => {
			this.warnings.push(fill(messages[warning] ?? warning, { field: field.label, ...values }));
		};
		const exact = converted(this.pack, field, value, this.all, this.when, notice);
		return exact instanceof Misfit ? this.wrong(field, place, exact.reason, exact.values) : exact;
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
		this.findings.push({ reason, field, label, values: blanks(values, this.pack.lang) });
	}
}

/** Amounts with more decimals than their currency has. */
function excessDecimals(pack: Pack, fields: Field[], inputs: Inputs): Finding[] {
	return amountFields(fields, '').flatMap(([path, amountField]) => {
		const [{ label }, currency] = [amountField, currencyOf(pack, amountField, inputs)];
		const decimals = minorUnits(pack.tables.currencies, currency);
		return valuesAt(inputs, path).flatMap(([field, amount]) => {
			if (!(amount instanceof Exact) || amount.bare().scale <= decimals) return [];
			const values = blanks({ amount, currency, decimals }, pack.lang);
			return [{ reason: 'too_many_decimals', field, label, values }];
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
