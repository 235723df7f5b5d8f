import { Exact, ZERO } from '../exact';
import { isPlainObject } from '../form';
import type { Inputs, Row, Turned } from '../shapes';

const MOST_ITEMS = 20_000;
const BOOKS = ['ledger_connection', 'client', 'side'];

/** What the last look saw: whose items, how many looks found a change, and per item what names it once it is gone. */
interface State {
	books: string;
	looks: number;
	items: Record<string, [konto: string, beleg: string, saldo: string, label: unknown, debitor: boolean, date: unknown]>;
}

/** Fires when an open item appears, changes its balance, or is settled, by comparing two looks. */
export function turn(items: Row[], cursor: string | undefined, inputs: Inputs, _: Date, start: string): Turned {
	const books = BOOKS.map((name) => String(inputs[name] ?? '')).join('/');
	const before: State = cursor
		? (JSON.parse(cursor) as State)
		: { books: start === 'all' ? books : '', looks: 1, items: {} };
	const answer = items[0] ?? {};
	const rows = rowsOf(answer);
	if (!rows.size && !isEmptyAnswer(answer)) return { rows: [], cursor: JSON.stringify(before) };
	const seen = watched(rows);
	if (before.books !== books) {
		return { rows: [], cursor: JSON.stringify({ books, looks: before.looks + 1, items: seen }) };
	}
	for (const [key, item] of Object.entries(before.items)) {
		if (!(key in seen) && isUnread(answer, item[0], item[1])) seen[key] = item;
	}
	const fired = changesBetween(before, seen, rows, Exact.read(inputs.minimum) ?? ZERO);
	const looks = before.looks + (fired.length ? 1 : 0);
	return { rows: fired, cursor: JSON.stringify({ books, looks, items: seen }) };
}

function changesBetween(before: State, seen: State['items'], rows: Map<string, Row>, least: Exact): Row[] {
	const fired: Row[] = [];
	for (const key of new Set([...Object.keys(seen), ...Object.keys(before.items)])) {
		const [was, is] = [before.items[key], seen[key]];
		const change = !was ? 'new' : !is ? 'settled' : amount(was[2]).compare(amount(is[2])) ? 'changed' : undefined;
		const largest = [was, is].filter(Boolean).map((one) => amount(one[2]).abs());
		if (!change || !largest.some((one) => one.compare(least) >= 0)) continue;
		const [kontonummer, beleg] = is ?? was;
		const state = is ? amount(is[2]).bare().toString() : 'settled';
		fired.push({
			...(rows.get(key) ?? settledRow(was)),
			_id: `${kontonummer}:${beleg}:${state}:${before.looks}`,
			_change: change,
			_previous_saldo: was ? amount(was[2]) : null,
		});
	}
	const order = (row: Row) => [String(row.belegdatum ?? ''), String(row.kontonummer), String(row.beleg)].join('\n');
	return fired.sort((one, other) => (order(one) < order(other) ? -1 : 1));
}

function settledRow(was: State['items'][string]): Row {
	const [kontonummer, beleg, , bezeichnung, isDebitor, belegdatum] = was;
	return { kontonummer, bezeichnung, isDebitor, beleg, belegdatum, saldo: 0 };
}

/** Every open item with its person account; items of one document are taken together. */
function rowsOf(answer: Row): Map<string, Row> {
	const found = new Map<string, Row>();
	for (const konto of objects(answer.konten)) {
		const kontonummer = String(konto.kontonummer ?? '');
		for (const posten of objects(konto.posten)) {
			const [beleg, saldo] = [String(posten.beleg ?? ''), Exact.read(posten.saldo)];
			if (!saldo) continue;
			const key = JSON.stringify([kontonummer, beleg]);
			const together = saldo.plus((found.get(key)?.saldo as Exact | undefined) ?? ZERO);
			const { bezeichnung, isDebitor } = konto;
			found.set(key, { kontonummer, bezeichnung, isDebitor, ...posten, beleg, saldo: together });
		}
	}
	return new Map([...found].filter(([, row]) => (row.saldo as Exact).compare(ZERO) !== 0));
}

function watched(rows: Map<string, Row>): State['items'] {
	const entries = [...rows].slice(0, MOST_ITEMS).map(([key, row]): [string, State['items'][string]] => [
		key,
		[
			String(row.kontonummer),
			String(row.beleg),
			String(row.saldo),
			row.bezeichnung ?? null,
			row.isDebitor === true,
			row.belegdatum ?? null,
		],
	]);
	return Object.fromEntries(entries);
}

/** Whether the answer names the item, or its account, without a balance that can be read: then it is not settled. */
function isUnread(answer: Row, kontonummer: string, beleg: string): boolean {
	return objects(answer.konten).some((konto) => {
		if (String(konto.kontonummer ?? '') !== kontonummer) return false;
		if (!Array.isArray(konto.posten)) return true;
		return objects(konto.posten).some((one) => String(one.beleg ?? '') === beleg && !Exact.read(one.saldo));
	});
}

/** Whether the answer says that nothing is open, and does not merely say nothing. */
function isEmptyAnswer(answer: Row): boolean {
	const sums = [Exact.read(answer.sumDebitoren), Exact.read(answer.sumKreditoren)];
	return Array.isArray(answer.konten) && sums.every((sum) => sum?.compare(ZERO) === 0);
}

function amount(text: string): Exact {
	return Exact.read(text) ?? ZERO;
}

function objects(value: unknown): Row[] {
	return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
