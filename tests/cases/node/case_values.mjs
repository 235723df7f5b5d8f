/** Values of cases: tagged JSON as JavaScript has it, and back (`tests/cases/README.md`). */

import { createHash } from 'node:crypto';

/** Of a text beyond so many characters, its SHA-256 is told. */
const LONG = 10_000;

export function sha256(text) {
	return createHash('sha256').update(text).digest('hex');
}

/** An object in an object, so many levels deep. */
function deep(levels) {
	return levels > 1 ? { a: deep(levels - 1) } : {};
}

/** Reads and writes tagged values; `Exact` is the core's class of exact numbers. */
export class Values {
	constructor(Exact) {
		this.Exact = Exact;
		this.tags = {
			$number: (text) => Exact.parse(text),
			$platform_number: Number,
			$date: (text) => text,
			$platform_date: (text) => new Date(text),
			$luxon: (text) => ({ toISO: () => text }),
			$bytes: (base64) => base64,
			$null: () => null,
			$signs: (codes) => String.fromCodePoint(...codes.split(' ').map((one) => Number.parseInt(one, 16))),
			$deep: ({ $number: levels }) => deep(Number(levels)),
			$repeat: (parts) => this.repeated(parts),
			$rows: (parts) => this.rows(parts),
		};
	}

	/** A tagged value as JavaScript has it. */
	decoded(value) {
		if (Array.isArray(value)) return value.map((one) => this.decoded(one));
		if (value === null || typeof value !== 'object') return value;
		const [[tag = '', inner] = []] = Object.entries(value);
		if (Object.hasOwn(this.tags, tag)) return this.tags[tag](inner);
		return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.decoded(one)]));
	}

	/** A value of JavaScript as tagged JSON. */
	encoded(value) {
		if (value instanceof this.Exact || typeof value === 'number' || typeof value === 'bigint') {
			return { $number: String(value) };
		}
		if (typeof value === 'string' && value.length > LONG) return { $long: sha256(value) };
		if (Array.isArray(value)) return value.map((one) => this.encoded(one));
		if (value === null || typeof value !== 'object') return value;
		return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.encoded(one)]));
	}

	repeated([head, piece, { $number: times }]) {
		if (typeof head === 'string') return head + piece.repeat(Number(times));
		return [...this.decoded(head), ...Array.from({ length: Number(times) }, () => this.decoded(piece))];
	}

	rows([{ $number: first }, { $number: last }, like]) {
		const [length, step] = [Math.abs(last - first) + 1, Math.sign(last - first)];
		return Array.from({ length }, (_, index) => ({ id: String(Number(first) + index * step), ...this.decoded(like) }));
	}
}
