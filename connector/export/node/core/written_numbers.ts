/** Numbers as people write them: `1.234,50 €`, `41,65-`, `19 %`. Python reads and refuses the same notations. */

import { Exact } from './exact.ts';
import { Misfit } from './messages.ts';
import type { Pack } from './types.ts';

export const PERCENT = '%';
const SIGNS: Record<string, string> = { '€': 'EUR', $: 'USD', '£': 'GBP' };
/** A point and digits as machines write them, without the one form that people may mean differently: 1.234. */
const PLAIN =
	/^[+-]?(?:\d+|\d+\.(?:\d{1,2}|\d{4,})|0\d*\.\d{3}|\d+(?:\.\d+)?[eE][+-]?\d{1,4})$/;
const UNIT = '[€$£%]|[A-Za-z]{3}';
const WRITTEN = new RegExp(
	`^([+-])? ?(?:(${UNIT}) ?)?([+-])? ?([0-9](?:[0-9., ]*[0-9])?)(-)?(?: ?(${UNIT}))?$`,
);
const TWO_READINGS = /^([1-9]\d*)[.,](\d{3})$/;
const UNGROUPED = /^(\d+)(?:[.,](\d+))?$/;
const GROUPED = /^([1-9]\d{0,2}([., ])\d{3}(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;

/** A number and its unit: a currency code, a percent sign, or nothing. */
export interface Measured {
	number: Exact;
	unit: string;
}

/** Only a text is read as people write; a number is taken literally. */
export function readNumber(pack: Pack, value: unknown): Measured | Misfit {
	const text = typeof value === 'string' ? value.trim() : undefined;
	if (text === undefined || PLAIN.test(text)) return exact(value);
	const parts = WRITTEN.exec(text.replace(/[\u2212\u2013]/g, '-').replace(/[\u00a0\u202f\u2009]/g, ' '));
	const [, sign, front, inner, digits = '', behind, back] = parts ?? [];
	const [signs, units] = [[sign, inner, behind].filter(Boolean), [front, back].filter(Boolean)];
	const minus = signs[0] === '-' ? '-' : '';
	const plain = signs.length < 2 && units.length < 2 ? plainDigits(pack, digits, minus, text) : undefined;
	const unit = unitOf(pack, units[0] ?? '');
	if (plain instanceof Misfit) return plain;
	return exact(unit === undefined ? undefined : `${minus}${plain}`, unit);
}

function exact(value: unknown, unit = ''): Measured | Misfit {
	const number = Exact.read(value);
	return number ? { number, unit } : new Misfit('not_a_number');
}

/** The digits with a point before the decimals, and without groups. */
function plainDigits({ lang }: Pack, digits: string, minus: string, written: string): string | Misfit | undefined {
	const two = TWO_READINGS.exec(digits);
	if (two) {
		const [start, last] = [`${minus}${two[1]}`, two[2]];
		// Four decimals have one reading.
		const readings = { whole: `${start}${last}`, decimal: `${start}${lang === 'de' ? ',' : '.'}${last}0` };
		return new Misfit('number.two_readings', { written, ...readings });
	}
	const [, plain, decimals] = UNGROUPED.exec(digits) ?? [];
	if (plain) return decimals ? `${plain}.${decimals}` : plain;
	const [, groups, separator = '', rest] = GROUPED.exec(digits) ?? [];
	const whole = groups?.split(separator).join('');
	return rest ? `${whole}.${rest}` : whole;
}

function unitOf({ tables }: Pack, written: string): string | undefined {
	if (!written || written === PERCENT) return written;
	const code = SIGNS[written] ?? written.toUpperCase();
	return tables.currencies.some((one) => one.code === code) ? code : undefined;
}
