/** The rules that a manifest may state about its inputs. They run on exact values; what is absent says nothing. */

import type { Field, Inputs, Pack, Rule } from '../manifest/pack.ts';
import { fieldAt, valuesAt } from '../manifest/templates.ts';
import type { Finding } from '../messages.ts';
import { sentenceOf } from '../messages.ts';
import type { When } from '../values/dates.ts';
import { berlinDay, daysBetween } from '../values/dates.ts';
import { Exact, sum } from '../values/exact.ts';
import { blanks, dayText } from '../values/localize.ts';
import type { Row } from '../values/value_kinds.ts';
import { isEmpty, isObject, textOf } from '../values/value_kinds.ts';
import type { FileRule } from './files.ts';
import { misfitsOfFiles } from './files.ts';

const CENTS = 2;
/** Invisible characters, in ranges of code points. */
const INVISIBLE = ['0000-001F', '007F-00A0', '00AD', '200B-200F', '2028-202F', '2060-206F', 'FEFF', 'D800-DFFF'];

/** Findings by field; the label of the field is added to each. */
export interface Found {
	reason: string;
	field: string;
	values?: Row;
}

type Interpreter = (given: never, inputs: Inputs, about: About) => Found[];

const RULES: Record<string, Interpreter> = {
	any_of: (names: string[], inputs, { label }) => {
		if (names.some((name) => inputs[name] !== undefined)) return [];
		return [{ reason: 'missing', field: names[0] ?? '', values: { labels: names.map(label).join(', ') } }];
	},

	requires: ({ field, needs }: { field: string; needs: Row }, inputs, { label, shown }) => {
		if (inputs[field] === undefined) return [];
		const unmet = Object.entries(needs).filter(([name, value]) => textOf(inputs[name]) !== textOf(value));
		return unmet.map(([name, value]) => ({
			reason: 'other',
			field,
			values: { other: label(name), value: shown(name, value), given: shown(name, inputs[name]) },
		}));
	},

	order: ([one, other]: [string, string], inputs, { label, shownDay }) => {
		const [first, second] = [textOf(inputs[one]), textOf(inputs[other])];
		if (!first || !second || first <= second) return [];
		const values = {
			first_label: label(one),
			first: shownDay(first),
			second_label: label(other),
			second: shownDay(second),
			days: daysBetween(second, first),
		};
		return [{ reason: 'reversed', field: one, values }];
	},

	first_of_month: (field: string, inputs, { shownDay }) => {
		const given = textOf(inputs[field]);
		if (!given || given.endsWith('-01')) return [];
		const values = { given: shownDay(given), meant: shownDay(`${given.slice(0, -2)}01`) };
		return [{ reason: 'other_day', field, values }];
	},

	not_past: (field: string, inputs, { today, shownDay }) => {
		const given = textOf(inputs[field]);
		if (!given || given >= today) return [];
		return [{ reason: 'past', field, values: { given: shownDay(given), today: shownDay(today) } }];
	},

	sum: (rule: SumRule, inputs) => {
		const [amounts, total] = [amountsOf(rule, inputs), inputs[rule.equals]];
		if (!amounts.length || !(total instanceof Exact)) return [];
		const actualSum = sum(amounts);
		const difference = actualSum.minus(total);
		if (difference.units === 0n) return [];
		const turned = amounts.findIndex((amount) => amount.plus(amount).compare(difference) === 0);
		const values: Row = { count: amounts.length, currency: textOf(inputs[rule.currency ?? '']), line: turned + 1 };
		const written = { sum: actualSum, total, difference: difference.abs() };
		for (const [name, amount] of Object.entries(written)) values[name] = amount.withDecimals(CENTS);
		return [{ reason: turned < 0 ? 'differs' : 'sign', field: rule.equals, values }];
	},

	not_zero: (path: string, inputs) =>
		valuesAt(inputs, path)
			.filter(([, amount]) => amount instanceof Exact && amount.units === 0n)
			.map(([field]) => ({ reason: 'zero', field })),

	range: ({ field: path, ...bounds }: { field: string } & Bounds, inputs) =>
		valuesAt(inputs, path).flatMap(([field, value]) => {
			const [reason, limit] = value instanceof Exact ? (misfitOf(value, bounds) ?? []) : [];
			if (!reason || !limit || !(value instanceof Exact)) return [];
			const difference = value.minus(limit).abs().withDecimals(CENTS);
			return [{ reason, field, values: { value: value.withDecimals(CENTS), limit, difference } }];
		}),

	equals: ({ field, value }: { field: string; value: unknown }, inputs, { shown }) => {
		if (inputs[field] === undefined || textOf(inputs[field]) === textOf(value)) return [];
		return [{ reason: 'other', field, values: { given: shown(field, inputs[field]), value: shown(field, value) } }];
	},

	charset: ({ fields, ranges = [], signs = '' }: { fields: string[]; ranges?: string[]; signs?: string }, inputs) =>
		fields
			.flatMap((path) => valuesAt(inputs, path))
			.flatMap(([field, text]) => {
				const characters = [...textOf(text)];
				const fits = (sign: string): boolean => isAmong(sign, ranges) || signs.includes(sign);
				const index = characters.findIndex((sign) => isAmong(sign, INVISIBLE) || !fits(sign));
				const sign = characters[index];
				if (sign === undefined) return [];
				const code = `U+${codeOf(sign).toString(16).toUpperCase().padStart(4, '0')}`;
				const reason = isAmong(sign, INVISIBLE) ? 'invisible' : 'outside';
				return [{ reason, field, values: { sign, code, position: index + 1 } }];
			}),

	pattern: ({ field: path, match, not }: { field: string; match?: string; not?: string }, inputs) =>
		valuesAt(inputs, path)
			.map(([field, text]) => [field, textOf(text)] as const)
			.filter(([, text]) => (match && !new RegExp(match).test(text)) || (not && new RegExp(not).test(text)))
			.map(([field]) => ({ reason: 'misfit', field })),

	digits: ({ field, length: by, longer = 0 }: { field: string; length: string; longer?: number }, inputs) => {
		const [number, length] = [textOf(inputs[field]), Number(textOf(inputs[by]))];
		if (!number || inputs[by] === undefined) return [];
		const [digits, longest] = [number.length, length + longer];
		const difference = digits < length ? length - digits : digits - longest;
		const size = digits < length ? 'short' : digits > longest ? 'long' : '';
		const reason = !/^\d+$/.test(number) ? 'letters' : number.startsWith('0') ? 'first' : size;
		return reason ? [{ reason, field, values: { number, digits, length, longest, difference } }] : [];
	},

	at_most_one: ({ each, where }: { each: string; where: string }, inputs) => {
		const lines = Array.isArray(inputs[each]) ? inputs[each] : [];
		const set = lines.flatMap((line, index) => (isObject(line) && line[where] === true ? [index] : []));
		const [first, second] = set;
		if (first === undefined || second === undefined) return [];
		return [{ reason: 'several', field: `${each}[${second}].${where}`, values: { first: first + 1 } }];
	},

	file: (rule: FileRule, inputs, { pack }) => misfitsOfFiles(pack.file_kinds, rule, inputs),
};

interface SumRule {
	of: string;
	equals: string;
	derive?: boolean;
	currency?: string;
}

type Bounds = Partial<Record<'above' | 'least' | 'below' | 'most', unknown>>;

/** What rules may ask about fields. */
interface About {
	pack: Pack;
	label: (path: string) => string;
	/** A value as people read it: a choice by its label, an amount with its cents. */
	shown: (path: string, value: unknown) => unknown;
	/** The day in Berlin. */
	today: string;
	/** A day in the language of the pack. */
	shownDay: (iso: string) => string;
}

/** Adds the inputs that rules derive from others. */
export function derive(rules: Rule[], inputs: Inputs): Inputs {
	const derived = { ...inputs };
	for (const { sum: rule } of rules as Array<{ sum?: SumRule }>) {
		if (!rule?.derive || !isEmpty(derived[rule.equals])) continue;
		const amounts = amountsOf(rule, derived);
		if (amounts.length) derived[rule.equals] = sum(amounts);
	}
	return derived;
}

/** What the rules refuse, in their order, and the sentences of those that only warn. */
export function follow(
	pack: Pack,
	rules: Rule[],
	fields: Field[],
	inputs: Inputs,
	{ now }: When,
): { findings: Finding[]; warnings: string[] } {
	const label = (path: string): string => fieldAt(fields, path)?.label ?? path;
	const shownDay = (iso: string): string => dayText(iso, pack.lang);
	const shown = (path: string, value: unknown): unknown => {
		const choice = fieldAt(fields, path)?.values?.find((one) => one.value === textOf(value));
		return choice?.label ?? (value instanceof Exact ? value.withDecimals(CENTS) : textOf(value));
	};
	const about = { pack, label, shown, shownDay, today: berlinDay(now) };
	const [findings, warnings]: [Finding[], string[]] = [[], []];
	for (const { words = {}, warn, ...rule } of rules) {
		const [[name = '', given] = []] = Object.entries(rule);
		for (const found of RULES[name]?.(given as never, inputs, about) ?? []) {
			const values = blanks(found.values ?? {}, pack.lang);
			const told = { label: label(found.field), words: words[found.reason], values };
			const finding: Finding = { ...told, reason: `${name}.${found.reason}`, field: found.field };
			if (warn) warnings.push(sentenceOf(pack.messages, finding));
			else findings.push(finding);
		}
	}
	return { findings, warnings };
}

function amountsOf(rule: SumRule, inputs: Inputs): Exact[] {
	return valuesAt(inputs, rule.of).flatMap(([, amount]) => (amount instanceof Exact ? [amount] : []));
}

function misfitOf(value: Exact, bounds: Bounds): [reason: string, limit: Exact] | undefined {
	const [above, least, below, most] = [bounds.above, bounds.least, bounds.below, bounds.most].map(Exact.read);
	if (above && value.compare(above) <= 0) return ['too_small', above];
	if (least && value.compare(least) < 0) return ['too_small', least];
	if (below && value.compare(below) >= 0) return ['too_large', below];
	return most && value.compare(most) > 0 ? ['too_large', most] : undefined;
}

/** Ranges are written `0020-007E`, a single code point `20AC`. */
function isAmong(sign: string, ranges: string[]): boolean {
	return ranges.some((range) => {
		const [first = '', last = first] = range.split('-');
		return Number.parseInt(first, 16) <= codeOf(sign) && codeOf(sign) <= Number.parseInt(last, 16);
	});
}

function codeOf(sign: string): number {
	return sign.codePointAt(0) ?? 0;
}
