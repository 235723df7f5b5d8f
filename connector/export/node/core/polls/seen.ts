/**
 * Fires every row of a list without an order once, when its id first stands there, oldest first.
 *
 * The cursor is `s:` and 11 characters of base64url per id: the first 66 bits of its SHA-256. Ids are never forgotten,
 * so that a list that comes back shorter makes nothing fire again. Older packages wrote `k:` and plain base64.
 */

import type { Seen } from '../manifest/form.ts';
import { at } from '../manifest/templates.ts';
import { milliseconds } from '../values/dates.ts';
import { Exact } from '../values/exact.ts';
import type { Row } from '../values/value_kinds.ts';
import { numberOf, textOf } from '../values/value_kinds.ts';
import { NoCursor } from './cursor.ts';
import { firstId } from './page.ts';
import type { Strategy } from './strategy.ts';
import { asksNothing } from './strategy.ts';

const FORM = /^[ks]:((?:[A-Za-z0-9+/_-]{11})*)$/;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const SIGNS = 11;

export const seen: Strategy<Seen> = {
	byNumber: false,

	asks: asksNothing,

	turn(spec, page, { cursor, start, sha256 }) {
		const known = digestsIn(cursor);
		const fresh = [...rowsById(page.rows)].filter(([id]) => !known.has(digest(id, sha256)));
		const fires = cursor === undefined ? fresh.filter(([id]) => isAfter(id, start)) : fresh;
		for (const [id] of fresh) known.add(digest(id, sha256));
		return { items: oldestFirst(spec, fires), cursor: `s:${[...known].join('')}` };
	},

	stateless: (spec, rows, context) => seen.turn(spec, { rows, cut: false }, context).items.reverse(),
};

/** Whether a first poll fires it. Since an id: only ids that are numbers can be later than it. */
function isAfter(id: string, start: string): boolean {
	const [first, number] = [firstId(start), numberOf(id)];
	return start === 'all' || (first !== undefined && number !== undefined && number > first);
}

function rowsById(rows: Row[]): Map<string, Row> {
	return new Map(rows.map((row): [string, Row] => [idOf(row), row]).filter(([id]) => id));
}

/** A text or a whole number; anything else is no id. */
function idOf({ id }: Row): string {
	return typeof id === 'string' || (id instanceof Exact && id.scale === 0) ? textOf(id) : '';
}

function oldestFirst({ order }: Seen, rows: Array<[id: string, row: Row]>): Row[] {
	const came = (row: Row): number => milliseconds(order && at(row, order)) ?? Number.MAX_SAFE_INTEGER;
	return [...rows].sort(([, one], [, other]) => came(one) - came(other)).map(([id, row]) => ({ ...row, _id: id }));
}

function digestsIn(cursor: string | undefined): Set<string> {
	const match = FORM.exec(cursor ?? 's:');
	if (!match) throw new NoCursor(cursor ?? '');
	const packed = (match[1] ?? '').replace(/\+/g, '-').replace(/\//g, '_');
	return new Set(packed.match(new RegExp(`.{${SIGNS}}`, 'g')));
}

function digest(id: string, sha256: (text: string) => string): string {
	const bits = BigInt(`0x${sha256(id).slice(0, 17)}`) >> 2n;
	const sign = (place: number): string => ALPHABET[Number((bits >> BigInt(6 * (SIGNS - 1 - place))) & 63n)] ?? '';
	return Array.from({ length: SIGNS }, (_, place) => sign(place)).join('');
}
