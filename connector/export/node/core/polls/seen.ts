/**
 * Fires every row of a list without an order once, when its id first stands there, oldest first.
 *
 * The cursor is `s:` and 11 characters of base64url per id: the first 66 bits of its SHA-256. Ids are never forgotten,
 * so that a list that comes back shorter makes nothing fire again. Older packages wrote `k:` and plain base64.
 */

import { NoCursor } from '../cursor.ts';
import { milliseconds } from '../dates.ts';
import { firstId } from '../rows.ts';
import { at } from '../templates.ts';
import type { Row, Seen } from '../types.ts';
import { numberOf, textOf } from '../values.ts';
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
		const first = cursor === undefined ? firstId(start) : 0n;
		const fires = fresh.filter(([id]) => first === 0n || (first !== undefined && (numberOf(id) ?? 0n) > first));
		for (const [id] of fresh) known.add(digest(id, sha256));
		return { items: oldestFirst(spec, fires), cursor: `s:${[...known].join('')}` };
	},

	stateless: (spec, rows, look) => seen.turn(spec, { rows, cut: false }, look).items.reverse(),
};

function rowsById(rows: Row[]): Map<string, Row> {
	return new Map(rows.map((row): [string, Row] => [textOf(row.id), row]).filter(([id]) => id));
}

function oldestFirst({ order }: Seen, rows: Array<[id: string, row: Row]>): Row[] {
	const came = (row: Row): number => milliseconds(order && at(row, order)) ?? Number.MAX_SAFE_INTEGER;
	return [...rows].sort(([, one], [, other]) => came(one) - came(other)).map(([id, row]) => ({ ...row, _id: id }));
}

function digestsIn(cursor: string | undefined): Set<string> {
	const found = FORM.exec(cursor ?? 's:');
	if (!found) throw new NoCursor(cursor ?? '');
	const packed = (found[1] ?? '').replace(/\+/g, '-').replace(/\//g, '_');
	return new Set(packed.match(new RegExp(`.{${SIGNS}}`, 'g')));
}

function digest(id: string, sha256: (text: string) => string): string {
	const bits = BigInt(`0x${sha256(id).slice(0, 17)}`) >> 2n;
	const sign = (place: number): string => ALPHABET[Number((bits >> BigInt(6 * (SIGNS - 1 - place))) & 63n)] ?? '';
	return Array.from({ length: SIGNS }, (_, place) => sign(place)).join('');
}
