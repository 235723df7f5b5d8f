/**
 * Runs cases in the TypeScript core, and tells what became of each as tagged JSON.
 *
 * node cases.mjs CORE INPUT OUTPUT: the folder of the core, a file with packs (by language) and cases, and a file to
 * write. `tests/cases/README.md` describes cases and tags.
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const BASE_URL = 'https://service.example';
const NOW = Date.parse('2026-05-04T08:00:00Z');
/** Of a text beyond so many characters, its SHA-256 is told. */
const LONG = 10_000;
/** Marks a sentence, which is told in both languages. */
const SAID = '$said';
const load = (path) => import(pathToFileURL(resolve(path)).href);

const [core, input, output] = process.argv.slice(2);
const { Kontor } = await load(join(core, 'kontor.ts'));
const { Exact } = await load(join(core, 'exact.ts'));
const { readJson, writeJson } = await load(join(core, 'json.ts'));
const { Problem } = await load(join(core, 'messages.ts'));
const root = join(core, '..', '..', '..', '..');
const code = {
	actions: { call_api: await ownCode('actions/any/call_api.ts', 'callApi') },
	triggers: { open_item_changed: await ownCode('triggers/ledger/open_item_changed.ts', 'openItemChanged') },
};

async function ownCode(path, name) {
	return existsSync(join(root, path)) ? (await load(join(root, path)))[name] : undefined;
}

const { packs, cases } = JSON.parse(readFileSync(input, 'utf8'));
/** In English; where a person is told something, in German too. */
async function ran(one) {
	const observe = { requests, answers, options, polls, events }[one.section];
	const found = await observe(packs.en, one);
	if (!JSON.stringify(found).includes(`"${SAID}":`)) return found;
	return inBoth(found, await observe(packs.de, one));
}

/** The same with sentences by language. */
function inBoth(en, de) {
	if (Array.isArray(en)) return en.map((one, index) => inBoth(one, de?.[index]));
	if (en === null || typeof en !== 'object') return en;
	if (SAID in en) return { en: en[SAID], de: de?.[SAID] };
	return Object.fromEntries(Object.entries(en).map(([name, value]) => [name, inBoth(value, de?.[name])]));
}

function said(sentence) {
	return { [SAID]: sentence };
}

function requests(pack, { manifest, inputs }) {
	const kontor = new Kontor(pack, new Platform(), code);
	return refused(() => {
		const { inputs: read, warnings } = kontor.check(manifest, decoded(inputs));
		const declared = declaredIn(pack, manifest);
		const request = declared.request || code.actions[manifest]?.request ? kontor.prepare(manifest, decoded(inputs)) : null;
		return { request: request && asSent(request), read: encoded(read), warnings: warnings.map(said) };
	});
}

async function answers(pack, one) {
	const platform = new Platform(one);
	const kontor = new Kontor(pack, platform, code);
	const found = await refused(async () => {
		if (declaredIn(pack, one.manifest).kind === 'trigger') {
			return { items: encoded((await kontor.poll(one.manifest, decoded(one.inputs), undefined, 'all')).items) };
		}
		return { output: encoded((await kontor.run(one.manifest, decoded(one.inputs))).output) };
	}, 'error');
	return { ...found, sent: platform.sent.length };
}

async function options(pack, one) {
	const platform = new Platform(one);
	const kontor = new Kontor(pack, platform, code);
	const found = await refused(async () => ({ options: await kontor.options(one.manifest, decoded(one.inputs)) }), 'error');
	return { ...found, sent: platform.sent.length };
}

async function polls(pack, one) {
	const { manifest, inputs, start = 'now' } = one;
	if (one.stateless) {
		const { output, request } = declaredIn(pack, manifest);
		const rows = decoded(one.rows);
		const reply = output?.list === false ? rows[0] : rows;
		const kontor = new Kontor(pack, new Platform({ ...one, text: writeJson({ data: reply }) }), code);
		return { items: request ? encoded(await kontor.pollStateless(manifest, decoded(inputs))) : [] };
	}
	const kontor = new Kontor(pack, new Platform(), code);
	const steps = [];
	let [cursor, now] = [undefined, nowOf(one)];
	for (const step of one.steps) {
		now = nowOf(step, now);
		if ('cursor_given' in step) cursor = decoded(step.cursor_given);
		const raw = decoded({ ...inputs, ...step.inputs });
		const page = { rows: decoded(step.rows ?? []), cut: step.cut ?? false };
		const made = {};
		steps.push(made);
		Object.assign(
			made,
			await refused(() => {
				kontor.check(manifest, raw);
				made.asks = encoded(kontor.asks(manifest, raw, cursor, start, now));
				const turned = kontor.turn(manifest, raw, page, cursor, start, now);
				cursor = turned.cursor;
				return { items: encoded(turned.items), cursor };
			}),
		);
		if (made.refusal) break;
	}
	return { steps };
}

function events(pack, { manifest, inputs, event, data }) {
	const kontor = new Kontor(pack, new Platform(), code);
	return refused(() => {
		kontor.check(manifest, decoded(inputs));
		return { fires: kontor.fires(manifest, event, decoded(data), decoded(inputs)) };
	});
}

/** A service that always answers the same, and a clock that moves only while somebody waits. */
class Platform {
	baseUrl = BASE_URL;
	sent = [];

	constructor(one = {}) {
		const { status, headers = {}, raw, reply = null, text, lost, timed_out: timedOut = false } = one;
		this.moment = nowOf(one);
		if (one.today) this.moment = Date.parse(`${one.today}T12:00:00Z`);
		const body = text ?? raw ?? writeJson(decoded(reply));
		this.answer = lost ? { lost, timedOut } : { status: status ? Number(status.$number) : 200, headers, text: body };
	}

	async send(request) {
		this.sent.push(request);
		return this.answer;
	}

	now() {
		return this.moment;
	}

	async sleep(milliseconds) {
		this.moment += milliseconds;
	}

	sha256(text) {
		return sha256(text);
	}
}

/** What a function gives, or how it is refused. */
async function refused(run, name = 'refusal') {
	try {
		return await run();
	} catch (error) {
		if (!(error instanceof Problem)) return { crash: String(error.stack) };
		const { kind, field = null, reason, message, remedy, outcome, also = [], reconnectUrl = null } = error;
		const sentences = { text: said(message), remedy: said(remedy) };
		return { [name]: { kind, field, message: reason, ...sentences, outcome, also, reconnect_url: reconnectUrl } };
	}
}

function declaredIn({ actions, lookups, triggers }, id) {
	return actions[id] ?? lookups[id] ?? triggers[id];
}

function asSent({ method, url, headers, body }) {
	const parts = new URL(url);
	const query = {};
	for (const [name, value] of parts.searchParams) {
		query[name] = name in query ? [query[name], value].flat() : value;
	}
	const path = url.slice(BASE_URL.length).replace(/\?.*$/, '');
	return { method, path, query, body: body === undefined ? null : encoded(readJson(body)), headers };
}

function nowOf({ now }, otherwise = NOW) {
	return now === undefined ? otherwise : Date.parse(now);
}

/** A tagged value as JavaScript has it. */
function decoded(value) {
	if (Array.isArray(value)) return value.map(decoded);
	if (value === null || typeof value !== 'object') return value;
	const [[tag, inner] = []] = Object.entries(value);
	const read = Object.hasOwn(TAGS, tag ?? '') ? TAGS[tag] : undefined;
	if (read) return read(inner);
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, decoded(one)]));
}

const TAGS = {
	$number: (text) => Exact.parse(text),
	$platform_number: Number,
	$date: (text) => text,
	$platform_date: (text) => new Date(text),
	$bytes: (base64) => base64,
	$null: () => null,
	$signs: (codes) => codes.split(' ').map((one) => String.fromCodePoint(Number.parseInt(one, 16))).join(''),
	$repeat([head, piece, { $number: times }]) {
		if (typeof head === 'string') return head + piece.repeat(Number(times));
		return [...decoded(head), ...Array.from({ length: Number(times) }, () => decoded(piece))];
	},
	$rows([{ $number: first }, { $number: last }, like]) {
		const ids = Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => String(BigInt(first) + BigInt(index)));
		return ids.map((id) => ({ id, ...decoded(like) }));
	},
};

/** A value of JavaScript as tagged JSON. */
function encoded(value) {
	if (value instanceof Exact || typeof value === 'number' || typeof value === 'bigint') return { $number: String(value) };
	if (typeof value === 'string' && value.length > LONG) return { $long: sha256(value) };
	if (Array.isArray(value)) return value.map(encoded);
	if (value === null || typeof value !== 'object') return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, encoded(one)]));
}

function sha256(text) {
	return createHash('sha256').update(text).digest('hex');
}

const told = {};
for (const one of cases) told[one.key] = await ran(one);
writeFileSync(output, JSON.stringify(told));
