/** The TypeScript core end to end, on a pack written by hand and a service that answers what it is told to. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';

import { callApi } from '../../../actions/any/call_api.ts';
import { Kontor } from '../../../connector/export/node/core/kontor.ts';
import { inFormat } from '../../../connector/export/node/core/manifest/formats.ts';
import { misfitOfUrl } from '../../../connector/export/node/core/values/addresses.ts';
import { day, instant } from '../../../connector/export/node/core/values/dates.ts';
import { Exact } from '../../../connector/export/node/core/values/exact.ts';
import { plain, readJson, writeJson } from '../../../connector/export/node/core/values/json.ts';
import { ProcessState } from '../../../connector/export/node/core/writes/memory.ts';
import { openItemChanged } from '../../../triggers/ledger/open_item_changed.ts';
import { BASE_URL, PACK } from './tiny_pack.mjs';

const NOW = Date.parse('2026-07-23T10:00:00Z');
const CODE = { actions: { call_anything: callApi }, triggers: { items: openItemChanged } };
const PDF = Buffer.from('%PDF-1.7').toString('base64');

const json = (value, status = 200, headers = {}) => ({ status, headers, text: JSON.stringify(value) });
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** A core whose service gives these answers one after the other, and the requests that were sent. */
function core(...answers) {
	const [sent, slept] = [[], []];
	let now = NOW;
	const platform = {
		baseUrl: BASE_URL,
		now: () => now,
		sha256,
		sleep: async (milliseconds) => {
			slept.push(milliseconds);
			now += milliseconds;
		},
		send: async (request) => {
			sent.push(request);
			const answer = answers.length > 1 ? answers.shift() : answers[0];
			return typeof answer === 'function' ? answer(request) : answer;
		},
	};
	return { kontor: new Kontor(PACK, platform, CODE), platform, sent, slept };
}

async function problemOf(task) {
	try {
		await task();
	} catch (problem) {
		assert.equal(problem.name, 'Problem', problem.stack);
		return problem;
	}
	throw new assert.AssertionError({ message: 'nothing was raised' });
}

const ORDER = { shop: 's/1', day: '2026-07-01', lines: [{ amount: '10.00' }, { amount: 2.5 }] };

test('numbers keep their digits from the wire to the wire', () => {
	const text = '{"a":952.00,"b":[12345678901234567890.12,-0.5,1e3],"c":"x\\u00e9","d":null,"e":true}';
	const value = readJson(text);
	assert.equal(String(value.a), '952.00');
	assert.equal(writeJson(value), text.replace('1e3', '1000').replace('\\u00e9', 'é'));
	assert.deepEqual(plain(value).b, ['12345678901234567890.12', -0.5, 1000]);
	for (const wrong of ['{"a":01}', '[1,]', '{"a":1,}', '[1 2]', 'NaN', '"a', '1e999', '['.repeat(200)]) {
		assert.throws(() => readJson(wrong), SyntaxError, wrong);
	}
	assert.equal(Exact.read('1.234,56'), undefined);
	assert.equal(Exact.read('1'.repeat(35)), undefined);
});

test('dates are days in Berlin, and times without a zone are read there', () => {
	assert.equal(day('2026-03-31T22:00:00Z'), '2026-04-01');
	assert.equal(day(new Date('2026-03-31T22:00:00Z')), '2026-04-01');
	assert.equal(day({ toISO: () => '2026-03-31T23:30:00.000+00:00' }), '2026-04-01');
	assert.equal(day('2026-02-30'), undefined);
	assert.equal(instant('2026-03-29T02:30'), '2026-03-29T03:30:00+02:00');
	assert.equal(instant('2026-10-25 02:30:00'), '2026-10-25T02:30:00+02:00');
	assert.equal(instant('2026-05-01T10:00:00.1234567Z'), '2026-05-01T12:00:00.123456+02:00');
	assert.equal(instant('2026-01-01'), '2026-01-01T00:00:00+01:00');
});

test('an address must be public, whatever its notation', () => {
	const open = [
		'https://a.example/x',
		'https://8.8.8.8',
		'https://[2606:4700::1111]:8443/',
		'https://[::ffff:8.8.8.8]/',
	];
	for (const url of open) assert.equal(misfitOfUrl(url), undefined, url);
	const hidden = [
		'127.0.0.1',
		'100.64.1.1',
		'192.0.2.1',
		'[::1]',
		'[fd00::1]',
		'[::ffff:10.0.0.1]',
		'2130706433',
		'0x7f.1',
	];
	for (const host of [...hidden, 'a.local', 'intranet', '[64:ff9b::a00:1]']) {
		assert.equal(misfitOfUrl(`https://${host}/`), 'url_private', host);
	}
	assert.equal(misfitOfUrl('http://a.example'), 'url_not_https');
	assert.equal(misfitOfUrl('https://me@a.example'), 'url_with_login');
	assert.equal(misfitOfUrl('https://[::g]/'), 'not_a_url');
	assert.equal(misfitOfUrl('https://a.example:99999/'), 'not_a_url');
});

test('formats tidy a text and check its digits', () => {
	assert.equal(inFormat(PACK, 'iban', 'de89 3704 0044 0532 0130 00'), 'DE89370400440532013000');
	assert.equal(inFormat(PACK, 'iban', 'DE88370400440532013000').reason, 'iban_checksum');
	assert.equal(inFormat(PACK, 'iban', 'DE8937040044053201300').reason, 'iban_length');
	assert.equal(inFormat(PACK, 'iban', 'XX893704').reason, 'not_an_iban');
	assert.equal(inFormat(PACK, 'vat', 'de 136.695-976'), 'DE136695976');
	assert.equal(inFormat(PACK, 'vat', 'DE136695977').reason, 'german_vat_id_checksum');
});

test('a write leaves as declared, with what can be derived', async () => {
	const { kontor, sent } = core(json({ data: { id: 7 }, remarks: ['late'] }));
	const { output, warnings } = await kontor.run('place_order', {
		...ORDER,
		day: '2026-07-02',
		client: '1-2',
		extra: '{"deep": 1.50}',
		files: [{ content: `data:application/pdf;base64,${PDF}`, name: 'a.PDF' }],
	});
	const [{ method, url, headers, body }] = sent;
	assert.deepEqual([method, url], ['POST', `${BASE_URL}/v2/shops/s%2F1/orders?client_id=1-2&quelle=smoke`]);
	assert.equal(headers['content-type'], 'application/json');
	const lines = '"lines":[{"amount":10.00},{"amount":2.5}]';
	const files = `"files":[{"content":"${PDF}","name":"a.PDF"}]`;
	assert.equal(body, `{"total":12.50,"currency":"EUR","day":"2026-07-02","extra":{"deep":1.50},${lines},${files}}`);
	assert.deepEqual(plain(output), { id: 7, remarks: ['late'] });
	assert.deepEqual(warnings, ['2026-07-02 is not 2026-07-01']);
});

test('inputs are refused by field, the first one told and the others listed', async () => {
	const { kontor, sent } = core();
	const raw = {
		...ORDER,
		way: 'car',
		length: 0,
		lines: [{ amount: '1' }, { iban: 'DE88370400440532013000' }],
		what: 1,
	};
	const problem = await problemOf(() => kontor.run('place_order', raw));
	const { kind, reason, field, label, remedy, outcome, message, also } = problem;
	assert.deepEqual([kind, reason, field, label], ['input', 'too_small', 'length', 'Length']);
	assert.deepEqual([message, remedy, outcome], ['It must be at least 1.', 'Correct this field.', 'not_sent']);
	assert.deepEqual(also, ['lines[1].amount', 'lines[1].iban', 'way', 'what']);
	const lines = [{ amount: 1 }, { iban: 'DE89370400440532013000' }];
	const missing = await problemOf(() => kontor.check(PACK.actions.place_order, { ...ORDER, lines }));
	assert.equal(missing.message, "Line 2: 'Amount' is required.");
	const excess = await problemOf(() => kontor.check(PACK.actions.place_order, { ...ORDER, currency: 'jpy', total: '1.5' }));
	assert.equal(excess.message, '1.5 has more decimals than JPY has (0).');
	assert.equal(sent.length, 0);
});

const RULES = {
	'any_of.missing': [{ day: undefined }, 'One of these is needed: Day, Moment.', 'day'],
	'requires.other': [{ reference: 'r', way: 'bike' }, 'Reference only if Way is By post, not By bike.', 'reference'],
	'order.reversed': [{ until: '2026-06-29' }, 'Day 2026-07-01 lies 2 days after Until 2026-06-29.', 'day'],
	'not_zero.zero': [{ lines: [{ amount: 1 }, { amount: '0.00' }] }, 'Line 2: Amount is 0.', 'lines[1].amount'],
	'sum.differs': [{ total: 12 }, '2 lines make 12.50, Total is 12.00 EUR: 0.50 apart.', 'total'],
	'sum.sign': [{ total: '7.5' }, '5.00 apart: is the sign of line 2 wrong?', 'total'],
	'range.too_small': [{ lines: [{ amount: -1 }] }, 'Total -1.00 is 1.00 below 0.', 'total'],
	'range.too_large': [{ lines: [{ amount: '1000.00' }] }, 'Total 1,000.00 is 0.01 above 999.99.', 'total'],
	'equals.other': [{ currency: 'JPY', lines: [{ amount: 1 }] }, 'Currency is JPY, not EUR.', 'currency'],
	'charset.invisible': [{ note: 'a\nb' }, 'Note has U+000A at 2.', 'note'],
	'charset.outside': [{ note: '5 € 😀' }, 'Note has 😀 at 5.', 'note'],
	'pattern.misfit': [{ reference: 'a//b', way: 'post' }, 'Reference does not fit.', 'reference'],
	'digits.first': [{ number: '0123', length: 4 }, 'Number 0123 begins with 0.', 'number'],
	'digits.short': [{ number: 123, length: 4 }, 'Number 123: 3 digits, 1 too few for 4 to 5.', 'number'],
	'digits.long': [{ number: '123456', length: 4 }, 'Number 123456: 6 digits, 1 too many for 4 to 5.', 'number'],
	'at_most_one.several': [
		{ lines: [{ amount: 1, main: true }, { amount: 1 }, { amount: 1, main: 'true' }] },
		'Main line is set in lines 1 and 3.',
		'lines[2].main',
	],
	'file.too_large': [
		{ files: [{ content: 'A'.repeat(1398104), name: 'a.pdf' }] },
		'Line 1: a.pdf is 2 bytes too large.',
		'files[0].content',
	],
	'file.unknown_kind': [
		{ files: [{ content: 'AAAA', name: 'a.pdf' }] },
		'Line 1: a.pdf is none of PDF, HEIC.',
		'files[0].content',
	],
	'file.misnamed': [
		{ files: [{ content: PDF, name: 'a.txt' }] },
		'Line 1: a.txt is PDF and should end in .pdf.',
		'files[0].name',
	],
};

for (const [reason, [inputs, message, field]] of Object.entries(RULES)) {
	test(`the rule ${reason} says what is wrong`, async () => {
		const problem = await problemOf(() => core().kontor.check(PACK.actions.place_order, { ...ORDER, ...inputs }));
		assert.deepEqual([problem.reason, problem.message, problem.field], [reason, message, field]);
	});
}

test('answers are read tolerantly, and what cannot be read is never empty', async () => {
	const outputOf = async (id, reply) => plain((await core(json(reply)).kontor.run(id, {})).output);
	assert.deepEqual(await outputOf('list_things', { connections: [1] }), { items: [1] });
	assert.deepEqual(await outputOf('list_names', ['a', { name: 'b' }]), { items: [{ name: 'a' }, { name: 'b' }] });
	assert.deepEqual(await outputOf('list_areas', { data: { x: { status: 'ok' }, platform: { left: 1 } } }), {
		items: [{ area: 'x', status: 'ok' }],
	});
	assert.deepEqual(await outputOf('list_areas', [{ title: 'y', status: 'ok' }, { status: 'ok' }]), {
		items: [
			{ area: 'y', title: 'y', status: 'ok' },
			{ area: '2', status: 'ok' },
		],
	});
	assert.deepEqual(await outputOf('read_url', { data: { url: 'https://a' } }), { hook_url: 'https://a' });
	assert.deepEqual(await outputOf('read_url', {}), { hook_url: null });
	for (const [id, reply] of [
		['list_things', { data: {} }],
		['get_one', [1]],
		['read_url', { other: 1 }],
	]) {
		assert.equal((await problemOf(() => outputOf(id, reply))).kind, 'bad_reply');
	}
	const { kontor } = core(json('done'));
	assert.deepEqual((await kontor.run('place_order', ORDER)).output, { answer: 'done' });
	assert.deepEqual((await kontor.run('write_url', { hook_url: 'https://a.example' })).output, { hook_url: 'done' });
});

test('options are labelled, sorted and marked as a dropdown', async () => {
	const things = [
		{ id: 2, name: 'beta', extra: { iban: 'DE12345' }, balance: 5, currency: 'EUR', created_at: '2026-01-02T03' },
		{ code: 'c', name: 'Alpha', status: 'connected' },
		{ id: '3', balance: 'none' },
		{ name: 'nothing' },
	];
	const { kontor, sent } = core(json({ data: things }));
	assert.deepEqual(await kontor.options('things', {}), [
		{ value: 'c', label: 'Alpha', hint: '' },
		{ value: '3', label: '3', hint: '' },
		{ value: '2', label: 'beta (… 2345)', hint: '5.00 EUR, 2026-01-02' },
	]);
	assert.equal(sent[0].url, `${BASE_URL}/v2/things?dropdown=true`);
	const banks = [{ bank: 2 }, { bank: 1, bank_name: 'A' }, { bank: 2, bank_name: 'B' }, { bank: 2, bank_name: 'C' }];
	assert.deepEqual(await core(json(banks)).kontor.options('banks', {}), [
		{ value: '1', label: 'A', hint: '1' },
		{ value: '2', label: 'B', hint: '2' },
	]);
	assert.deepEqual(await core(json(['x', { code: 'k', name: 'Key' }])).kontor.options('kinds', {}), [
		{ value: 'x', label: 'x', hint: '' },
		{ value: 'k', label: 'Key', hint: '' },
	]);
	assert.deepEqual(
		(await kontor.options('currencies', {})).map(({ label, hint }) => [label, hint]),
		[
			['EUR – Euro', '0.01'],
			['JPY – Yen', '1'],
		],
	);
	assert.deepEqual(
		(await kontor.options('years', {})).map(({ value }) => value),
		['2027-01-01', '2026-01-01', '2025-01-01'],
	);
});

const ids = (rows) => rows.map(({ _id }) => _id);
const row = (id, more = {}) => ({ id: String(id), status: 'posted', created_at: '2026-07-22T10:00:00Z', ...more });
const rows = (first, last, more = {}) => Array.from({ length: last - first + 1 }, (_, at) => row(first + at, more));

test('by_id fires each row once, waits for pending ones and passes over history', async () => {
	const history = core(
		json({ data: rows(1, 37) }),
		json({ data: [...rows(38, 39), row(40, { status: 'pending' })] }),
		json([]),
	);
	const first = await history.kontor.poller.poll('new_row', {}, undefined, 'now');
	assert.deepEqual([first.items, first.cursor, first.more], [[], '40~40', false]);
	assert.deepEqual(
		history.sent.map(({ url }) => url.split('?')[1]),
		['sort=id', 'sort=id&after=37', 'sort=id&after=40'],
	);
	const { kontor, sent } = core(
		json({ data: [row(41), row(40, { made_on: '2026-07-01' }), row(42, { double: true })] }),
	);
	const next = await kontor.poller.poll('new_row', {}, first.cursor, 'now');
	assert.deepEqual([ids(next.items), next.items[0]._late, next.cursor], [['40', '41'], true, '42']);
	assert.match(sent[0].url, /after=39$/);
	const since = core(json({ data: rows(6, 25) }));
	const found = await since.kontor.poller.poll('new_row', {}, undefined, 'since:5');
	assert.match(since.sent[0].url, /after=5$/);
	assert.deepEqual([found.items.length, found.more, found.cursor], [20, true, '25']);
	const three = core(json({ data: [row(1), row(3), row(2, { status: 'pending' })] }));
	const { items: shown } = await three.kontor.poller.pollStateless('new_row', {});
	assert.deepEqual(ids(shown), ['3', '1']);
});

test('a poll without a cursor reads on until a page brings nothing new, or is shorter than one that was seen', async () => {
	const small = core(json({ data: rows(1, 7) }), json({ data: rows(8, 14) }), json({ data: rows(15, 16) }));
	const { items, largest } = await small.kontor.poller.pollStateless('new_row', {});
	assert.deepEqual([items.length, largest, small.sent.length], [16, 7, 3]);
	const known = core(json({ data: rows(1, 6) }));
	await known.kontor.poller.pollStateless('new_row', {}, 7);
	assert.equal(known.sent.length, 1);
	const long = core(json({ data: rows(1, 20) }), json({ data: rows(21, 25) }));
	assert.equal((await long.kontor.poller.pollStateless('new_row', {})).items.length, 25);
	assert.deepEqual(long.sent.map(({ url }) => /after=(\d+)/.exec(url)?.[1]), [undefined, '20']);
	const same = core(json({ data: rows(1, 20) }));
	assert.equal((await same.kontor.poller.pollStateless('new_row', {})).items.length, 20);
	assert.equal(same.sent.length, 2);
	let last = 0;
	const endless = core(() => json({ data: rows(last + 1, (last += 20)) }));
	assert.equal((await endless.kontor.poller.pollStateless('new_row', {})).items.length, 200);
	assert.equal(endless.sent.length, 10);
});

test('a list without numbers and a text that is no cursor are told', async () => {
	const numberless = await problemOf(() => core(json([{ id: 'a' }])).kontor.poller.poll('new_row', {}, '5', 'now'));
	assert.deepEqual([numberless.kind, numberless.reason], ['bad_reply', 'ids_not_numbers']);
	for (const id of ['new_row', 'row_progress', 'row_changed', 'new_thing', 'bank_trouble', 'items']) {
		const wrong = await problemOf(() =>
			core(json([])).kontor.poller.turn(id, {}, { rows: [], cut: false }, '?', 'now', NOW),
		);
		assert.deepEqual([wrong.reason, wrong.field], ['cursor_invalid', 'cursor'], id);
	}
	assert.equal((await problemOf(() => core().kontor.poller.poll('new_row', {}, undefined, 'then'))).reason, 'start_invalid');
});

test('progress fires each step forward, over two pages', async () => {
	const { kontor } = core();
	const turn = (list, cursor, cut = false) =>
		kontor.poller.turn('row_progress', {}, { rows: list, cut }, cursor, 'all', NOW);
	const first = turn([row(1, { status: 'new' }), row(2, { status: 'paid' })], undefined, true);
	assert.deepEqual([ids(first.items), first.cursor, first.more], [['1:new', '2:paid'], '2~1=new@2', true]);
	const second = turn([row(3, { status: 'a~b' })], first.cursor);
	assert.deepEqual([ids(second.items), second.cursor], [['3:a~b'], '3~1=new,3=a%7Eb']);
	const third = turn(
		[row(1, { status: 'sent' }), row(2, { status: 'new' }), row(3, { status: 'failed' })],
		second.cursor,
	);
	assert.deepEqual(
		third.items.map(({ _id, _before }) => [_id, _before]),
		[
			['1:sent', 'new'],
			['3:failed', 'a~b'],
		],
	);
	assert.equal(third.cursor, '3~1=sent+1');
	const { items: shown } = await core(json(third.items)).kontor.poller.pollStateless('row_progress', { only: 'failed' });
	assert.deepEqual(
		shown.map(({ _id, _before }) => [_id, _before]),
		[['3:failed', null]],
	);
});

test('watch takes note first, then fires changes of young rows', () => {
	const { kontor } = core();
	assert.deepEqual(kontor.poller.asks('row_changed', {}, undefined, 'all', NOW), { since: '2026-07-09' });
	const turn = (list, cursor) => kontor.poller.turn('row_changed', {}, { rows: list, cut: false }, cursor, 'all', NOW);
	const old = { created_at: '2026-06-01T00:00:00Z', made_on: '2026-06-01' };
	const first = turn(
		[row(1, { status: 'pending', double: false }), row(2, old), row(3, { status: 'odd' })],
		undefined,
	);
	assert.deepEqual([first.items, first.cursor], [[], '3~1=p,3=.odd']);
	assert.deepEqual(kontor.poller.asks('row_changed', {}, first.cursor, 'all', NOW), { after: '0' });
	const second = turn([row(1, { double: true }), row(3, { status: undefined })], first.cursor);
	assert.deepEqual(
		second.items.map(({ _id, _change }) => [_id, _change]),
		[
			['1:posted:posted', 'posted'],
			['1:double:true', 'double'],
		],
	);
	assert.equal(second.cursor, '3~1=*,3=.odd+1');
});

test('seen fires each id once, oldest first, and reads what older packages wrote', () => {
	const { kontor } = core();
	const turn = (list, cursor, start = 'now') =>
		kontor.poller.turn('new_thing', {}, { rows: list, cut: false }, cursor, start, NOW);
	const first = turn([{ id: 'a' }, { id: '5' }], undefined);
	assert.match(first.cursor, /^s:[A-Za-z0-9_-]{22}$/);
	assert.deepEqual(first.items, []);
	const later = [row('c', { created_at: '2026-02-01T00:00:00Z' }), row('b', { created_at: '2026-01-01T00:00:00Z' })];
	assert.deepEqual(ids(turn([...later, { id: 'a' }], first.cursor).items), ['b', 'c']);
	const base64 = (id) => createHash('sha256').update(id).digest('base64').slice(0, 11);
	const written = `k:${['a', '5', '12'].map(base64).join('')}`;
	const read = turn([{ id: 'a' }, { id: '5' }, { id: '12' }, { id: 'new' }], written);
	assert.deepEqual(ids(read.items), ['new']);
	assert.equal(read.cursor.slice(0, 35), `s:${written.slice(2).replaceAll('+', '-').replaceAll('/', '_')}`);
	assert.deepEqual(ids(turn([{ id: 'x' }, { id: '4' }, { id: '9' }], undefined, 'since:4').items), ['9']);
});

test('alarms are given once, and again after all was well', () => {
	const { kontor } = core();
	const turn = (id, list, cursor, inputs = {}, start = 'now') =>
		kontor.poller.turn(id, inputs, { rows: list, cut: false }, cursor, start, NOW);
	assert.deepEqual(turn('bank_trouble', [{ status: 'inactive' }], undefined).cursor, '1');
	const raised = turn('bank_trouble', [{ status: 'inactive', error: 'E*' }], '1', { bank: '7' });
	assert.deepEqual([ids(raised.items), raised.cursor], [['7:1:inactive:E*'], '1~inactive%3AE%2A']);
	assert.deepEqual(turn('bank_trouble', [{ status: 'pending' }], raised.cursor).cursor, raised.cursor);
	assert.equal(turn('bank_trouble', [{ status: 'active' }], raised.cursor).cursor, '2');
	const ends = turn('consent_ends', [{ id: 1, ends_at: '2026-07-25T23:30:00Z' }], 'waiting');
	assert.deepEqual([ids(ends.items), ends.items[0]._left, ends.cursor], [['1:2026-07-26'], 3, '1~2026-07-26']);
	assert.deepEqual(turn('consent_ends', [{ id: 1, ends_at: '2026-07-25T23:30:00Z' }], 'warned:2026-07-26').items, []);
	const low = turn('low', [{ all: new Exact(5n) }], '3', { bound: 10 });
	assert.deepEqual([ids(low.items), String(low.items[0]._bound), low.cursor], [['low:3'], '10', '3~low']);
	assert.equal(turn('low', [{ free: '10.0', all: 5 }], low.cursor, { bound: 10 }).cursor, '4');
	assert.equal(turn('low', [{}], low.cursor, { bound: 10 }).cursor, '3~low');
});

test('an alarm without memory is given once a day', async () => {
	const { items: shown } = await core(json({ id: 1, status: 'disabled' })).kontor.poller.pollStateless('bank_trouble', {});
	assert.deepEqual(ids(shown), ['1:2026-07-23:disabled:']);
});

test('open items are compared with the last look, and cursors of older packages are read', () => {
	const { kontor } = core();
	const answer = (posten) => ({ konten: [{ kontonummer: '10000', bezeichnung: 'K', isDebitor: true, posten }] });
	const turn = (one, cursor, start = 'now') =>
		kontor.poller.turn('items', {}, { rows: [one], cut: false }, cursor, start, NOW);
	const first = turn(answer([{ beleg: 'R1', saldo: '10.00', belegdatum: '2026-01-01' }]), undefined);
	const text = '{"books":"//","looks":2,"konten":{"10000":["K",true,{"R1":["10.00","2026-01-01"]}]}}';
	assert.deepEqual([first.items, first.cursor], [[], text]);
	const old = JSON.stringify({
		books: '//',
		looks: 2,
		items: { k: ['10000', 'R1', '10.00', 'K', true, '2026-01-01'] },
	});
	for (const cursor of [text, old]) {
		const { items } = turn(
			answer([
				{ beleg: 'R1', saldo: '4' },
				{ beleg: 'R2', saldo: 1 },
			]),
			cursor,
		);
		assert.deepEqual(
			items.map(({ _id, _change }) => [_id, _change]),
			[
				['10000:R1:4:2', 'changed'],
				['10000:R2:1:2', 'new'],
			],
		);
		const [settled] = turn({ konten: [], sumDebitoren: '0.00', sumKreditoren: 0 }, cursor).items;
		assert.deepEqual(
			[settled._id, String(settled.saldo), String(settled._previous_saldo)],
			['10000:R1:settled:2', '0', '10.00'],
		);
		assert.deepEqual(turn({ konten: [] }, cursor).items, []);
	}
});

test('code beside a manifest checks, asks and shapes', async () => {
	const { kontor, sent } = core(json([1]));
	const wrong = await problemOf(() => kontor.run('call_anything', { method: 'GET', path: '/v2/x', body: { a: 1 } }));
	assert.deepEqual([wrong.reason, wrong.message, wrong.field], ['body_with_get', 'GET carries no body.', 'body']);
	const written = { method: 'POST', path: '/v2/ledger-x', body: { n: 1.5 } };
	const undeclared = await problemOf(() => kontor.run('call_anything', written));
	assert.deepEqual([undeclared.reason, undeclared.field, sent.length], ['path_undeclared', 'path', 0]);
	const inputs = { method: 'GET', path: '/v2/ledger-x', query: { a: ['1', true], b: 'ü' } };
	assert.deepEqual(plain((await kontor.run('call_anything', inputs)).output), { data: [1] });
	assert.equal(sent[0].url, `${BASE_URL}/v2/ledger-x?a=1&a=true&b=%C3%BC&quelle=smoke`);
});

const VERDICTS = [
	['place_order', json({ error: 'Invalid API key' }, 403), 'key_refused'],
	['place_order', json({ error: 'x' }, 401), 'key_refused'],
	['place_order', json({}, 401), 'outcome_unknown'],
	[
		'place_order',
		json({ error: 'x', code: 'ledger_connection_invalid', reconnectUrl: 'https://r' }, 400),
		'reconnect_needed',
	],
	['place_order', json({ error: 'x', code: 'ledger_export_service_missing' }, 500), 'outcome_unknown'],
	['place_order', json({ error: 'x', code: 'ledger_export_service_missing' }, 400), 'service_not_booked'],
	['list_things', json({ error: 'x' }, 403), 'service_not_booked'],
	['place_order', json({ error: 'x' }, 403), 'right_missing'],
	['read_url', json({ error: 'x' }, 403), 'right_missing'],
	['place_order', json({ error: 'x' }, 402), 'budget_held'],
	['read_url', json({}, 404), 'not_found'],
	['read_url', json({}, 409), 'refused'],
	['place_order', json({}, 500), 'outcome_unknown'],
	['place_order', json({}, 303), 'outcome_unknown'],
	['place_order', json({}, 308), 'outcome_unknown'],
	['place_order', json({}, 429, { 'retry-after': '1' }), 'outcome_unknown'],
	['place_order', { status: 200, headers: {}, text: '<html>' }, 'outcome_unknown'],
	['read_url', { status: 200, headers: {}, text: '<html>' }, 'bad_reply'],
	['place_order', { lost: 'maybe_sent' }, 'outcome_unknown'],
];

for (const [id, answer, kind] of VERDICTS) {
	test(`${id} answered with ${answer.status ?? answer.lost} ${answer.text ?? ''} is ${kind}`, async () => {
		const { kontor, sent } = core(answer);
		const problem = await problemOf(() => kontor.run(id, id === 'place_order' ? ORDER : {}));
		assert.deepEqual([problem.kind, sent.length], [kind, 1]);
		assert.equal(problem.reconnectUrl, kind === 'reconnect_needed' ? 'https://r' : undefined);
	});
}

test('a parameter that the service calls otherwise is named', async () => {
	const { kontor } = core(json({ error: "missing parameter 'mandant_id'" }, 400));
	const problem = await problemOf(() => kontor.run('place_order', ORDER));
	assert.equal(problem.remedy, "Set 'shop.client' to 'mandant_id', not 'client_id'.");
});

const LIMITER = { 'ratelimit-remaining': '0', 'ratelimit-reset': '1' };

test('reads are sent again, writes only if the service did not act', async () => {
	const failing = [
		json({}, 503),
		{ lost: 'maybe_sent', timedOut: true },
		json({}, 408),
		{ lost: 'never_sent' },
		json([]),
	];
	const read = core(...failing);
	await read.kontor.run('list_things', {});
	assert.equal(read.sent.length, 5);
	const write = core({ lost: 'never_sent' }, json({}, 429, LIMITER), json({ data: {} }));
	await write.kontor.run('place_order', ORDER);
	assert.deepEqual([write.sent.length, write.slept.at(-1)], [3, 1000]);
	const held = core(json({}, 429, { 'ratelimit-reset': String(NOW / 1000 + 600), 'ratelimit-limit': '99' }));
	const limited = await problemOf(() => held.kontor.run('list_things', {}));
	assert.deepEqual(
		[limited.kind, limited.retryAt, held.sent.length],
		['rate_limited', '2026-07-23T10:10:00.000Z', 1],
	);
	assert.equal(limited.message, '99 in 15 minutes, until 12:10:00.');
	const down = core({ lost: 'never_sent' });
	const problem = await problemOf(() => down.kontor.options('things', {}));
	assert.deepEqual([problem.kind, problem.outcome, down.sent.length], ['service_down', 'not_sent', 3]);
});

test('an event fires by its name, its condition and the filters that are given', () => {
	const { kontor } = core();
	const data = {
		payment_id: 5,
		status: 'paid',
		payment_attributes: { debtor_iban: 'de 12' },
		custom_fields: { a: 1, b: 'x' },
		accounts: [{ id: '8' }],
	};
	const fires = (inputs, event = 'payment_update', more = {}) =>
		kontor.fires('paid', event, { ...data, ...more }, inputs);
	for (const inputs of [{}, { payment: '5' }, { iban: 'DE12' }, { field: 'a' }, { value: 'x' }, { account: '8' }]) {
		assert.equal(fires(inputs), true, JSON.stringify(inputs));
	}
	for (const inputs of [{ payment: '6' }, { field: 'c' }, { field: 'a', value: 'x' }, { account: '9' }]) {
		assert.equal(fires(inputs), false, JSON.stringify(inputs));
	}
	assert.equal(fires({}, 'other'), false);
	assert.equal(fires({}, undefined, { status: 'sent' }), false);
});

/** A memory as an adapter keeps it. */
function memory() {
	let told = { statuses: {}, seen: [], arrived: {} };
	return { recall: () => told, remember: (next) => void (told = next) };
}

const envelope = (event, data) => JSON.stringify({ event, data, received_at: '2026-07-23T10:00:00Z' });

test('an event is only a hint: what fires is what the API shows, once and never back', async () => {
	const live = { data: { id: '5', status: 'paid', amount: 12.5, custom_fields: { a: 1 } } };
	const { kontor, sent } = core(json(live));
	const kept = memory();
	const claim = (status) =>
		envelope('payment_update', { payment_id: '5', status, payment_attributes: { amount: '99', ip: 'x' } });
	const { status, items } = await kontor.receive('paid', {}, claim('sent'), kept);
	assert.deepEqual(
		[status, plain(items)],
		[
			200,
			[
				{
					payment_id: '5',
					status: 'paid',
					custom_fields: { a: 1 },
					payment_attributes: { amount: '12.50' },
					_id: '5:paid',
					received_at: '2026-07-23T10:00:00Z',
					_arrived_at: new Date(NOW).toISOString(),
				},
			],
		],
	);
	assert.equal(sent[0].url, `${BASE_URL}/v2/payments/5`);
	assert.deepEqual(await kontor.receive('paid', {}, claim('paid'), kept), { status: 200, items: [] });
	assert.equal(sent.length, 1);
	const behind = core(json({ data: { status: 'new' } })).kontor;
	assert.equal((await behind.receive('paid', {}, claim('paid'), memory())).status, 503);
	const notYetThere = core(json({}, 404)).kontor;
	assert.deepEqual(await notYetThere.receive('paid', {}, claim('paid'), memory()), { status: 503, items: [] });
	const down = await core(json({}, 500)).kontor.receive('paid', {}, claim('paid'), memory());
	assert.deepEqual([down.status, down.problem.kind], [503, 'service_down']);
	assert.equal((await kontor.receive('paid', {}, '{"event": 1}', kept)).status, 400);
});

test('a bank connection must be there, or gone; an unknown event must be named, and nothing about money is believed', async () => {
	const there = core(json({ data: { id: '1', name: 'Haspa' } })).kontor;
	const without = (payments) =>
		core(({ url }) => (url.includes('sort=id') ? json({ data: payments }) : json({}, 404))).kontor;
	const gone = without([]);
	const receive = (kontor, event, data, inputs = {}) =>
		kontor.receive('anything', inputs, envelope(event, data), memory());
	const forged = { connection_id: '1', name: 'Mallory', kind: 'manual', note: 'https://evil.example' };
	const [{ _event, name, kind, note }] = (await receive(there, 'bank_news', forged)).items;
	assert.deepEqual([_event, name, kind, note], ['bank_news', 'Haspa', 'manual', undefined]);
	assert.deepEqual((await receive(gone, 'bank_news', { connection_id: '1' })).items, []);
	assert.equal((await receive(there, 'bank_gone', { connection_id: '1' })).status, 503);
	assert.deepEqual(await receive(gone, 'bank_gone', { connection_id: '1' }), { status: 503, items: [] });
	const known = without([{ id: '9', connection_id: '1' }]);
	assert.equal((await receive(known, 'bank_gone', { connection_id: '1' })).items.length, 1);
	assert.deepEqual((await receive(there, 'new_thing', { a: 1 })).items, []);
	const [named] = (await receive(there, 'new_thing', { a: 1 }, { event: 'new_thing' })).items;
	assert.deepEqual([named._confirmed, Number(named.a)], [false, 1]);
	assert.deepEqual((await receive(there, 'new_thing', { a: { Payment_of: 1 } }, { event: 'new_thing' })).items, []);
});

test('an event that is sent again was received when it first came', async () => {
	const kept = memory();
	const claim = envelope('payment_update', { payment_id: '5', status: 'paid' });
	const at = (moment, live) =>
		new Kontor(PACK, { ...core().platform, send: async () => json(live), now: () => moment }, CODE);
	const early = await at(NOW, { data: { status: 'new' } }).receive('paid', {}, claim, kept);
	assert.equal(early.status, 503);
	const { items } = await at(NOW + 60_000, { data: { status: 'paid' } }).receive('paid', {}, claim, kept);
	assert.equal(items[0]._arrived_at, new Date(NOW).toISOString());
});

test('the webhook URL is read, set and removed past the form', async () => {
	assert.equal(await core(json({}, 404)).kontor.currentWebhookUrl(), null);
	assert.equal(await core(json({ data: 'https://a' })).kontor.currentWebhookUrl(), 'https://a');
	const { kontor, sent } = core(json(null));
	await kontor.putWebhookUrl('');
	assert.deepEqual([sent[0].method, sent[0].body], ['PUT', '{"hook_url":""}']);
	const lost = core({ lost: 'maybe_sent' }, json('https://mine.example'));
	await lost.kontor.putWebhookUrl('https://mine.example');
	assert.equal(
		(await problemOf(() => lost.kontor.run('write_url', { hook_url: 'https://10.0.0.1' }))).reason,
		'url_private',
	);
});

test('the key does not travel unencrypted, except on this machine', async () => {
	const open = (baseUrl) => new Kontor(PACK, { baseUrl, now: () => NOW, sha256 }, CODE).prepare(PACK.actions.list_things, {});
	assert.equal(open('http://localhost:8320/').url, 'http://localhost:8320/v2/things?quelle=smoke');
	assert.equal((await problemOf(async () => open('http://service.example'))).reason, 'base_url_plain_http');
	assert.equal((await problemOf(async () => open(' '))).reason, 'base_url_missing');
});

test('an action and a lookup may share an id', async () => {
	const [[id, lookup]] = Object.entries(PACK.lookups).filter(([, one]) => one.request);
	const pack = { ...PACK, lookups: { ...PACK.lookups, list_things: { ...lookup, id: 'list_things' } } };
	const platform = { baseUrl: BASE_URL, now: () => NOW, sha256, send: async () => json({ data: [] }) };
	const kontor = new Kontor(pack, platform, CODE);
	assert.deepEqual((await kontor.run('list_things', {})).output, { items: [] });
	assert.deepEqual(await kontor.options('list_things', {}), await new Kontor(PACK, platform, CODE).options(id, {}));
	const absent = await problemOf(() => kontor.options('place_order', {}));
	assert.deepEqual([absent.kind, absent.reason], ['input', 'lookup_unknown']);
});

test('a process remembers its newest writes', async () => {
	const state = new ProcessState(2);
	const kept = (key) => ({ key, digest: '2:', state: 'done', at: NOW });
	for (const key of ['a', 'b', 'a', 'c']) await state.set(key, kept(key));
	assert.deepEqual([await state.get('a'), await state.get('b'), await state.get('c')], [kept('a'), undefined, kept('c')]);
	assert.equal(await state.claim('a', kept('z'), undefined), false);
	assert.equal(await state.claim('a', kept('z'), kept('a')), true);
	assert.deepEqual(await Promise.all([state.claim('d', kept('x')), state.claim('d', kept('y'))]), [true, false]);
	await state.set('a', undefined);
	assert.equal(await state.get('a'), undefined);
});
