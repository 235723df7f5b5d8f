/** Runs one case in the TypeScript core, and tells what became of it as tagged JSON (`tests/cases/README.md`). */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { sha256, Values } from './case_values.mjs';

const BASE_URL = 'https://service.example';
const NOW = Date.parse('2026-05-04T08:00:00Z');
const EARLIER = '2026-05-03T08:00:00Z';
const NOTHING_LISTED = { reply: { data: [] } };
/** Marks a sentence, which is told in both languages. */
const SAID = '$said';
const said = (sentence) => ({ [SAID]: sentence });

export class Runner {
	/** `core` is the folder of the core; `packs` are by the wire names that cases override, and by language. */
	static async of(core, packs) {
		const load = (path) => import(pathToFileURL(resolve(core, path)).href);
		const [{ digest }, { Kontor }, { Exact }, json, { Problem }, { wordsOf }] = [
			await load('writes/digest.ts'),
			await load('kontor.ts'),
			await load('values/exact.ts'),
			await load('values/json.ts'),
			await load('messages.ts'),
			await load('writes/intent.ts'),
		];
		const beside = async (path, name) => {
			const file = join('..', '..', '..', '..', path);
			return existsSync(join(core, file)) ? (await load(file))[name] : undefined;
		};
		const code = {
			actions: {
				call_api: await beside('actions/any/call_api.ts', 'callApi'),
				get_due_dates: await beside('actions/ledger/get_due_dates.ts', 'getDueDates'),
			},
			triggers: { open_item_changed: await beside('triggers/ledger/open_item_changed.ts', 'openItemChanged') },
		};
		return new Runner({ Kontor, Problem, wordsOf, digest, json, code, values: new Values(Exact) }, packs);
	}

	constructor(core, packs) {
		Object.assign(this, core);
		this.packs = packs;
	}

	/** In English; where a person is told something, in German too. */
	async ran(one) {
		const packs = this.packs[one.wire];
		const found = await this[one.section](packs[one.lang ?? 'en'], one);
		if (!JSON.stringify(found).includes(`"${SAID}":`)) return found;
		return inBoth(found, await this[one.section](packs.de, one));
	}

	requests(pack, { manifest, inputs, zone }) {
		const kontor = new this.Kontor(pack, { ...this.platform(), zone }, this.code);
		return this.refused(() => {
			const declared = declaredIn(pack, manifest);
			const { inputs: read, warnings } = kontor.check(declared, this.decoded(inputs));
			const each = declared.poll?.alarm?.each?.input;
			const isOpen = each !== undefined && read[each] === undefined;
			const sends = (declared.request && !isOpen) || this.code.actions[manifest]?.request;
			const request = sends ? this.asSent(kontor.prepare(declared, this.decoded(inputs))) : null;
			return { request, read: this.encoded(read), warnings: warnings.map(said) };
		});
	}

	async answers(pack, one) {
		const platform = this.platform(one, declaredIn(pack, one.manifest).read_back && [NOTHING_LISTED]);
		const kontor = new this.Kontor(pack, platform, this.code);
		const found = await this.refused(async () => {
			if (declaredIn(pack, one.manifest).kind !== 'trigger') {
				const { output, warnings } = await kontor.run(one.manifest, this.decoded(one.inputs));
				return { output: this.encoded(output), warnings: warnings.map(said) };
			}
			const { items, more } = await kontor.poller.poll(one.manifest, this.decoded(one.inputs), undefined, 'all');
			return { items: this.encoded(items), more };
		}, 'error');
		return { ...found, sent: platform.sent };
	}

	async options(pack, one) {
		const platform = this.platform(one);
		const kontor = new this.Kontor(pack, platform, this.code);
		const options = () => kontor.options(one.manifest, this.decoded(one.inputs));
		const found = await this.refused(async () => ({ options: await options() }), 'error');
		return { ...found, sent: platform.sent };
	}

	async polls(pack, one) {
		const { manifest, inputs, start = 'now' } = one;
		if (one.stateless) return await this.stateless(pack, one);
		const kontor = new this.Kontor(pack, this.platform(), this.code);
		const steps = [];
		let [cursor, now] = [undefined, nowOf(one)];
		for (const step of one.steps) {
			now = nowOf(step, now);
			if ('cursor_given' in step) cursor = this.decoded(step.cursor_given);
			const raw = this.decoded({ ...inputs, ...step.inputs });
			const behind = step.behind === undefined ? {} : { behind: BigInt(step.behind) };
			const page = { rows: this.decoded(step.rows ?? []), cut: step.cut ?? false, ...behind };
			let asks;
			const turn = () => {
				kontor.check(declaredIn(pack, manifest), raw);
				asks = this.encoded(kontor.poller.asks(manifest, raw, cursor, start, now));
				const turned = kontor.poller.turn(manifest, raw, page, cursor, start, now);
				cursor = turned.cursor;
				return { items: this.encoded(turned.items), cursor, more: turned.more };
			};
			const made = { ...(await this.refused(turn)), asks };
			steps.push(made);
			if (!('items' in made)) break;
		}
		return { steps };
	}

	async stateless(pack, one) {
		const rows = this.decoded(one.rows);
		const reply = declaredIn(pack, one.manifest).output?.list === false ? rows[0] : rows;
		const platform = this.platform({ ...one, raw: this.json.writeJson({ data: reply }) });
		const kontor = new this.Kontor(pack, platform, this.code);
		const { items } = await kontor.poller.pollStateless(one.manifest, this.decoded(one.inputs));
		return { items: this.encoded(items), query: this.asSent(platform.first).query };
	}

	events(pack, { manifest, inputs, event, data }) {
		const kontor = new this.Kontor(pack, this.platform(), this.code);
		return this.refused(() => {
			kontor.check(declaredIn(pack, manifest), this.decoded(inputs));
			return { fires: kontor.fires(manifest, event, this.decoded(data), this.decoded(inputs)) };
		});
	}

	/** An event that comes in, while the API shows what the case says; `before` is what it showed when one was told. */
	async confirmed(pack, { manifest, inputs, event, data, received_at, before, ...shows }) {
		const claimed = this.decoded(data);
		const envelope = (time) => this.json.writeJson({ event, data: claimed, received_at: this.decoded(time ?? null) });
		const memory = newMemory();
		if (before) {
			const { items } = await this.showing(pack, claimed, before).receive(manifest, this.decoded(inputs), envelope(EARLIER), memory);
			if (items.length !== 1) throw new Error('the event before was not told');
		}
		const kontor = this.showing(pack, claimed, shows);
		const { items } = await kontor.receive(manifest, this.decoded(inputs), envelope(received_at), memory);
		return { item: this.encoded(items[0] ?? null) };
	}

	/** A core whose API shows this of what an event speaks of. */
	showing(pack, claimed, { shown, accounts, former }) {
		const told = [
			['payment', { id: claimed.payment_id }, shown],
			['bank_connection', { id: claimed.connection_id }, shown],
			['account_list', { connection_id: claimed.connection_id }, accounts],
			['payment_list', { sort: 'id' }, former ? [{ id: '1', connection_id: claimed.connection_id, ...former }] : []],
		];
		const kontor = new this.Kontor(pack, this.platform(), this.code);
		const answers = new Map();
		for (const [role, asked, reply] of told) {
			if (Object.values(asked).includes(undefined)) continue;
			const { url } = kontor.prepare(pack.actions[pack.roles[role]], asked);
			answers.set(url, reply === undefined ? GONE : { reply: { data: reply } });
		}
		const send = async ({ url }) => this.answer(answers.get(url) ?? NOT_ASKED);
		return new this.Kontor(pack, { ...this.platform(), send }, this.code);
	}

	/** What a function gives, or how it is refused. */
	async refused(run, name = 'refusal') {
		try {
			return await run();
		} catch (error) {
			if (!(error instanceof this.Problem)) return { crash: String(error?.stack ?? error) };
			const { kind, field = null, reason, message, remedy, outcome, proof = null, also = [], reconnectUrl = null } = error;
			const sentences = { text: said(message), remedy: said(remedy) };
			const told = { kind, field, message: reason, ...sentences, outcome, proof, also, reconnect_url: reconnectUrl };
			return { [name]: told };
		}
	}

	/** The digest of what a write means. */
	digests(pack, { manifest, inputs }) {
		const kontor = new this.Kontor(pack, this.platform(), this.code);
		const declared = declaredIn(pack, manifest);
		return this.refused(() => {
			const { inputs: read } = kontor.check(declared, this.decoded(inputs));
			return { digest: this.digest(sha256, manifest, declared.inputs, read) };
		});
	}

	/** A write, while the list in which it may be found again shows one thing after the other. */
	async writes(pack, one) {
		const { manifest, inputs, with_key: key, again, guarded, agent, looks = [], remembered = [] } = one;
		const platform = this.platform({ ...one, now: one.first_at ?? one.now }, declaredIn(pack, manifest).read_back && looks);
		const state = new Remembering(remembered, platform.now(), one.memory_fails, (value) => this.decoded(value));
		state.overtaken = this.decoded(one.overtaken);
		const patience = one.patience && Number(one.patience.$number);
		let noted;
		const send = async (request) => {
			noted ??= request.method === 'GET' ? undefined : state.kinds();
			return await platform.send(request);
		};
		const kontor = new this.Kontor(pack, { ...platform, send, state, patience, agentsMayPay: one.agents_may_pay }, this.code);
		const intent = { key, again, ...(guarded === undefined ? {} : { guarded }), agent };
		const run = async () => {
			const { output, replayed, warnings } = await kontor.run(manifest, this.decoded(inputs), intent);
			return { output: this.encoded(output), replayed, warnings: warnings.map(said) };
		};
		if (one.first_at) {
			await this.refused(run);
			await platform.sleep(nowOf(one) - platform.now());
		}
		const found = await this.refused(run, 'error');
		const body = platform.last ? this.asSent(platform.last).body : null;
		const told = { ...found, sent: platform.sent, looked: platform.looked, body };
		if ('words' in one) told.words = this.wordsOf(intent);
		if ('noted' in one) told.noted = noted;
		if ('keeps' in one) told.keeps = this.encoded(state.told());
		return told;
	}

	/**
	 * A service that always answers the same, and a clock that moves only while somebody waits. What is read for the
	 * sake of a write is answered by `looks`, one after the other, and not counted.
	 */
	platform(one = {}, looks = undefined) {
		const left = [...(looks || [])];
		let moment = one.today ? Date.parse(`${one.today}T12:00:00Z`) : nowOf(one);
		const platform = {
			baseUrl: BASE_URL,
			sent: 0,
			looked: 0,
			send: async (request) => {
				if (looks && request.method === 'GET') {
					platform.looked += 1;
					const shown = left.length > 1 ? left.shift() : left[0];
					const query = new URL(request.url).search.slice(1);
					return this.answer((shown.asked ?? query) === query ? shown : NOT_ASKED);
				}
				platform.sent += 1;
				platform.last = request;
				platform.first ??= request;
				const isGone = (one.gone ?? []).includes(new URL(request.url).pathname.split('/').at(-1));
				return this.answer(isGone ? GONE : one);
			},
			now: () => moment,
			async sleep(milliseconds) {
				moment += milliseconds;
			},
			sha256,
		};
		return platform;
	}

	answer({ status, headers = {}, raw, reply = null, lost, timed_out: timedOut = false, breaks }) {
		if (breaks) throw new Error(breaks);
		const text = raw ?? this.json.writeJson(this.decoded(reply));
		return lost ? { lost, timedOut } : { status: Number(status?.$number ?? 200), headers, text };
	}

	asSent({ method, url, headers, body }) {
		const query = {};
		for (const [name, value] of new URL(url).searchParams) {
			query[name] = name in query ? [query[name], value].flat() : value;
		}
		const path = url.slice(BASE_URL.length).replace(/\?.+$/, '');
		// A body that says null is not the same as none.
		const content = body === undefined ? null : (this.encoded(this.json.readJson(body)) ?? { $body: body });
		return { method, path, query, body: content, headers };
	}

	decoded(value) {
		return this.values.decoded(value);
	}

	encoded(value) {
		return this.values.encoded(value);
	}
}

/** What a package remembers of writes: what the case says, and then what it is told. */
class Remembering {
	constructor(remembered, now, fails, decoded) {
		this.kept = new Map();
		this.fails = fails;
		this.changed = new Map();
		for (const { key, digest, state, minutes, output } of remembered) {
			const at = now - Number(minutes.$number) * 60_000;
			const kept = { key, digest, state, at, ...(output ? { output: decoded(output) } : {}) };
			this.kept.set(`key:${key}`, kept).set(`digest:${digest}`, kept);
		}
	}

	async get(name) {
		if (this.fails) throw new Error('no room');
		return this.kept.get(name);
	}

	async set(name, kept) {
		this.changed.set(name, kept);
		this.kept.set(name, kept);
	}

	/** Another one may come first, between the questions and this. */
	async claim(name, kept, seen) {
		const [kind] = name.split(':');
		if (this.overtaken?.[kind]) this.kept.set(name, { ...kept, key: 'another', ...this.overtaken[kind] });
		const found = this.kept.get(name);
		if (found && found.key !== seen?.key) return false;
		await this.set(name, kept);
		return true;
	}

	/** Under what it is kept. */
	kinds() {
		return [...this.changed.keys()].map((name) => name.split(':')[0]).sort();
	}

	/** In which state it is kept, with which output, and whether under its key too. */
	told() {
		const [kept] = [...this.changed.values()].slice(-1);
		if (!kept) return null;
		const output = 'output' in kept ? { output: kept.output ?? 'undefined' } : {};
		return { state: kept.state, ...output, keyed: this.kinds().includes('key') };
	}
}

/** What an event trigger has told of: nothing yet. */
function newMemory() {
	let told = { statuses: {}, seen: [], arrived: {} };
	return { recall: () => told, remember: (next) => void (told = next) };
}

/** The same with sentences by language. */
function inBoth(en, de) {
	if (Array.isArray(en)) return en.map((one, index) => inBoth(one, de?.[index]));
	if (en === null || typeof en !== 'object') return en;
	if (SAID in en) return { en: en[SAID], de: de?.[SAID] };
	return Object.fromEntries(Object.entries(en).map(([name, value]) => [name, inBoth(value, de?.[name])]));
}

const GONE = { status: { $number: '404' }, reply: { error: 'gone' } };
const NOT_ASKED = { status: { $number: '400' }, reply: { error: 'another query was expected' } };

function declaredIn({ actions, lookups, triggers }, id) {
	return actions[id] ?? lookups[id] ?? triggers[id];
}

function nowOf({ now }, otherwise = NOW) {
	return now === undefined ? otherwise : Date.parse(now);
}
