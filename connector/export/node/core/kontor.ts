/** All that an adapter needs: runs actions, fills dropdowns, polls and receives events, as the pack declares them. */

import type { Option } from './answers/options.ts';
import type { Listed } from './client/service.ts';
import { Service } from './client/service.ts';
import { firesOn } from './events/events.ts';
import type { EventMemory, Received } from './events/receive_event.ts';
import { EventReceiver } from './events/receive_event.ts';
import { isTold, likelyEvents, recentPayments } from './events/recent_events.ts';
import type { Code } from './manifest/code.ts';
import type { Inputs, Manifest, Pack } from './manifest/pack.ts';
import type { Say } from './messages.ts';
import { Problem, problem, sayer } from './messages.ts';
import type { Outgoing, Platform } from './platform.ts';
import { Poller } from './poller/poller.ts';
import type { Checked } from './rules/checks.ts';
import { writeJson } from './values/json.ts';
import type { Row } from './values/value_kinds.ts';
import type { Intent } from './writes/intent.ts';
import { checkAgent } from './writes/intent.ts';
import { sentAt } from './writes/memory.ts';
import type { Written } from './writes/write.ts';
import { Write } from './writes/write.ts';

/** The output has exact numbers; `plain` of `json.ts` makes what a platform can hold. */
export interface Ran extends Written {
	warnings: string[];
	/** Nothing was sent: a host keeps the run until another person has approved it. */
	waits?: boolean;
}

/** Everything raises `Problem` (`messages.ts`). Inputs are raw wherever they go in. */
export class Kontor {
	private readonly pack: Pack;
	private readonly platform: Platform;
	private readonly service: Service;
	readonly poller: Poller;

	constructor(pack: Pack, platform: Platform, code: Code = {}) {
		this.pack = pack;
		this.platform = platform;
		this.service = new Service(pack, platform, code);
		this.poller = new Poller(pack, platform, code, this.service);
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
		return this.service.read(manifest, raw);
	}

	/** The request to the letter, but for the API key and the marks of a write. Sends nothing. */
	prepare(manifest: Manifest, raw: Row): Outgoing {
		return this.service.prepare(manifest, this.check(manifest, raw).inputs);
	}

	/** What a repeat would duplicate is sent at most once under the key of its intent. */
	async run(id: string, raw: Row, intent: Intent = {}): Promise<Ran> {
		const { service } = this;
		const manifest = service.manifest('actions', id);
		const { inputs, warnings } = await this.checkRun(manifest, raw, intent);
		checkAgent(sayer(this.pack.messages), manifest, intent, this.platform);
		warnings.push(...(await this.unlisted(manifest, inputs)));
		const noticed: string[] = [];
		const send = (given: Inputs): Promise<Row> => service.output(manifest, given, (more) => noticed.push(...more));
		if (!service.call(manifest, inputs).writes || manifest.repeat !== 'duplicates') {
			const output = this.service.shown(await send(inputs));
			return { output, replayed: false, warnings: [...warnings, ...noticed] };
		}
		const list = (given: Inputs): Promise<Listed> => {
			const listed = service.manifest('actions', manifest.read_back?.action ?? '');
			const nameless = listed.inputs.filter(({ as }) => as === null).map(({ name }) => name);
			const asked = Object.entries(given).filter(([name]) => !nameless.includes(name));
			return service.page(listed, Object.fromEntries(asked));
		};
		const write = new Write(this.pack, this.platform, { manifest, inputs, send, list, warnings: noticed }, intent);
		const { output, ...written } = await write.run();
		return { ...written, output: this.service.shown(output), warnings: [...warnings, ...noticed] };
	}

	/** Refuses what goes along with a picked item and is in no list; warns where the list cannot be read. */
	private async unlisted({ picks, inputs: fields }: Manifest, inputs: Inputs): Promise<string[]> {
		const [say, warnings]: [Say, string[]] = [sayer(this.pack.messages), []];
		for (const [name, { lookup, with: sources }] of Object.entries(picks?.listed ?? {})) {
			const [value, label] = [inputs[name], fields.find((field) => field.name === name)?.label];
			if (value === undefined) continue;
			const given = Object.entries(sources).map(([one, from]) => [one, sourceOf(from, inputs)] as const);
			try {
				const offered = await this.service.options(lookup, Object.fromEntries(given));
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

	/** The options of a dropdown. */
	async options(id: string, raw: Row): Promise<Option[]> {
		return await this.service.options(id, raw);
	}

	/** Whether an event with these data, as the API has confirmed them, fires the trigger. Pure. */
	fires(id: string, event: string, data: Row, raw: Row): boolean {
		const trigger = this.service.manifest('triggers', id);
		return firesOn(trigger.event ?? { names: [] }, event, data, this.read(trigger, raw));
	}

	/** What the trigger's events would have told of, newest first; none where the API shows no such things. */
	async recent(id: string, raw: Row, most: number): Promise<Row[]> {
		const [{ pack, platform }, trigger] = [this, this.service.manifest('triggers', id)];
		const { inputs } = this.check(trigger, raw);
		if (!isTold(pack, trigger, inputs)) return [];
		const payments = (await this.service.list('payment_list', {})) ?? [];
		const now = new Date(platform.now()).toISOString();
		const found = this.service.shown(recentPayments(pack, trigger, inputs, payments, now));
		for (const envelope of likelyEvents(pack, trigger, inputs, payments)) {
			if (found.length >= most) break;
			found.push(...(await this.receive(id, raw, writeJson(envelope), noMemory())).items);
		}
		return found.slice(0, most);
	}

	/** Before events come in: what there is now counts as told. What cannot be read is told by its first event. */
	async beginListening(id: string, raw: Row, memory: EventMemory): Promise<void> {
		try {
			await this.receiver(id, raw, memory).begin();
		} catch (error) {
			if (!(error instanceof Problem)) throw error as Error;
		}
	}

	/** An event of the service, confirmed by the API and told once. */
	async receive(id: string, raw: Row, envelope: string, memory: EventMemory): Promise<Received> {
		const received = await this.receiver(id, raw, memory).receive(envelope);
		return { ...received, items: this.service.shown(received.items) };
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

	private receiver(id: string, raw: Row, memory: EventMemory): EventReceiver {
		const { pack, platform } = this;
		const confirmer = {
			pack,
			sha256: platform.sha256,
			now: platform.now,
			find: (role: string, id: string) => this.find(role, id),
			list: (role: string, asked: Row) => this.service.list(role, asked),
		};
		const trigger = this.service.manifest('triggers', id);
		return new EventReceiver(confirmer, trigger, this.check(trigger, raw).inputs, memory);
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
}

/** For whoever only looks. */
function noMemory(): EventMemory {
	return { recall: () => ({ statuses: {}, seen: [], arrived: {} }), remember: () => {} };
}

/** `$name` is another input of the form. */
function sourceOf(from: unknown, inputs: Inputs): unknown {
	return typeof from === 'string' && from.startsWith('$') ? inputs[from.slice(1)] : from;
}
