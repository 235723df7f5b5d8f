/** All that an adapter needs: runs actions, fills dropdowns, polls and receives events, as the pack declares them. */

import { withoutMarks } from './answers.ts';
import type { Checked } from './checks.ts';
import { given } from './checks.ts';
import { Cursor } from './cursor.ts';
import { firesOn } from './events.ts';
import type { Received } from './hook.ts';
import { Hook } from './hook.ts';
import type { Intent } from './intent.ts';
import { checkAgent } from './intent.ts';
import type { LatePage } from './late_rows.ts';
import type { Listed } from './look.ts';
import { sentAt } from './memory.ts';
import type { Say } from './messages.ts';
import { Problem, problem, refusal, sayer } from './messages.ts';
import { optionsOf, ownRows } from './options.ts';
import type { Look } from './polls/strategy.ts';
import type { Polling } from './polls.ts';
import { pollingOf } from './polls.ts';
import { isNumberless, isStart, looksCut, numbered } from './rows.ts';
import { Service } from './service.ts';
import { at as valueAt } from './templates.ts';
import type { Found, Looked, Polled } from './thrift.ts';
import { fallsShort, pollDue } from './thrift.ts';
import type {
	Code,
	Counts,
	How,
	Inputs,
	Manifest,
	Memory,
	Option,
	Outgoing,
	Pack,
	Page,
	Platform,
	Row,
} from './types.ts';
import { textOf } from './values.ts';
import { rowsOfEach } from './watched.ts';
import type { Written } from './writes.ts';
import { Write } from './writes.ts';

const MAX_STATELESS_PAGES = 10;

/** The output has exact numbers; `plain` of `json.ts` makes what a platform can hold. */
export interface Ran extends Written {
	warnings: string[];
}

/** What a poll without a cursor shows, and how many rows its largest page had. */
interface Shown {
	items: Row[];
	largest: number;
}

/** Everything raises `Problem` (`messages.ts`). Inputs are raw wherever they go in. */
export class Kontor {
	private readonly pack: Pack;
	private readonly platform: Platform;
	private readonly code: Code;
	private readonly service: Service;

	constructor(pack: Pack, platform: Platform, code: Code = {}) {
		this.pack = pack;
		this.platform = platform;
		this.code = code;
		this.service = new Service(pack, platform, code);
	}

	/** Everything up to the request, for an action, a lookup or a trigger. Sends nothing. */
	check(manifest: Manifest, raw: Row): Checked {
		return this.service.check(manifest, raw);
	}

	/**
	 * As `check`, for a run. What was sent under its key is read as on the day when it was begun: it is only replayed,
	 * and a date in it may have passed since.
	 */
	async checkRun(manifest: Manifest, raw: Row, { key = '' }: Intent): Promise<Checked> {
		try {
			return this.check(manifest, raw);
		} catch {
			const begun = await sentAt(this.platform.state, key);
			return this.service.check(manifest, raw, this.service.when(begun));
		}
	}

	/** The inputs as exact values, whatever rules say of them. */
	read(manifest: Manifest, raw: Row): Inputs {
		return given(this.pack, manifest, raw, this.service.when());
	}

	/** The request to the letter, but for the API key and the marks of a write. Sends nothing. */
	prepare(manifest: Manifest, raw: Row): Outgoing {
		return this.service.prepare(manifest, this.check(manifest, raw).inputs);
	}

	/** What a repeat would duplicate is sent at most once under the key of its intent. */
	async run(id: string, raw: Row, intent: Intent = {}): Promise<Ran> {
		const { service } = this;
		const manifest = service.found('actions', id);
		const { inputs, warnings } = await this.checkRun(manifest, raw, intent);
		checkAgent(sayer(this.pack.messages), manifest, intent, this.platform);
		warnings.push(...(await this.unlisted(manifest, inputs)));
		const send = (given: Inputs): Promise<Row> =>
			service.output(manifest, given, (noticed) => warnings.push(...noticed));
		if (!service.call(manifest, inputs).writes || manifest.repeat !== 'duplicates') {
			return { output: this.shown(await send(inputs)), replayed: false, warnings };
		}
		const list = (given: Inputs): Promise<Listed> => {
			const listed = service.found('actions', manifest.read_back?.action ?? '');
			const nameless = listed.inputs.filter(({ as }) => as === null).map(({ name }) => name);
			const asked = Object.entries(given).filter(([name]) => !nameless.includes(name));
			return service.page(listed, Object.fromEntries(asked));
		};
		const write = new Write(this.pack, this.platform, { manifest, inputs, send, list }, intent);
		const { output, ...written } = await write.run();
		return { ...written, output: this.shown(output), warnings };
	}

	/** Refuses what goes along with a picked item and is in no list; warns where the list cannot be read. */
	private async unlisted({ picks, inputs: fields }: Manifest, inputs: Inputs): Promise<string[]> {
		const [say, warnings]: [Say, string[]] = [sayer(this.pack.messages), []];
		for (const [name, { lookup, with: sources }] of Object.entries(picks?.listed ?? {})) {
			const [value, label] = [inputs[name], fields.find((field) => field.name === name)?.label];
			if (value === undefined) continue;
			const given = Object.entries(sources).map(([one, from]) => [one, sourceOf(from, inputs)] as const);
			try {
				const offered = await this.options(lookup, Object.fromEntries(given));
				if (offered.some((option) => option.value === value)) continue;
			} catch (error) {
				if (!(error instanceof Problem)) throw error as Error;
				warnings.push(say('pick_unchecked', { label, why: error.message }));
				continue;
			}
			throw problem(say, 'not_found', 'pick_absent', { label, value }, { field: name, label });
		}
		return warnings;
	}

	async options(id: string, raw: Row): Promise<Option[]> {
		const lookup = this.service.found('lookups', id);
		const { inputs } = this.check(lookup, raw);
		const spec = lookup.options ?? { value: 'id', label: 'id' };
		const own = ownRows(spec, this.pack, this.platform.now());
		return optionsOf(spec, own ?? (await this.service.items(lookup, inputs)).items, this.pack, inputs);
	}

	/** What a poll adds to the inputs of its request. Pure. */
	asks(id: string, raw: Row, cursor: string | undefined, start: string, now: number): Inputs {
		const { strategy, spec } = this.polling(id);
		const look = this.look(id, raw, cursor, start, now);
		return this.service.reading(() => strategy.asks(spec, look));
	}

	/** What becomes of a page. Pure. */
	turn(id: string, raw: Row, page: Page, cursor: string | undefined, start: string, now: number): Polled {
		const { strategy, spec } = this.polling(id);
		const look = this.look(id, raw, cursor, start, now);
		if (strategy.byNumber && isNumberless(page.rows)) {
			const say = sayer(this.pack.messages);
			throw problem(say, 'bad_reply', 'ids_not_numbers', {}, { outcome: 'unknown' });
		}
		const turned = this.service.reading(() => strategy.turn(spec, page, look));
		// A further page of a free list is asked for until one brings nothing new; a paid one must be worth its credit.
		const { thrift } = this.service.found('triggers', id);
		const isFreshAndFree = turned.news === true && thrift === undefined;
		return { ...turned, more: strategy.byNumber && (page.cut || turned.more === true || isFreshAndFree) };
	}

	/**
	 * One page, whose `more` says whether to poll again at once; `ahead`, no row is read again. A flow that starts now
	 * reads on to the end of history: only an empty page is that for sure, and what comes behind it is new.
	 */
	async poll(id: string, raw: Row, cursor: string | undefined, start: string, how: How = {}): Promise<Polled> {
		const { ahead = false } = how;
		const trigger = this.service.found('triggers', id);
		const [{ inputs }, { strategy, spec }] = [this.check(trigger, raw), this.polling(id)];
		const [isFirst, items, ids]: [boolean, Row[], bigint[]] = [cursor === undefined && start === 'now', [], []];
		// A list that is read by date at first cannot be compared with the count.
		const isCounted = trigger.thrift?.signs !== undefined && trigger.poll?.by_id !== undefined;
		for (let [at, read, newest] = [cursor, 0, '']; ; ) {
			const now = this.platform.now();
			const known = strategy.byNumber ? this.service.reading(() => Cursor.read(at, start)) : new Cursor();
			const isPassing = Boolean(strategy.skipsHistory) && (at === undefined ? isFirst : known.skipping);
			const place = known.after;
			const from = ahead ? { [(spec as { after: string }).after]: String(place) } : {};
			const asked = { ...inputs, ...this.asks(id, raw, at, start, now), ...from };
			const rows = await this.rows(trigger, asked, this.look(id, raw, at, start, now));
			read += rows.length;
			const isWhole = isCounted && isFirst && read >= (how.counted ?? Infinity);
			const cut = looksCut(rows) || ((isFirst || isPassing) && rows.length > 0 && !isWhole);
			const turned = this.turn(id, raw, { rows, cut, ...(ahead ? { behind: place } : {}) }, at, start, now);
			items.push(...turned.items);
			ids.push(...[...numbered(rows).keys()].filter((number) => number > place));
			newest = [newest, ...rows.map((row) => textOf(valueAt(row, arrivalOf(trigger))))].sort().at(-1) ?? '';
			const isLast = !(isFirst || isPassing) || !turned.more || turned.cursor === at;
			const isEnd = (isFirst || isPassing) && !turned.more;
			const more = turned.more || (isCounted && !isEnd && fallsShort(ids.length, how));
			if (isLast) return { ...turned, more, items, shown: rows.length, fresh: ids.length, ids, newest, isEnd };
			at = turned.cursor;
		}
	}

	/** As `poll`, but only where it is due, and to the end; `looked` is what the last one left. */
	async pollDue(id: string, raw: Row, cursor: string | undefined, start: string, looked?: Looked): Promise<Found> {
		const [trigger, { sha256 }] = [this.service.found('triggers', id), this.platform];
		const accounts = (asked: Row) => this.list('account_list', asked).catch(() => undefined);
		const [{ inputs }, now, byId] = [this.check(trigger, raw), this.platform.now(), trigger.poll?.by_id];
		const poll = (at: string | undefined, ahead: boolean, counts: Counts): Promise<Polled> =>
			this.poll(id, raw, at, start, { ahead, ...counts });
		const late = async (behind: string): Promise<LatePage> => ({
			rows: this.shown((await this.service.page(trigger, { ...inputs, [byId?.after ?? '']: behind })).rows),
			came: arrivalOf(trigger),
			turn: (rows) => this.turn(id, raw, { rows, cut: false }, behind, start, now),
		});
		const asker = { poll, accounts, now, sha256, ...(byId ? { late } : {}) };
		return await pollDue(asker, trigger, inputs, cursor, looked);
	}

	/**
	 * All that would fire, newest first, for a platform that keeps only the ids of what fired. The list is read on
	 * until a page brings nothing new, or is shorter than the largest one: all but the last have the same length.
	 */
	async pollStateless(id: string, raw: Row, largest = 0): Promise<Shown> {
		const [trigger, { strategy, spec }] = [this.service.found('triggers', id), this.polling(id)];
		if (!strategy.stateless) throw new Error(`only a host can poll ${id} for a platform that keeps no cursor`);
		const look = this.look(id, raw, undefined, 'all', this.platform.now());
		const asked = { ...this.check(trigger, raw).inputs, ...strategy.statelessAsks?.(spec, look) };
		const rows = await this.rows(trigger, asked, look);
		let size = largest;
		for (let [pages, page, after] = [1, rows, -1n]; strategy.byNumber && page.length >= size; pages++) {
			size = page.length;
			const last = [...numbered(page).keys()].at(-1) ?? after;
			if (last <= after || pages >= MAX_STATELESS_PAGES) break;
			const behind = strategy.asks(spec, { ...look, cursor: String(last) });
			({ rows: page } = await this.service.page(trigger, { ...asked, ...behind }));
			rows.push(...this.shown(page));
			after = last;
		}
		return { items: strategy.stateless(spec, rows, look), largest: size };
	}

	/** Whether an event with these data, as the API has confirmed them, fires the trigger. Pure. */
	fires(id: string, event: string, data: Row, raw: Row): boolean {
		const trigger = this.service.found('triggers', id);
		return firesOn(trigger.event ?? { names: [] }, event, data, this.read(trigger, raw));
	}

	/** An event of the service, confirmed by the API and told once. */
	async receive(id: string, raw: Row, envelope: string, memory: Memory): Promise<Received> {
		const { pack, platform } = this;
		const confirmer = {
			pack,
			sha256: platform.sha256,
			now: platform.now,
			find: (role: string, one: string) => this.find(role, one),
			list: (role: string, asked: Row) => this.list(role, asked),
		};
		const trigger = this.service.found('triggers', id);
		const hook = new Hook(confirmer, trigger, this.check(trigger, raw).inputs, memory);
		const received = await hook.receive(envelope);
		return { ...received, items: this.shown(received.items) };
	}

	/** Null when none is set. */
	async currentWebhookUrl(): Promise<string | null> {
		const manifest = this.service.role('webhook_url_get');
		try {
			const output = await this.service.output(manifest, {});
			return (output[manifest.output?.shape?.as ?? ''] ?? null) as string | null;
		} catch (error) {
			// There is no id here that could be wrong: none is set.
			if (error instanceof Problem && error.kind === 'not_found') return null;
			throw error as Error;
		}
	}

	/** Sets the URL past the form, since a former one is put back as it was; an empty text removes it. */
	async putWebhookUrl(url: string): Promise<void> {
		const manifest = this.service.role('webhook_url_set');
		const name = manifest.inputs.find((field) => field.in === 'body')?.name ?? '';
		try {
			await this.service.ask(manifest, { [name]: url });
		} catch (error) {
			const isUnknown = error instanceof Problem && error.kind === 'outcome_unknown';
			if (!isUnknown || (await this.currentWebhookUrl()) !== (url || null)) throw error as Error;
		}
	}

	private async find(role: string, id: string): Promise<Row | 'absent' | 'hidden'> {
		const manifest = this.service.role(role);
		const name = manifest.inputs.find((field) => field.in === 'path')?.name ?? '';
		try {
			return (await this.run(manifest.id, { [name]: id })).output;
		} catch (error) {
			const kind = error instanceof Problem ? error.kind : '';
			if (['not_found', 'refused', 'input'].includes(kind)) return 'absent';
			if (kind === 'right_missing') return 'hidden';
			throw error as Error;
		}
	}

	async list(role: string, asked: Row): Promise<Row[] | undefined> {
		const manifest = this.service.role(role);
		try {
			return (await this.service.page(manifest, this.check(manifest, asked).inputs)).rows;
		} catch (error) {
			const kind = error instanceof Problem ? error.kind : '';
			if (['not_found', 'refused', 'input', 'right_missing'].includes(kind)) return undefined;
			throw error as Error;
		}
	}

	/** The rows of a poll; where it watches several and none is named, one row of each that is known. */
	private async rows(trigger: Manifest, asked: Inputs, look: Look): Promise<Row[]> {
		const each = trigger.poll?.alarm?.each;
		if (!each || asked[each.input] !== undefined) return this.shown((await this.service.page(trigger, asked)).rows);
		const { strategy, spec } = this.polling(trigger.id);
		const before = this.service.reading(() => strategy.known?.(spec, look) ?? []);
		const listed = (await this.options(each.from, {})).map(({ value }) => value);
		return await rowsOfEach(each, before, listed, (id) => this.one(trigger, { ...asked, [each.input]: id }));
	}

	/** What users see of it: all but our own marks. */
	private shown<T>(value: T): T {
		return withoutMarks(this.pack.marks ?? {}, value);
	}

	/** No row when it is no longer there. */
	private async one(trigger: Manifest, asked: Inputs): Promise<Row[]> {
		try {
			return (await this.service.page(trigger, asked)).rows;
		} catch (error) {
			if ((error as Problem).kind === 'not_found') return [];
			throw error as Error;
		}
	}

	private polling(id: string): Polling {
		return pollingOf(this.service.found('triggers', id), this.code.triggers?.[id]);
	}

	private look(id: string, raw: Row, cursor: string | undefined, start: string, now: number): Look {
		const { pack, platform } = this;
		if (!isStart(start)) throw refusal(pack.messages, { reason: 'start_invalid', field: 'start', values: {} });
		const inputs = this.read(this.service.found('triggers', id), raw);
		return { inputs, cursor, start, now, pack, sha256: platform.sha256 };
	}
}

/** The field that says when a row came in. */
function arrivalOf({ poll }: Manifest): string {
	return poll?.by_id?.wait?.came ?? poll?.by_id?.late?.came ?? '';
}

/** `$name` is another input of the form. */
function sourceOf(from: unknown, inputs: Inputs): unknown {
	return typeof from === 'string' && from.startsWith('$') ? inputs[from.slice(1)] : from;
}
