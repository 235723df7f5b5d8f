/** Numbers as people write them: `1.234,50 €`, `41,65-`, `19 %`. Python reads and refuses the same notations. */

import { Exact } from './exact.ts';
import { Misfit } from './value_kinds.ts';

export interface Currency {
	code: string;
	name: string;
	unit: string | null;
	/** Null where none are defined, as for metals; options leave these out. */
	decimals: number | null;
}

/** How many decimals a currency has; those that have none defined are not bounded in practice. */
export function minorUnits(currencies: Currency[], currency: string): number {
	return currencies.find(({ code }) => code === currency)?.decimals ?? 4;
}

export const PERCENT = '%';
const SIGNS: Record<string, string> = { '€': 'EUR', $: 'USD', '£': 'GBP' };
/** A point and digits as machines write them, without the one form that people may mean differently: 1.234. */
const PLAIN =
	/^[+-]?(?:\d+|\d+\.(?:\d{1,2}|\d{4,})|0\d*\.\d{3})$/;
const EXPONENT = /^[+-]?\d+(?:[.,]\d+)?[eE][+-]?\d{1,4}$/;
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

/** A notation that is not taken for a number, and the numbers that may be meant by it. */
export class Misread extends Misfit {
	private readonly written: string;
	private readonly meant: Exact[];

	constructor(written: string, meant: Exact[]) {
		super('not_a_number');
		this.written = written;
		this.meant = meant;
	}

	/**
	 * The refusal that shows what the field itself takes: to the cent where it is an amount of a currency. Undefined
	 * where it takes none of them.
	 */
	shown(decimals: number | undefined, fits: (number: Exact) => boolean): Misfit | undefined {
		const isMeant = (one: Exact): boolean => this.meant.some((other) => other.compare(one) === 0);
		const rounded = this.meant.map((one) => (decimals === undefined ? one : one.rounded(decimals)));
		const [first, second] = rounded.filter((one) => fits(one) && (decimals !== 0 || isMeant(one)));
		const { written } = this;
		if (!first) return undefined;
		if (!second) return new Misfit('number.misreadable', { written, meant: first });
		const name = isMeant(second) ? 'number.two_readings' : 'number.two_readings_rounded';
		return new Misfit(name, { written, whole: first, decimal: second });
	}
}

/** Only a text is read as people write; a number is taken literally. */
export function readNumber(currencies: Currency[], value: unknown): Measured | Misfit {
	const text = typeof value === 'string' ? value.trim() : undefined;
	if (text === undefined || PLAIN.test(text)) return exact(value);
	if (EXPONENT.test(text)) return misread(text, [text.replace(',', '.')]);
	const parts = WRITTEN.exec(text.replace(/[\u2212\u2013]/g, '-').replace(/[\u00a0\u202f\u2009]/g, ' '));
	const [, sign, front, inner, digits = '', behind, back] = parts ?? [];
	const [signs, units] = [[sign, inner, behind].filter(Boolean), [front, back].filter(Boolean)];
	const minus = signs[0] === '-' ? '-' : '';
	const plain = signs.length < 2 && units.length < 2 ? plainDigits(digits, minus, text) : undefined;
	const unit = unitOf(currencies, units[0] ?? '');
	if (plain instanceof Misfit) return plain;
	return exact(unit === undefined ? undefined : `${minus}${plain}`, unit);
}

function exact(value: unknown, unit = ''): Measured | Misfit {
	const number = Exact.read(value);
	return number ? { number, unit } : new Misfit('not_a_number');
}

function misread(written: string, meant: string[]): Misfit {
	const numbers = meant.map(Exact.read);
	return new Misread(written, numbers.filter((one) => one !== undefined));
}

/** The digits with a point before the decimals, and without groups. */
function plainDigits(digits: string, minus: string, written: string): string | Misfit | undefined {
	const two = TWO_READINGS.exec(digits);
	if (two) return misread(written, ['', '.'].map((mark) => `${minus}${two[1]}${mark}${two[2]}`));
	const [, plain, decimals] = UNGROUPED.exec(digits) ?? [];
	if (plain) return decimals ? `${plain}.${decimals}` : plain;
	const [, groups, separator = '', rest] = GROUPED.exec(digits) ?? [];
	const whole = groups?.split(separator).join('');
	return rest ? `${whole}.${rest}` : whole;
}

function unitOf(currencies: Currency[], written: string): string | undefined {
	if (!written || written === PERCENT) return written;
	const code = SIGNS[written] ?? written.toUpperCase();
	return currencies.some((one) => one.code === code) ? code : undefined;
}
