/** All that an adapter needs: runs actions, fills dropdowns, polls and receives events, as the pack declares them. */

import { itemsIn, objectIn, outputOf, Unreadable } from './answers.ts';
import type { Checked } from './checks.ts';
import { checked, given } from './checks.ts';
import { Client } from './client.ts';
import { NoCursor } from './cursor.ts';
import { firesOn } from './events.ts';
import type { Received } from './hook.ts';
import { Hook } from './hook.ts';
import type { Say } from './messages.ts';
import { Problem, problem, refusal, sayer } from './messages.ts';
import { optionsOf, ownRows } from './options.ts';
import type { Look } from './polls/strategy.ts';
import type { Polling } from './polls.ts';
import { pollingOf } from './polls.ts';
import type { Call } from './request.ts';
import { buildCall, ownCall } from './request.ts';
import { isNumberless, isStart, looksCut } from './rows.ts';
import type { Code, Inputs, Manifest, Memory, Option, Outgoing, Pack, Page, Platform, Row, Turned } from './types.ts';
import { isObject } from './values.ts';

export type { Checked } from './checks.ts';
export type { Received } from './hook.ts';

const MAX_HISTORY_PAGES = 100;

export interface Ran {
	/** With exact numbers; `plain` of `json.ts` makes what a platform can hold. */
	output: Row;
	warnings: string[];
}

export interface Polled extends Turned {
	/** The list was cut off: asking again at once may bring more. */
	more: boolean;
}

/** Everything raises `Problem` (`messages.ts`). Inputs are raw wherever they go in. */
export class Kontor {
	private readonly pack: Pack;
	private readonly platform: Platform;
	private readonly code: Code;
	private readonly client: Client;
	private readonly say: Say;

	constructor(pack: Pack, platform: Platform, code: Code = {}) {
		this.pack = pack;
		this.platform = platform;
		this.code = code;
		this.client = new Client(pack, platform);
		this.say = sayer(pack.messages);
	}

	/** Everything up to the request, for an action, a lookup or a trigger. Sends nothing. */
	check(id: string, raw: Row): Checked {
		return checked(this.pack, this.manifest(id), this.code.actions?.[id], raw);
	}

	/** The request to the letter, but for the API key. Sends nothing. */
	prepare(id: string, raw: Row): Outgoing {
		return this.client.prepare(this.call(this.manifest(id), this.check(id, raw).inputs));
	}

	async run(id: string, raw: Row): Promise<Ran> {
		const manifest = this.manifest(id);
		const { inputs, warnings } = this.check(id, raw);
		const call = this.call(manifest, inputs);
		const reply = await this.client.ask(call);
		const shape =
			this.code.actions?.[id]?.shape ?? ((one: unknown) => outputOf({ ...manifest, writes: call.writes }, one));
		return { output: this.reading(() => shape(reply)), warnings };
	}

	async options(id: string, raw: Row): Promise<Option[]> {
		const manifest = this.manifest(id);
		const { inputs } = this.check(id, raw);
		const spec = manifest.options ?? { value: 'id' };
		const rows = ownRows(spec, this.pack, this.platform.now()) ?? (await this.rows(manifest, inputs, true));
		return optionsOf(spec, rows, this.pack, inputs);
	}

	/** What a poll adds to the inputs of its request. Pure. */
	asks(id: string, raw: Row, cursor: string | undefined, start: string, now: number): Inputs {
		const { strategy, spec } = this.polling(id);
		const look = this.look(id, raw, cursor, start, now);
		return this.reading(() => strategy.asks(spec, look));
	}

	/** What becomes of a page. Pure. */
	turn(id: string, raw: Row, page: Page, cursor: string | undefined, start: string, now: number): Polled {
		const { strategy, spec } = this.polling(id);
		const look = this.look(id, raw, cursor, start, now);
		if (strategy.byNumber && isNumberless(page.rows)) {
			throw problem(this.say, 'bad_reply', 'ids_not_numbers', {}, { outcome: 'unknown' });
		}
		return { ...this.reading(() => strategy.turn(spec, page, look)), more: strategy.byNumber && page.cut };
	}

	/**
	 * One poll: one page, whose `more` says whether to poll again at once. A flow that starts now reads on to the end
	 * of history; only an empty page is that for sure, and what comes behind it is new.
	 */
	async poll(id: string, raw: Row, cursor: string | undefined, start: string): Promise<Polled> {
		const { inputs } = this.check(id, raw);
		const { skipsHistory } = this.polling(id).strategy;
		const isFirst = cursor === undefined && start === 'now';
		const items: Row[] = [];
		for (let [at, pages] = [cursor, 1]; ; pages++) {
			const now = this.platform.now();
			const isPassing = Boolean(skipsHistory) && (at === undefined ? isFirst : at.endsWith('!'));
			const rows = await this.rows(this.manifest(id), { ...inputs, ...this.asks(id, raw, at, start, now) });
			const cut = looksCut(rows) || (isPassing && rows.length > 0);
			const turned = this.turn(id, raw, { rows, cut }, at, start, now);
			items.push(...turned.items);
			const goesOn = (isFirst || isPassing) && turned.more && turned.cursor !== at && pages < MAX_HISTORY_PAGES;
			if (!goesOn) return { ...turned, items };
			at = turned.cursor;
		}
	}

	/** Whether a platform that keeps no cursor can poll the trigger. */
	form(id: string): 'stateless' | 'host' {
		const { request, poll, code } = this.manifest(id);
		if (!request || !poll || code || poll.code) return 'host';
		return this.polling(id).strategy.stateless ? 'stateless' : 'host';
	}

	/** All that would fire, newest first, for a platform that keeps only the ids of what fired. */
	async pollStateless(id: string, raw: Row): Promise<Row[]> {
		const { strategy, spec } = this.polling(id);
		if (!strategy.stateless) throw new Error(`only a host can poll ${id} for a platform that keeps no cursor`);
		const { inputs } = this.check(id, raw);
		const look = this.look(id, raw, undefined, 'all', this.platform.now());
		const rows = await this.rows(this.manifest(id), { ...inputs, ...strategy.statelessAsks?.(spec, look) });
		return strategy.stateless(spec, rows, look);
	}

	/** Whether an event with these data, as the API has confirmed them, fires the trigger. Pure. */
	fires(id: string, event: string, data: Row, raw: Row): boolean {
		return firesOn(this.manifest(id).event ?? {}, event, data, given(this.pack, this.manifest(id), raw));
	}

	/** An event of the service, confirmed by the API and told once. */
	async receive(id: string, raw: Row, envelope: string, memory: Memory): Promise<Received> {
		const find = (role: string, one: string): Promise<Row | 'absent' | 'hidden'> => this.find(role, one);
		const confirmer = { pack: this.pack, sha256: this.platform.sha256, find };
		return await new Hook(confirmer, this.manifest(id), this.check(id, raw).inputs, memory).receive(envelope);
	}

	/** Null when none is set. */
	async currentWebhookUrl(): Promise<string | null> {
		const manifest = this.role('webhook_url_get');
		try {
			const { output } = await this.run(manifest.id, {});
			return (output[manifest.output?.shape?.as ?? ''] ?? null) as string | null;
		} catch (error) {
			// There is no id here that could be wrong: none is set.
			if (error instanceof Problem && error.kind === 'not_found') return null;
			throw error as Error;
		}
	}

	/** Sets the URL past the form, since a former one is put back as it was; an empty text removes it. */
	async putWebhookUrl(url: string): Promise<void> {
		const manifest = this.role('webhook_url_set');
		const name = manifest.inputs.find((field) => field.in === 'body')?.name ?? '';
		try {
			await this.client.ask(buildCall(this.pack, manifest, { [name]: url }));
		} catch (error) {
			const isUnknown = error instanceof Problem && error.kind === 'outcome_unknown';
			if (!isUnknown || (await this.currentWebhookUrl()) !== (url || null)) throw error as Error;
		}
	}

	private async find(role: string, id: string): Promise<Row | 'absent' | 'hidden'> {
		const manifest = this.role(role);
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

	private async rows(manifest: Manifest, inputs: Inputs): Promise<Row[]>;
	private async rows(manifest: Manifest, inputs: Inputs, textsToo: true): Promise<unknown[]>;
	private async rows(manifest: Manifest, inputs: Inputs, textsToo = false): Promise<unknown[]> {
		const reply = await this.client.ask(this.call(manifest, inputs));
		const key = manifest.request?.answer?.in;
		const isList = textsToo || manifest.output?.list !== false;
		const found = this.reading(() => (isList ? itemsIn(reply, key) : [objectIn(reply, key)]));
		return textsToo ? found : found.filter(isObject);
	}

	private call(manifest: Manifest, inputs: Inputs): Call {
		const own = this.code.actions?.[manifest.id]?.request?.(inputs);
		return own ? ownCall(this.pack, manifest, own) : buildCall(this.pack, manifest, inputs);
	}

	private polling(id: string): Polling {
		return pollingOf(this.manifest(id), this.code.triggers?.[id]);
	}

	private look(id: string, raw: Row, cursor: string | undefined, start: string, now: number): Look {
		const { pack, platform } = this;
		if (!isStart(start)) throw refusal(pack.messages, { reason: 'start_invalid', field: 'start', values: {} });
		return { inputs: given(pack, this.manifest(id), raw), cursor, start, now, pack, sha256: platform.sha256 };
	}

	/** Makes problems of what readers of answers and cursors raise. */
	private reading<T>(read: () => T): T {
		try {
			return read();
		} catch (error) {
			const why = (error as Error).message;
			if (error instanceof Unreadable) {
				throw problem(this.say, 'bad_reply', 'reply_unexpected', { why }, { outcome: 'unknown' });
			}
			if (!(error instanceof NoCursor)) throw error as Error;
			throw refusal(this.pack.messages, { reason: 'cursor_invalid', field: 'cursor', values: { why } });
		}
	}

	private role(role: string): Manifest {
		return this.manifest(this.pack.roles[role] ?? role);
	}

	private manifest(id: string): Manifest {
		const { actions, lookups, triggers } = this.pack;
		const found = [actions, lookups, triggers].find((one) => Object.hasOwn(one, id))?.[id];
		if (found) return found;
		throw problem(this.say, 'input', 'action_unknown', { id }, { outcome: 'not_sent' });
	}
}
