/**
 * Fires when an open item appears, changes its balance, or is settled, by comparing two looks at the open items.
 *
 * At most 20,000 items are watched, in the service's order: the largest balances first. An answer without accounts
 * counts as "all settled" only when its sums are zero too; otherwise it changes nothing. After a change of ledger
 * connection, client or side the first look only takes note.
 */

import type { TriggerCode } from '../../connector/export/node/core/manifest/code.ts';
import type { Inputs } from '../../connector/export/node/core/manifest/pack.ts';
import { NoCursor } from '../../connector/export/node/core/polls/cursor.ts';
import { Exact, ZERO } from '../../connector/export/node/core/values/exact.ts';
import { readJson, writeJson } from '../../connector/export/node/core/values/json.ts';
import type { Row } from '../../connector/export/node/core/values/value_kinds.ts';
import { isObject, objectsIn, textOf } from '../../connector/export/node/core/values/value_kinds.ts';

const MAX_ITEMS = 20_000;
const BOOKS = ['ledger_connection', 'client', 'side'];

/** One open item, as far as it is remembered: an item that is settled is no longer in the list, yet has to be named. */
interface Item {
	kontonummer: string;
	beleg: string;
	bezeichnung: unknown;
	isDebitor: boolean;
	belegdatum: unknown;
	saldo: Exact;
}

/** By person account and document number. */
type Items = Map<string, Item>;

/** What the last look saw. */
interface State {
	/** Whose items they are: those of other books cannot be compared with them. */
	books: string;
	/** How many looks have found a change; part of an item's id, so that a document opened again is news again. */
	looks: number;
	items: Items;
}

export const openItemChanged: TriggerCode = {
	turn({ rows: [answer = {}] }, cursor, inputs, _now, start) {
		const books = BOOKS.map((name) => textOf(inputs[name])).join('/');
		// Open items have no ids in order, so that `since:ID` can mean no more than `now`.
		const first = { books: start === 'all' ? books : '', looks: 1, items: new Map() };
		const known = cursor === undefined ? first : read(cursor);
		const rows = rowsIn(answer);
		if (!rows.size && !isEmptyAnswer(answer)) return { items: [], cursor: write(known) };
		if (known.books !== books) {
			return { items: [], cursor: write({ books, looks: known.looks + 1, items: most(itemsOf(rows)) }) };
		}
		const seen: Items = new Map([
			...[...known.items].filter(([, item]) => isUnread(answer, item)),
			...itemsOf(rows),
		]);
		const watched = most(seen);
		const items = changesBetween(known, seen, watched, rows, inputs);
		return { items, cursor: write({ books, looks: known.looks + (items.length ? 1 : 0), items: watched }) };
	},
};

function changesBetween(known: State, seen: Items, watched: Items, rows: Map<string, Row>, inputs: Inputs): Row[] {
	const least = Exact.read(inputs.minimum) ?? ZERO;
	const changes: Array<[key: string, change: string]> = [
		...[...watched.keys()].filter((key) => !known.items.has(key)).map((key): [string, string] => [key, 'new']),
		...[...seen].flatMap(([key, { saldo }]): Array<[string, string]> => {
			const before = known.items.get(key)?.saldo;
			return before && before.compare(saldo) ? [[key, 'changed']] : [];
		}),
		...[...known.items.keys()].filter((key) => !seen.has(key)).map((key): [string, string] => [key, 'settled']),
	];
	return changes
		.map(([key, change]) => ({ change, old: known.items.get(key), item: seen.get(key), row: rows.get(key) }))
		.filter(({ old, item }) => [old, item].some((one) => one && one.saldo.abs().compare(least) >= 0))
		.map(({ change, old, item, row }) => told(change, old, item, row, known.looks))
		.sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

function told(change: string, old: Item | undefined, item: Item | undefined, row: Row | undefined, looks: number): Row {
	const { kontonummer = '', beleg = '' } = item ?? old ?? {};
	const state = item ? item.saldo.bare().toString() : 'settled';
	return {
		...(row ?? { ...(item ?? old), saldo: item?.saldo ?? ZERO }),
		_id: `${kontonummer}:${beleg}:${state}:${looks}`,
		_change: change,
		_previous_saldo: old?.saldo ?? null,
	};
}

function orderOf(row: Row): string {
	return [row.belegdatum, row.kontonummer, row.beleg].map(textOf).join('\n');
}

/** Every open item with its person account; items of one document are taken together, as the service groups them. */
function rowsIn(answer: Row): Map<string, Row> {
	const found = new Map<string, Row & { saldo: Exact }>();
	for (const konto of objectsIn(answer.konten)) {
		const kontonummer = textOf(konto.kontonummer);
		for (const posten of objectsIn(konto.posten)) {
			const [beleg, saldo] = [textOf(posten.beleg), Exact.read(posten.saldo)];
			if (!saldo) continue;
			const key = keyOf(kontonummer, beleg);
			const { bezeichnung = null, isDebitor = null } = konto;
			const together = saldo.plus(found.get(key)?.saldo ?? ZERO);
			found.set(key, { kontonummer, bezeichnung, isDebitor, ...posten, beleg, saldo: together });
		}
	}
	return new Map([...found].filter(([, { saldo }]) => saldo.units !== 0n));
}

function itemsOf(rows: Map<string, Row>): Items {
	return new Map(
		[...rows].map(([key, row]) => {
			const [bezeichnung, belegdatum] = [row.bezeichnung, row.belegdatum].map((one) => textOf(one) || null);
			const item = { kontonummer: textOf(row.kontonummer), beleg: textOf(row.beleg), bezeichnung, belegdatum };
			return [key, { ...item, isDebitor: row.isDebitor === true, saldo: row.saldo as Exact }];
		}),
	);
}

/** Whether the answer names the item, or its account, without a balance that can be read: then it is not settled. */
function isUnread(answer: Row, { kontonummer, beleg }: Item): boolean {
	return objectsIn(answer.konten).some(({ kontonummer: number, posten }) => {
		if (textOf(number) !== kontonummer) return false;
		return (
			!Array.isArray(posten) ||
			objectsIn(posten).some((one) => textOf(one.beleg) === beleg && !Exact.read(one.saldo))
		);
	});
}

/** Whether the answer says that nothing is open, and does not merely say nothing. */
function isEmptyAnswer(answer: Row): boolean {
	const sums = [answer.sumDebitoren, answer.sumKreditoren];
	return Array.isArray(answer.konten) && sums.every((sum) => Exact.read(sum)?.units === 0n);
}

function most(items: Items): Items {
	return new Map([...items].slice(0, MAX_ITEMS));
}

function keyOf(kontonummer: string, beleg: string): string {
	return JSON.stringify([kontonummer, beleg]);
}

/** As JSON: per person account its label and side, per document its balance and date. */
function write({ books, looks, items }: State): string {
	const konten: Record<string, [unknown, boolean, Record<string, [string, unknown]>]> = {};
	for (const { kontonummer, beleg, bezeichnung, isDebitor, belegdatum, saldo } of items.values()) {
		const [, , posten] = (konten[kontonummer] ??= [bezeichnung, isDebitor, {}]);
		posten[beleg] = [saldo.toString(), belegdatum];
	}
	return writeJson({ books, looks, konten });
}

/** Reads what `write` wrote, and the rows of items that older packages wrote. */
function read(cursor: string): State {
	try {
		const { books, looks, konten, items } = readJson(cursor) as Row;
		const listed = (isObject(items) ? Object.values(items) : []) as unknown[][];
		const grouped = Object.entries((konten ?? {}) as Record<string, [unknown, unknown, Record<string, unknown[]>]>);
		const rows = grouped.flatMap(([konto, [label, side, posten]]) =>
			Object.entries(posten).map(([beleg, [saldo, date]]) => [konto, beleg, saldo, label, side, date]),
		);
		const found = [...listed, ...rows].map(
			([konto, beleg, saldo, bezeichnung, side, belegdatum]): [string, Item] => {
				const [kontonummer, number, amount] = [textOf(konto), textOf(beleg), Exact.read(saldo)];
				if (!amount) throw new NoCursor(cursor);
				const item = {
					kontonummer,
					beleg: number,
					bezeichnung,
					isDebitor: side === true,
					belegdatum,
					saldo: amount,
				};
				return [keyOf(kontonummer, number), item];
			},
		);
		if (typeof books !== 'string' || !(looks instanceof Exact)) throw new NoCursor(cursor);
		return { books, looks: Number(looks), items: new Map(found) };
	} catch {
		throw new NoCursor(cursor) as Error;
	}
}
