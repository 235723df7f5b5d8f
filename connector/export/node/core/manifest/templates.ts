/** Paths into rows, conditions on them, and templates that write them out. */

import { Exact } from '../values/exact.ts';
import { amountText, dayText, numberText } from '../values/localize.ts';
import type { Row } from '../values/value_kinds.ts';
import { isEmpty, isObject, textOf } from '../values/value_kinds.ts';
import type { Condition, Template } from './form.ts';
import type { Field, Inputs, Pack } from './pack.ts';

/** Decimals of codes without a smallest unit, such as metals. */
const WITHOUT_UNIT = 4;

/** What placeholders are filled from. */
export interface Source {
	row: unknown;
	/** `{$name}` */
	inputs?: Inputs;
	/** `{@name}` */
	own?: Row;
	/** Language, words and currencies; without it, values stand as they came. */
	pack?: Pick<Pack, 'lang' | 'tables' | 'words'>;
}

/** Every value at a path, with its place as people write it: `lines[].amount` gives `lines[0].amount` and so on. */
export function valuesAt(row: unknown, path: string): Array<[place: string, value: unknown]> {
	let values: Array<[string, unknown]> = [['', row]];
	for (const step of path.split('.')) {
		const name = step.replace(/\[\]$/, '');
		values = values.flatMap(([place, value]): Array<[string, unknown]> => {
			const inner = isObject(value) ? value[name] : undefined;
			const shown = place ? `${place}.${name}` : name;
			if (name === step) return inner === undefined ? [] : [[shown, inner]];
			return Array.isArray(inner) ? inner.map((one, index) => [`${shown}[${index}]`, one]) : [];
		});
	}
	return values;
}

/** The first value at a path; undefined when there is none. */
export function at(row: unknown, path: string): unknown {
	return valuesAt(row, path)[0]?.[1];
}

/** The field at a path of names, through lists. */
export function fieldAt(fields: Field[], path: string): Field | undefined {
	const [name, ...rest] = path.replace(/\[\d*\]/g, '').split('.');
	const field = fields.find((one) => one.name === name);
	return rest.length ? fieldAt(field?.fields ?? [], rest.join('.')) : field;
}

/** Whether a row meets a condition. Values are compared as text; an empty one equals nothing. */
export function holds(condition: Condition, row: unknown): boolean {
	if (Array.isArray(condition)) return condition.some((one) => holds(one, row));
	return Object.entries(condition).every(([path, wanted]) => {
		const values = valuesAt(row, path).filter(([, value]) => !isEmpty(value));
		if (wanted === '*') return values.length > 0;
		const texts = [wanted].flat().map(textOf);
		return values.some(([, value]) => texts.includes(textOf(value)) && textOf(value) !== '');
	});
}

/** A template written out; a list of templates is joined by commas, without the empty ones. */
export function render(template: Template, source: Source): string {
	if (Array.isArray(template)) {
		return template
			.map((one) => render(one, source))
			.filter(Boolean)
			.join(', ');
	}
	const filled = (text: string, onEmpty?: () => void): string =>
		text.replace(/\{([^{}]*)\}/g, (_, inner: string) => {
			const shown = placeholder(inner, source);
			if (!shown) onEmpty?.();
			return shown;
		});
	const parts = template.split(/\[([^[\]]*)\]/);
	return parts.map((part, index) => (index % 2 ? section(part, filled) : filled(part))).join('');
}

/** The first alternative that is not empty. */
function firstOf(alternatives: string, source: Source): unknown {
	return alternatives
		.split('|')
		.map((name) => lookUp(name, source))
		.find((value) => !isEmpty(value));
}

/** A section vanishes when a placeholder in it is empty. */
function section(text: string, filled: (text: string, onEmpty: () => void) => string): string {
	let vanishes = false;
	const shown = filled(text, () => {
		vanishes = true;
	});
	return vanishes ? '' : shown;
}

function placeholder(inner: string, source: Source): string {
	const [, alternatives = '', format, argument = ''] = /^([^:]*)(?::(\w+)(?:\(([^)]*)\))?)?$/.exec(inner) ?? [];
	const value = firstOf(alternatives, source);
	const text = textOf(value);
	if (format === 'last') return [...text].slice(-Number(argument)).join('');
	const { pack } = source;
	if (!pack) return text;
	if (format === 'money') return money(value, textOf(firstOf(argument, source)), pack);
	if (format === 'number') return numberText(Exact.read(value), pack.lang);
	if (format === 'word') return pack.words[argument]?.[text] ?? text;
	return format === 'day' ? dayText(text, pack.lang) : text;
}

function lookUp(name: string, { row, inputs, own }: Source): unknown {
	if (name.startsWith('$')) return at(inputs, name.slice(1));
	return name.startsWith('@') ? own?.[name.slice(1)] : at(row, name);
}

function money(value: unknown, currency: string, { lang, tables }: Pick<Pack, 'lang' | 'tables'>): string {
	const known = tables.currencies.find(({ code }) => code === currency.toUpperCase());
	const decimals = known ? (known.decimals ?? WITHOUT_UNIT) : 0;
	const amount = Exact.read(value);
	return amount ? `${amountText(amount, decimals, lang)} ${currency}`.trimEnd() : '';
}
