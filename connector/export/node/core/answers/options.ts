/** The options of a dropdown, made of the rows of a list, a table or a range of years. */

import type { Condition, OptionsSpec, Template } from '../manifest/form.ts';
import type { Inputs, Pack } from '../manifest/pack.ts';
import type { Source } from '../manifest/templates.ts';
import { at, holds, render } from '../manifest/templates.ts';
import { berlinDay } from '../values/dates.ts';
import type { Row } from '../values/value_kinds.ts';
import { isEmpty, isObject, textOf } from '../values/value_kinds.ts';
import { wrapped } from './answers.ts';

export interface Option {
	value: string;
	label: string;
	hint: string;
}

/** Which part of a list is wanted. */
export interface OptionsPart {
	search?: string | undefined;
	after?: string | undefined;
	limit?: number;
}

/** `next` is the value behind which the list goes on. */
export interface OptionsPage {
	options: Option[];
	next?: string;
}

/**
 * The options that contain every word of the search: at most `limit` of them, behind the value `after`. Undefined where
 * the list has no such value.
 */
export function pageOf(options: Option[], { search = '', after, limit }: OptionsPart): OptionsPage | undefined {
	const words = folded(search).split(/\s+/).filter(Boolean);
	const matching = options.filter(({ label, hint, value }) => {
		const text = folded(`${label} ${hint} ${value}`);
		return words.every((word) => text.includes(word));
	});
	const place = after === undefined ? 0 : matching.findIndex(({ value }) => value === after) + 1;
	if (after !== undefined && !place) return undefined;
	const page = matching.slice(place, limit === undefined ? undefined : place + limit);
	const last = page.at(-1)?.value;
	const isCut = place + page.length < matching.length;
	return { options: page, ...(isCut && last !== undefined ? { next: last } : {}) };
}

/** Without the difference of capitals, as Python compares. */
function folded(text: string): string {
	return text.toLowerCase().replaceAll('ß', 'ss');
}

/** The rows that need no request; undefined when the service has them. */
export function ownRows({ table, years }: OptionsSpec, pack: Pack, now: number): Row[] | undefined {
	if (years) {
		const step = years.from <= years.to ? 1 : -1;
		const today = Number(berlinDay(now).slice(0, 4));
		return Array.from({ length: Math.abs(years.to - years.from) + 1 }, (_, index) => {
			const year = String(today + years.from + index * step);
			return { year, start: `${year}-01-01`, end: `${year}-12-31` };
		});
	}
	if (table === undefined || Array.isArray(table)) return table;
	// Metals and test codes have no smallest unit, and nobody means them.
	return pack.tables.currencies.filter(({ decimals }) => decimals !== null).map((one) => ({ ...one }));
}

export function optionsOf(spec: OptionsSpec, items: unknown[], pack: Pack, inputs: Inputs): Option[] {
	const source = (row: Row): Source => ({ row, inputs, pack });
	const rows = wrapped(items, spec.wrap).filter(isObject);
	const valued = rows.map((row): [string, Row] => [valueOf(spec, row), row]);
	const withValue = valued.filter(([value]) => value !== '');
	const lines = (spec.distinct ? merged(withValue) : withValue).map(([value, row]) => {
		const label = render(asTemplate(spec.label ?? ''), source(row)) || value;
		return { row, option: { value, label, hint: render(asTemplate(spec.hint ?? ''), source(row)) } };
	});
	const keys = lines.map((line) => ({ line, key: (spec.sort ?? []).map((one) => sortKey(one, line)) }));
	return keys.sort((one, other) => compare(one.key, other.key)).map(({ line }) => line.option);
}

/** Rows of the same value as one; of each field the first that is not empty. */
function merged(rows: Array<[value: string, row: Row]>): Array<[string, Row]> {
	const byValue = new Map<string, Row>();
	for (const [value, row] of rows) {
		const filled = Object.entries(byValue.get(value) ?? {}).filter(([, one]) => !isEmpty(one));
		byValue.set(value, { ...row, ...Object.fromEntries(filled) });
	}
	return [...byValue];
}

/** The first alternative that has a text. */
function valueOf({ value }: OptionsSpec, row: Row): string {
	const texts = value.split('|').map((path) => textOf(at(row, path)));
	return texts.find(Boolean) ?? '';
}

/** A text without braces is a path. */
function asTemplate(template: Template): Template {
	return Array.isArray(template) || template.includes('{') ? template : `{${template}}`;
}

type Line = { row: Row; option: Option };

/** Begins with 0 what comes first, and with 1 what comes last. */
function sortKey(by: string | { first: Condition }, { row, option }: Line): string {
	if (typeof by !== 'string') return holds(by.first, row) ? '0' : '1';
	const value = by === 'label' || by === 'value' ? option[by] : at(row, by);
	return isEmpty(value) ? '1' : `0${textOf(value).toLowerCase()}`;
}

function compare(one: string[], other: string[]): number {
	const index = one.findIndex((key, place) => key !== other[place]);
	return index < 0 ? 0 : one[index]! < other[index]! ? -1 : 1;
}
