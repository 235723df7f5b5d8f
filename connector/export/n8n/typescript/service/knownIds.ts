/** Notices what is new in a list without a cursor of its own: it remembers a short digest of every id it has seen. */

import { createHash } from 'crypto';

import { milliseconds } from './dates';
import { firstId } from './rows';
import type { Row, Turned } from './shapes';

const PREFIX = 'k:';
const DIGEST_LENGTH = 11;

export function firstSeen(items: Row[], cursor: string | undefined, start: string): Turned {
	const packed = cursor?.slice(PREFIX.length) ?? '';
	const known = new Set(packed.match(new RegExp(`.{${DIGEST_LENGTH}}`, 'g')) ?? []);
	const rows = new Map(items.filter((item) => item.id !== undefined).map((item) => [String(item.id), item]));
	const fresh = [...rows].filter(([id]) => !known.has(digest(id)));
	const first = cursor === undefined ? firstId(start) : 0n;
	const fires = fresh.filter(([id]) => first === 0n || (first !== undefined && isAfter(id, first)));
	for (const [id] of fresh) known.add(digest(id));
	const ordered = fires.sort(([, one], [, other]) => created(one) - created(other));
	return {
		rows: ordered.map(([id, row]) => ({ ...row, _id: id })),
		cursor: PREFIX + [...known].join(''),
	};
}

function isAfter(id: string, first: bigint): boolean {
	return /^[0-9]{1,100}$/.test(id) && BigInt(id) > first;
}

function created(row: Row): number {
	return milliseconds(row.created_at) ?? Number.MAX_SAFE_INTEGER;
}

function digest(id: string): string {
	return createHash('sha256').update(id).digest('base64').slice(0, DIGEST_LENGTH);
}
