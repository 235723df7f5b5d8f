/**
 * Polls a paid list only where it is due, however often the platform asks: when its interval is over, and where free
 * signs exist, when the accounts list shows that something moved, or after long silence.
 */

import type { Inputs, Looked, Manifest, Polled, Row } from './types.ts';
import { isObject, textOf } from './values.ts';

/** How many pages one poll reads at most; the next one goes on from there. */
const MAX_PAGES = 10;
/** A cursor with this mark reads on from a place, and so passes over rows that are waited for. */
const PLACE = '@';

/** What a poll needs. */
export interface Asker {
	poll(cursor: string | undefined): Promise<Polled>;
	/** The free list of accounts; undefined where it cannot be read. */
	accounts(asked: Row): Promise<Row[] | undefined>;
	now: number;
	sha256: (text: string) => string;
}

/** What was found, and what the next poll needs to know. */
export interface Found extends Polled {
	looked?: Looked;
}

/** One poll to the end of what is new, if it is due. */
export async function pollDue(
	asker: Asker,
	trigger: Manifest,
	inputs: Inputs,
	cursor: string | undefined,
	looked: Looked | undefined,
): Promise<Found> {
	const { now } = asker;
	const age = cursor === undefined || !looked ? Infinity : now - looked.at;
	const nothing = { items: [], cursor: cursor ?? '', more: false, looked };
	if (isTooSoon(trigger, age)) return nothing;
	const seen = await signOf(asker, trigger, inputs);
	if (isQuiet(trigger, age, seen, looked)) return nothing;
	const items: Row[] = [];
	for (let [at, pages] = [cursor, 1]; ; pages++) {
		const polled = await asker.poll(at);
		items.push(...polled.items);
		if (polled.more && pages < MAX_PAGES) {
			at = polled.cursor;
			continue;
		}
		// Of a list that was not read to its end, or not from its beginning, nothing was seen.
		const isWhole = seen !== undefined && !cursor?.includes(PLACE);
		return { ...polled, items, ...(polled.more ? {} : { looked: { at: now, ...(isWhole ? { seen } : {}) } }) };
	}
}

/** Whether the interval is not over, where no signs decide. A time ahead of us was written by a wrong clock. */
function isTooSoon({ thrift }: Manifest, age: number): boolean {
	return thrift !== undefined && !thrift.signs && age >= 0 && age < 1000 * thrift.least;
}

/** Whether free signs show no reason to pay. Where they cannot be read, the list is read twice as often. */
function isQuiet({ thrift }: Manifest, age: number, seen: string | undefined, looked: Looked | undefined): boolean {
	const quiet = 1000 * (thrift?.signs?.quiet ?? 0);
	if (age < 0) return false;
	return seen === undefined ? age < quiet / 2 : seen === looked?.seen && age < quiet;
}

/** A digest of what the accounts list shows of the accounts in question; undefined where it shows nothing. */
async function signOf({ accounts, sha256 }: Asker, { thrift }: Manifest, inputs: Inputs): Promise<string | undefined> {
	if (!thrift?.signs) return undefined;
	const { group, part } = thrift.signs;
	const listed = await accounts(inputs[group] === undefined ? {} : { [group]: inputs[group] });
	const own = listed?.filter(({ id }) => inputs[part] === undefined || textOf(id) === textOf(inputs[part]));
	if (!own?.length) return undefined;
	return sha256(own.map(stateOf).sort().join('\n')).slice(0, 24);
}

function stateOf({ id, balance, updated_at: changed, extra }: Row): string {
	const counts = isObject(extra) && isObject(extra.transactions_count) ? extra.transactions_count : {};
	return [id, counts.posted, counts.pending, balance, changed].map(textOf).join('/');
}
