/** Numbers to the digit, never by way of doubles. */

const NUMBER = /^([+-]?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,4}))?$/;
const MAX_DIGITS = 34;
const MAX_EXPONENT = 30;
/** Beyond it every reader that uses doubles would see infinity or zero. */
const MAX_JSON_EXPONENT = 308;

/** A decimal number: `units` divided by ten to the power of `scale`. `952.00` keeps its zeros. */
export class Exact {
	readonly units: bigint;
	readonly scale: number;

	constructor(units: bigint, scale = 0) {
		this.units = units;
		this.scale = scale;
	}

	/** Any number that JSON may hold; undefined when it is none, or beyond reason. */
	static parse(text: string): Exact | undefined {
		const match = NUMBER.exec(text);
		if (!match) return undefined;
		const [, sign, whole, fraction = '', power = '0'] = match;
		const exponent = Number(power) - fraction.length;
		const digits = (whole + fraction).replace(/^0+(?=[0-9])/, '');
		if (digits !== '0' && Math.abs(digits.length - 1 + exponent) > MAX_JSON_EXPONENT) return undefined;
		const units = BigInt(sign === '-' ? `-${digits}` : digits);
		if (exponent <= 0) return new Exact(units, Math.min(-exponent, MAX_JSON_EXPONENT * 2));
		return new Exact(units === 0n ? 0n : units * 10n ** BigInt(exponent));
	}

	/** An amount as text, a number or an exact one; undefined when it is none, or has more digits than amounts have. */
	static read(value: unknown): Exact | undefined {
		const exact = value instanceof Exact ? value : isWritten(value) ? Exact.parse(String(value).trim()) : undefined;
		if (!exact) return undefined;
		const digits = String(exact.abs().units);
		const size = digits.length - 1 - exact.scale;
		const fits = digits.length <= MAX_DIGITS && Math.abs(size) <= MAX_EXPONENT;
		return fits || exact.units === 0n ? exact : undefined;
	}

	plus(other: Exact): Exact {
		const scale = Math.max(this.scale, other.scale);
		return new Exact(this.unitsAt(scale) + other.unitsAt(scale), scale);
	}

	minus(other: Exact): Exact {
		return this.plus(new Exact(-other.units, other.scale));
	}

	abs(): Exact {
		return this.units < 0n ? new Exact(-this.units, this.scale) : this;
	}

	/** Below 0, 0 or above 0, as this number is smaller, equal or larger. */
	compare(other: Exact): number {
		const difference = this.minus(other).units;
		return difference < 0n ? -1 : difference > 0n ? 1 : 0;
	}

	/** The same number without zeros at the end. */
	bare(): Exact {
		let { units, scale } = this;
		while (scale > 0 && units % 10n === 0n) {
			units /= 10n;
			scale -= 1;
		}
		return new Exact(units, scale);
	}

	/** The same number, written with at least so many decimals. */
	withDecimals(least: number): Exact {
		return this.scale < least ? new Exact(this.unitsAt(least), least) : this;
	}

	/** The number with exactly so many decimals, rounded as on an invoice. */
	rounded(decimals: number): Exact {
		if (this.scale <= decimals) return this.withDecimals(decimals);
		const unit = 10n ** BigInt(this.scale - decimals);
		const { units } = this.abs();
		const rounded = (units + unit / 2n) / unit;
		return new Exact(this.units < 0n ? -rounded : rounded, decimals);
	}

	/** In plain digits, without an exponent. */
	toString(): string {
		const digits = String(this.abs().units).padStart(this.scale + 1, '0');
		const point = digits.length - this.scale;
		const sign = this.units < 0n ? '-' : '';
		return sign + digits.slice(0, point) + (this.scale ? `.${digits.slice(point)}` : '');
	}

	/** As a platform can hold it: a number where a double holds it unchanged, else text. */
	toJSON(): number | string {
		const text = this.toString();
		const held = Exact.parse(String(Number(text)));
		return held?.compare(this) === 0 ? Number(text) : text;
	}

	private unitsAt(scale: number): bigint {
		return this.units * 10n ** BigInt(scale - this.scale);
	}
}

export const ZERO = new Exact(0n);

export function sum(numbers: Exact[]): Exact {
	return numbers.reduce((total, one) => total.plus(one), ZERO);
}

function isWritten(value: unknown): boolean {
	return typeof value === 'string' || typeof value === 'number';
}
