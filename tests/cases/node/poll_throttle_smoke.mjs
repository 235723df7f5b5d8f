// When a paid list is polled, and how far: the rules of poll_throttle.ts, against a list and an accounts list made up here.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { Cursor } from '../../../connector/export/node/core/polls/cursor.ts';
import { fallsShort, pollDue } from '../../../connector/export/node/core/poller/poll_throttle.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const SIGNS = { group: 'bank', part: 'account', quiet: 43_200 };
const PAID = { id: 'paid', throttle: { least: 86_400 } };
const SIGNED = { id: 'signed', poll: { by_id: { after: 'from_id' } }, throttle: { least: 60, signs: SIGNS } };

/** A service whose pages and accounts a test sets; `polls` says how each page was asked for. */
function service({ now = 0, accounts, pages = [] } = {}) {
	const polls = [];
	const asked = [];
	const source = {
		now,
		sha256,
		accounts: async (inputs) => {
			asked.push(inputs);
			return accounts;
		},
		poll: async (cursor, ahead) => {
			polls.push([cursor, ahead]);
			return { items: [], cursor: cursor ?? '1', more: false, shown: 0, newRows: 0, ...pages.shift() };
		},
	};
	return { source, polls, asked };
}

function account(id, posted, pending, balance = 1) {
	return { id, balance, updated_at: 'then', extra: { transactions_count: { posted, pending } } };
}

async function poll(trigger, inputs, cursor, lastPoll, given) {
	const { source, polls, asked } = service(given);
	return { ...(await pollDue(source, trigger, inputs, cursor, lastPoll)), polls, asked };
}

test('a first poll is made whatever was looked at before', async () => {
	for (const trigger of [PAID, SIGNED]) {
		const { polls } = await poll(trigger, {}, undefined, { at: 0, seen: 'x' }, { accounts: [account('1', 1, 0)] });
		assert.equal(polls.length, 1);
	}
});

test('what was counted for another list does not end a first poll', async () => {
	const given = { accounts: [account('1', 3, 1)], pages: [{ shown: 2, newRows: 2 }] };
	const { polls } = await poll(SIGNED, {}, undefined, { at: 0, seen: 'x', rows: 900 }, given);
	assert.equal(polls.length, 2);
});

test('without signs the interval decides, and a clock that ran ahead stops nothing', async () => {
	for (const [now, count] of [[0, 0], [DAY - 1, 0], [DAY, 1], [-1, 1]]) {
		const found = await poll(PAID, {}, '5', { at: 0 }, { now });
		assert.equal(found.polls.length, count, String(now));
		assert.deepEqual(found.lastPoll, { at: count ? now : 0 });
		assert.equal(found.cursor, '5');
		assert.deepEqual(found.asked, []);
	}
});

test('a free list is polled whenever it is asked for', async () => {
	const { polls } = await poll({ id: 'free', poll: {} }, {}, '5', { at: 0 }, { now: 1 });
	assert.equal(polls.length, 1);
});

test('with signs a look is paid when something moved, and after long silence', async () => {
	const before = await poll(SIGNED, {}, undefined, undefined, { accounts: [account('1', 3, 1)] });
	const [still, moved] = [[account('1', 3, 1)], [account('1', 4, 1)]];
	for (const [now, accounts, count] of [
		[MINUTE, still, 0],
		[12 * HOUR - 1, still, 0],
		[12 * HOUR, still, 1],
		[-1, still, 1],
		[1, moved, 1],
		[1, [account('1', 3, 1, 2)], 1],
		[6 * HOUR - 1, undefined, 0],
		[6 * HOUR, undefined, 1],
		[6 * HOUR - 1, [], 0],
	]) {
		const { polls } = await poll(SIGNED, {}, '5', before.lastPoll, { now, accounts });
		assert.equal(polls.length, count, String([now, JSON.stringify(accounts)]));
	}
});

test('only the account in question is a sign, and only its bank connection is asked for', async () => {
	const accounts = [account('1', 3, 1), account('2', 8, 0)];
	const { lastPoll, asked } = await poll(SIGNED, { bank: '7', account: '1' }, undefined, undefined, { accounts });
	assert.deepEqual(asked, [{ bank: '7' }]);
	assert.equal(lastPoll.rows, 4);
	const other = [account('1', 3, 1), account('2', 9, 0)];
	assert.equal((await poll(SIGNED, { account: '1' }, '5', lastPoll, { now: 1, accounts: other })).polls.length, 0);
	assert.equal((await poll(SIGNED, {}, undefined, undefined, { accounts })).lastPoll.rows, 12);
});

test('a list is read on while fewer rows were read than are counted', async () => {
	const lastPoll = { at: 0, seen: 'x', rows: 3 };
	const page = { shown: 2, newRows: 2, cursor: '7' };
	const given = { now: 1, accounts: [account('1', 7, 1)], pages: [{ ...page, cursor: '6' }, page, { shown: 2, newRows: 1 }] };
	const { polls, lastPoll: after } = await poll(SIGNED, {}, '5', lastPoll, given);
	assert.deepEqual(polls, [['5', false], ['6', true], ['7', true]]);
	assert.equal(after.rows, 8);
	const short = { now: 1, accounts: [account('1', 7, 1)], pages: [page] };
	assert.equal((await poll(SIGNED, {}, '5', lastPoll, short)).polls.length, 2, 'an empty page is the end');
});

test('where rows are not counted, only an empty page is the end', async () => {
	for (const accounts of [[{ id: '1', balance: 1 }], [account('1', 'many', 1)]]) {
		const given = { now: 1, accounts, pages: [{ shown: 2, newRows: 2 }] };
		const { polls, lastPoll } = await poll(SIGNED, {}, '5', { at: 0, seen: 'x', rows: 3 }, given);
		assert.equal(polls.length, 2);
		assert.equal(lastPoll.rows, undefined);
	}
});

test('nothing was seen of a list that was not read to its end or from its beginning', async () => {
	const accounts = [account('1', 3, 1)];
	const endless = Array.from({ length: 20 }, () => ({ more: true, shown: 1 }));
	const cut = await poll(SIGNED, {}, '5', undefined, { accounts, pages: endless });
	assert.deepEqual([cut.polls.length, cut.lastPoll, cut.more], [10, undefined, true]);
	assert.deepEqual((await poll(SIGNED, {}, '5~2@5', undefined, { accounts })).lastPoll, { at: 0 });
});

test('rows that wait are read again when fewer are pending, and now and then', async () => {
	const [waits, none] = ['9~3,5', '9'];
	const lastPoll = { at: 0, seen: 'x', rows: 9, again: 0, others: 1 };
	for (const [now, cursor, pending, given, ahead] of [
		[1, waits, 3, lastPoll, true],
		[1, waits, 4, lastPoll, true],
		[1, waits, 2, lastPoll, false],
		[1, waits, 2, { ...lastPoll, others: undefined }, true],
		[12 * HOUR, waits, 3, lastPoll, false],
		[-1, waits, 3, lastPoll, false],
		[1, none, 3, lastPoll, false],
		[1, '9~3!', 3, lastPoll, false],
		[1, waits, 3, { ...lastPoll, again: undefined }, false],
	]) {
		const { polls } = await poll(SIGNED, {}, cursor, given, { now, accounts: [account('1', 9, pending)] });
		assert.equal(polls[0][1], ahead, String([now, cursor, pending]));
	}
	const watching = { ...SIGNED, poll: { watch: {} } };
	const { polls } = await poll(watching, {}, waits, lastPoll, { now: 1, accounts: [account('1', 9, 3)] });
	assert.equal(polls[0][1], false, 'a trigger that watches rows reads them at every look');
});

test('a row posted while another goes pending is read again at the same look', async () => {
	const lastPoll = { at: 0, seen: 'x', rows: 9, again: 0, others: 1 };
	const rows = [{ cursor: '10~3,10', shown: 1, newRows: 1 }, { cursor: '10~10', items: [{ id: '3' }], shown: 8 }];
	const given = { now: 1, accounts: [account('1', 8, 2)], pages: rows };
	const found = await poll(SIGNED, {}, '9~3', lastPoll, given);
	assert.deepEqual(found.polls, [['9~3', true], ['10~3,10', false]]);
	assert.deepEqual(found.items, [{ id: '3' }]);
	assert.deepEqual([found.lastPoll.again, found.lastPoll.others], [1, 1]);
	const still = { now: 1, accounts: [account('1', 8, 3)], pages: [{ cursor: '10~3,10', shown: 1, newRows: 1 }] };
	assert.deepEqual((await poll(SIGNED, {}, '9~3', { ...lastPoll, rows: 10 }, still)).polls, [['9~3', true]]);
});

test('a row posted while another goes pending is read again over pages, or by the next poll', async () => {
	const lastPoll = { at: 0, seen: 'x', rows: 9, again: 0, others: 0 };
	const accounts = [account('1', 9, 1)];
	const ahead = { cursor: '10~3,10', shown: 1, newRows: 1 };
	const cut = { cursor: '10~3,10@5', more: true, shown: 2 };
	const two = await poll(SIGNED, {}, '9~3', lastPoll, { now: 1, accounts, pages: [ahead, cut, { cursor: '10~10' }] });
	assert.deepEqual(two.polls, [['9~3', true], ['10~3,10', false], ['10~3,10@5', false]]);
	assert.equal(two.lastPoll.again, 1);
	const many = Array.from({ length: 9 }, () => ({ cursor: '9~3', more: true, shown: 1 }));
	const last = await poll(SIGNED, {}, '9~3', lastPoll, { now: 1, accounts, pages: [...many, ahead] });
	assert.deepEqual([last.polls.length, last.lastPoll], [10, undefined]);
});

test('how many others are pending is known from the last time that all were read', async () => {
	const accounts = [account('1', 9, 5)];
	const first = await poll(SIGNED, {}, '9~3,5', undefined, { now: 7, accounts });
	assert.deepEqual([first.lastPoll.again, first.lastPoll.others], [7, 3]);
	const then = await poll(SIGNED, {}, '9~3,5', first.lastPoll, { now: 8, accounts: [account('1', 10, 5)] });
	assert.deepEqual([then.polls[0][1], then.lastPoll.again, then.lastPoll.others, then.lastPoll.at], [true, 7, 3, 8]);
	const fewer = await poll(SIGNED, {}, '9~3,5,6', undefined, { accounts: [account('1', 9, 2)] });
	assert.equal(fewer.lastPoll.others, 0);
});

test('a day of looks every minute stays under the ceiling, whatever moves', async () => {
	const most = 48;
	for (const move of [
		(now) => [{ ...account('1', 3, 1), updated_at: String(now) }],
		(now) => [account('1', 3, 1, now)],
		() => undefined,
	]) {
		const trigger = { ...SIGNED, throttle: { ...SIGNED.throttle, most } };
		let [lastPoll, cursor, paid] = [undefined, undefined, 0];
		const times = [];
		for (let now = 0; now < 3 * DAY; now += MINUTE) {
			const found = await poll(trigger, {}, cursor, lastPoll, { now, accounts: move(now) });
			[lastPoll, cursor] = [found.lastPoll, found.cursor];
			times.push(...found.polls.map(() => now));
			paid = Math.max(paid, times.filter((then) => now - then < DAY).length);
		}
		assert.ok(paid <= most, String(paid));
	}
});

test('a new time of change alone is followed ever more rarely, and at once after something was found', async () => {
	const touched = (now) => [{ ...account('1', 3, 1), updated_at: String(now) }];
	let { lastPoll } = await poll(SIGNED, {}, undefined, undefined, { accounts: touched(0) });
	for (const hours of [1, 2, 4, 8]) {
		const due = lastPoll.at + hours * HOUR;
		assert.equal((await poll(SIGNED, {}, '5', lastPoll, { now: due - 1, accounts: touched(due - 1) })).polls.length, 0);
		const found = await poll(SIGNED, {}, '5', lastPoll, { now: due, accounts: touched(due) });
		assert.equal(found.polls.length, 1, String(hours));
		lastPoll = found.lastPoll;
	}
	const now = lastPoll.at + 12 * HOUR;
	const pages = [{ items: [{ id: '9' }] }];
	assert.equal((await poll(SIGNED, {}, '5', lastPoll, { now, accounts: touched(now), pages })).lastPoll.misses, undefined);
});

/** A list whose rows a test sets, and an account that counts them, polled as an adapter does. */
class Flow {
	constructor(rows) {
		[this.rows, this.counted, this.now, this.told, this.asked] = [rows, rows.length, 0, [], []];
	}

	behind(id) {
		this.asked.push(id);
		return this.rows.filter((row) => BigInt(row.id) > BigInt(id));
	}

	async poll() {
		this.now += HOUR;
		const now = this.now;
		const poll = async (cursor = '0') => {
			const after = Cursor.read(cursor, '').after;
			const rows = this.behind(after);
			const ids = rows.map(({ id }) => BigInt(id));
			const top = ids.reduce((one, other) => (one > other ? one : other), after);
			const newest = rows.map(({ came }) => came).sort().at(-1) ?? '';
			return { items: rows, cursor: String(top), more: false, shown: rows.length, newRows: ids.length, ids, newest };
		};
		const late = async (id) => ({
			rows: this.behind(id),
			came: 'came',
			turn: (rows) => ({ items: rows, cursor: id }),
		});
		const accounts = async () => [account('1', this.counted, 0)];
		const source = { poll, late, accounts, now, sha256 };
		const { items, cursor, lastPoll } = await pollDue(source, SIGNED, {}, this.cursor, this.lastPoll);
		Object.assign(this, { cursor, lastPoll });
		this.told.push(...items.map(({ id }) => id));
		return items.map(({ id }) => id);
	}
}

const row = (id, hour = 0) => ({ id: String(id), came: new Date(hour * HOUR).toISOString() });

test('a row that is counted and shows late below a higher id is found, and nothing is told twice', async () => {
	const flow = new Flow([row(1), row(2)]);
	await flow.poll();
	flow.rows.push(row(5, 1));
	flow.counted = 4;
	assert.deepEqual(await flow.poll(), ['5']);
	assert.equal(flow.lastPoll.late.missing, 1);
	flow.rows.push(row(4, 1));
	assert.deepEqual(await flow.poll(), ['4'], 'it is lastPoll for from where the list ended before');
	assert.equal(flow.lastPoll.late.missing, undefined);
	flow.rows.push(row(6, 3));
	flow.counted = 5;
	assert.deepEqual([await flow.poll(), await flow.poll()], [['6'], []]);
	assert.deepEqual(flow.told, ['1', '2', '5', '4', '6']);
});

test('a row below all that is remembered is found from the beginning, by when it came', async () => {
	const flow = new Flow([row(11, 0), row(12, 0)]);
	await flow.poll();
	flow.rows.push(row(15, 1));
	flow.counted = 4;
	await flow.poll();
	flow.rows.push(row(3, 1));
	const found = [];
	for (let polls = 0; polls < 4; polls++) found.push(...(await flow.poll()));
	assert.deepEqual(found, ['3']);
	assert.deepEqual(flow.told, ['11', '12', '15', '3']);
});

test('rows whose ids begin anew are found while others go on arriving', async () => {
	const flow = new Flow([row(101, 0), row(102, 0)]);
	await flow.poll();
	for (let id = 1; id <= 6; id++) {
		flow.rows.push(row(id, id));
		flow.counted++;
		await flow.poll();
		const missed = flow.rows.slice(2, -2).filter((one) => !flow.told.includes(one.id));
		assert.deepEqual(missed, [], `after ${id}`);
	}
});

test('rows that stay away are lastPoll for ever more rarely, and given up in the end', async () => {
	const flow = new Flow([row(1)]);
	await flow.poll();
	flow.counted = 2;
	const paid = [];
	for (let polls = 1; polls <= 12; polls++) {
		flow.asked = [];
		await flow.poll();
		if (flow.asked.length) paid.push(polls);
	}
	assert.deepEqual(paid, [1, 2, 4, 8], 'at once, then after 1, 2, 4 checks');
	for (let polls = 0; polls < 5000 && flow.lastPoll.late.missing; polls++) await flow.poll();
	assert.equal(flow.lastPoll.late.missing, undefined);
	assert.deepEqual(flow.told, ['1']);
});

test('a row that has to wait is waited for though it shows late', async () => {
	const lastPoll = { at: 0, seen: 'x', rows: 2, late: { older: '1', newer: '1', at: 0, ids: ['5'], newest: '' } };
	const source = {
		poll: async (cursor) => ({ items: [], cursor, more: false, shown: 0, newRows: 0, ids: [], newest: '' }),
		late: async () => ({ rows: [{ id: '4' }, { id: '5' }], came: 'came', turn: (rows) => ({ items: [], cursor: `4~${rows[0].id}` }) }),
		accounts: async () => [account('1', 2, 1)],
		now: 1,
		sha256,
	};
	const { cursor, lastPoll: after } = await pollDue(source, SIGNED, {}, '5~3', lastPoll);
	assert.deepEqual([cursor, after.late.missing], ['5~3,4', undefined]);
});

test('how many pages wait is decided by the count, and without one by what is new', () => {
	for (const [fresh, before, counted, expected] of [
		[0, 3, 9, false],
		[2, 3, 9, true],
		[2, 7, 9, false],
		[2, undefined, 9, true],
		[2, 3, undefined, true],
		[0, undefined, undefined, false],
	]) {
		assert.equal(fallsShort(fresh, { before, counted }), expected, String([fresh, before, counted]));
	}
});
