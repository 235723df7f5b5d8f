/** The service as the manifests describe it: what they ask of it, and how its answers are read. */

import { itemsIn, NotListed, objectIn, outputOf, Unreadable, withoutMarks } from '../answers/answers.ts';
import type { Option } from '../answers/options.ts';
import { optionsOf, ownRows } from '../answers/options.ts';
import type { ActionCode, Code } from '../manifest/code.ts';
import type { Inputs, Manifest, Pack } from '../manifest/pack.ts';
import type { Say } from '../messages.ts';
import { Problem, problem, refusal, sayer } from '../messages.ts';
import type { Outgoing, Platform } from '../platform.ts';
import { NoCursor } from '../polls/cursor.ts';
import type { Checked } from '../rules/checks.ts';
import { checked, readGiven } from '../rules/checks.ts';
import type { When } from '../values/dates.ts';
import { whenIn } from '../values/dates.ts';
import type { Row } from '../values/value_kinds.ts';
import { objectsIn } from '../values/value_kinds.ts';
import type { Reply } from './client.ts';
import { Client } from './client.ts';
import type { Call } from './request.ts';
import { buildCall, ownCall } from './request.ts';

/** One page, and the time on the service's clock where it tells that, else on ours. */
export interface Listed {
	rows: Row[];
	now: number;
}

const UNKNOWN = { actions: 'action_unknown', lookups: 'lookup_unknown', triggers: 'trigger_unknown' };

export class Service {
	private readonly pack: Pack;
	private readonly code: Code;
	private readonly client: Client;
	private readonly platform: Platform;

	constructor(pack: Pack, platform: Platform, code: Code) {
		this.pack = pack;
		this.platform = platform;
		this.code = code;
		this.client = new Client(pack, platform);
	}

	/** Actions, lookups and triggers may share an id. */
	manifest(kind: 'actions' | 'lookups' | 'triggers', id: string): Manifest {
		const { [kind]: declared, messages } = this.pack;
		const manifest = Object.hasOwn(declared, id) ? declared[id] : undefined;
		if (manifest) return manifest;
		throw problem(sayer(messages), 'input', UNKNOWN[kind], { id }, { outcome: 'not_sent' });
	}

	/** The action that is needed for something. */
	role(role: string): Manifest {
		return this.manifest('actions', this.pack.roles[role] ?? role);
	}

	check(manifest: Manifest, raw: Row, when = this.when()): Checked {
		return checked(this.pack, manifest, this.own(manifest), raw, when);
	}

	/** The inputs as exact values, whatever rules say of them. */
	read(manifest: Manifest, raw: Row): Inputs {
		return readGiven(this.pack, manifest, raw, this.when());
	}

	/** The moment at which inputs are read, and the zone of the flow. */
	when(now = this.platform.now()): When {
		return whenIn(now, this.platform.zone ?? '');
	}

	call(manifest: Manifest, inputs: Inputs): Call {
		const own = this.own(manifest)?.request?.(inputs);
		return own ? ownCall(this.pack, manifest, own, this.when()) : buildCall(this.pack, manifest, inputs);
	}

	prepare(manifest: Manifest, inputs: Inputs): Outgoing {
		return this.client.prepare(this.call(manifest, inputs));
	}

	async ask(manifest: Manifest, inputs: Inputs): Promise<Reply> {
		return await this.client.ask(this.call(manifest, inputs));
	}

	async output(manifest: Manifest, inputs: Inputs, warn: (warnings: string[]) => void = () => {}): Promise<Row> {
		const { value, warnings } = await this.ask(manifest, inputs);
		warn(warnings);
		const { writes } = this.call(manifest, inputs);
		const [own, { picks }] = [this.own(manifest)?.shape, manifest];
		const say = sayer(this.pack.messages);
		if (picks?.credits) warn([say('pick_paid', { credits: creditsText(say, picks.credits) })]);
		return this.reading(() => {
			if (own && !picks) return own(value, inputs);
			const output = outputOf({ ...manifest, writes }, value, inputs);
			return own ? own(output, inputs) : output;
		}, manifest);
	}

	/** The entries of a list, texts among them; what is no list is one entry. */
	async items(manifest: Manifest, inputs: Inputs): Promise<{ items: unknown[]; now: number }> {
		const { value, now } = await this.ask(manifest, inputs);
		const [key, isList] = [manifest.request?.answer?.in, manifest.output?.list !== false];
		return { items: this.reading(() => (isList ? itemsIn(value, key) : [objectIn(value, key)])), now };
	}

	async page(manifest: Manifest, inputs: Inputs): Promise<Listed> {
		const { items, now } = await this.items(manifest, inputs);
		return { rows: objectsIn(items), now };
	}

	/** The options of a dropdown. */
	async options(id: string, raw: Row): Promise<Option[]> {
		const lookup = this.manifest('lookups', id);
		const { inputs } = this.check(lookup, raw);
		const spec = lookup.options ?? { value: 'id', label: 'id' };
		const own = ownRows(spec, this.pack, this.platform.now());
		return optionsOf(spec, own ?? (await this.items(lookup, inputs)).items, this.pack, inputs);
	}

	/** The rows that a role's action lists; undefined where the service does not show them. */
	async list(role: string, asked: Row): Promise<Row[] | undefined> {
		const manifest = this.role(role);
		try {
			return (await this.page(manifest, this.check(manifest, asked).inputs)).rows;
		} catch (error) {
			const kind = error instanceof Problem ? error.kind : '';
			if (['not_found', 'refused', 'input', 'right_missing'].includes(kind)) return undefined;
			throw error as Error;
		}
	}

	/** What users see of it: all but our own marks. */
	shown<T>(value: T): T {
		return withoutMarks(this.pack.marks ?? {}, value);
	}

	/** Makes problems of what readers of answers and cursors raise. */
	reading<T>(read: () => T, manifest?: Manifest): T {
		const { messages } = this.pack;
		try {
			return read();
		} catch (error) {
			const say = sayer(messages);
			if (error instanceof Unreadable) {
				const why = say(error.message, error.values);
				throw problem(say, 'bad_reply', 'reply_unexpected', { why }, { outcome: 'unknown' });
			}
			if (error instanceof NotListed) {
				const { input: field = '' } = manifest?.output?.shape?.pick ?? {};
				const label = manifest?.inputs.find(({ name }) => name === field)?.label;
				throw problem(say, 'not_found', 'pick_absent', { label, value: error.message }, { field, label });
			}
			if (!(error instanceof NoCursor)) throw error as Error;
			const values = { why: say(error.message, error.values) };
			throw refusal(messages, { reason: 'cursor_invalid', field: 'cursor', values });
		}
	}

	private own({ kind, id }: Manifest): ActionCode | undefined {
		return kind === 'action' ? this.code.actions?.[id] : undefined;
	}
}

/** A number of credits in words. */
function creditsText(say: Say, count: number): string {
	return count === 1 ? say('cost_one') : say('cost_many', { credits: count });
}
