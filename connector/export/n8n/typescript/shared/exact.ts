/**
 * Numbers to the digit. n8n works with doubles, which hold 15 digits: a number that a double cannot hold arrives as
 * text, and an amount that was typed leaves as the JSON number that it says.
 */

const NUMBER = /^([+-]?)0*([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,4}))?$/;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;
const MOST_DIGITS = 34;
const MOST_EXPONENT = 30;

/** A decimal number: `units` divided by ten to the power of `scale`. */
export class Exact {
	constructor(
		readonly units: bigint,
		readonly scale: number,
	) {}

	/** Reads a number, or gives undefined when it is none. */
	static read(value: unknown): Exact | undefined {
		if (value instanceof Exact) return value;
		if (typeof value !== 'string' && typeof value !== 'number') return undefined;
		const found = NUMBER.exec(String(value).trim());
		if (!found) return undefined;
		const [, sign, whole, fraction = '', power = '0'] = found;
		const exponent = Number(power) - fraction.length;
		const digits = whole + fraction;
		if (digits.replace(/^0+/, '').length > MOST_DIGITS || Math.abs(exponent) > MOST_EXPONENT) return undefined;
		const units = BigInt(`${sign === '-' ? '-' : ''}${digits}`);
		return exponent > 0 ? new Exact(units * 10n ** BigInt(exponent), 0) : new Exact(units, -exponent);
	}

	plus(other: Exact): Exact {
		const scale = Math.max(this.scale, other.scale);
		return new Exact(this.at(scale) + other.at(scale), scale);
	}

	minus(other: Exact): Exact {
		return this.plus(new Exact(-other.units, other.scale));
	}

	abs(): Exact {
		return this.units < 0n ? new Exact(-this.units, this.scale) : this;
	}

	/** Below 0, 0 or above 0, as this number is smaller, equal or larger. */
	compare(other: Exact): number {
		const scale = Math.max(this.scale, other.scale);
		const difference = this.at(scale) - other.at(scale);
		return difference < 0n ? -1 : difference > 0n ? 1 : 0;
	}

	/** How many decimals it needs, without zeros at the end. */
	decimals(): number {
		return this.bare().scale;
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

	toString(): string {
		const digits = (this.units < 0n ? -this.units : this.units).toString().padStart(this.scale + 1, '0');
		const whole = digits.slice(0, digits.length - this.scale);
		const sign = this.units < 0n ? '-' : '';
		return this.scale ? `${sign}${whole}.${digits.slice(digits.length - this.scale)}` : `${sign}${whole}`;
	}

	private at(scale: number): bigint {
		return this.units * 10n ** BigInt(scale - this.scale);
	}
}

export const ZERO = new Exact(0n, 0);

/** Reads JSON; a number that a double would change becomes text. */
export function readJson(text: string): unknown {
	return JSON.parse(text.replace(TOKENS, (token) => (token.startsWith('"') || fits(token) ? token : `"${token}"`)));
}

/** Writes JSON; exact numbers become numbers to the digit. */
export function writeJson(value: unknown): string {
	if (value instanceof Exact) return value.toString();
	if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
	if (value !== null && typeof value === 'object') {
		const inner = Object.entries(value).filter(([, one]) => one !== undefined);
		return `{${inner.map(([name, one]) => `${JSON.stringify(name)}:${writeJson(one)}`).join(',')}}`;
	}
	return JSON.stringify(value) ?? 'null';
}

/** The same value for n8n's own use: an exact number as a number where that changes nothing, else as text. */
export function plain(value: unknown): unknown {
	if (value instanceof Exact) return fits(value.toString()) ? Number(value.toString()) : value.toString();
	if (Array.isArray(value)) return value.map(plain);
	if (value !== null && typeof value === 'object') {
		return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
	}
	return value;
}

function fits(token: string): boolean {
	const number = Number(token);
	if (!Number.isFinite(number)) return false;
	if (Number.isSafeInteger(number) && String(number) === token) return true;
	const [written, held] = [Exact.read(token), Exact.read(number)];
	return written !== undefined && held !== undefined && written.compare(held) === 0;
}
