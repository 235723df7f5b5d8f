/** Takes an event in. It is only a hint: what fires is what the API shows, once, and no status goes back. */

import type { Inputs, Manifest, Pack, ServiceEvent } from '../manifest/pack.ts';
import { judge, movesForward } from '../manifest/states.ts';
import { Problem } from '../messages.ts';
import type { Row } from '../values/value_kinds.ts';
import { only, textOf } from '../values/value_kinds.ts';
import type { BankConnectionFacts } from './confirmed_data.ts';
import { bankConnectionData, confirmedData, confirms, stateText } from './confirmed_data.ts';
import type { Envelope, Times } from './events.ts';
import {
	claimsNeeded,
	eventOfState,
	firesOn,
	idIn,
	itemOf,
	namesEvent,
	readEnvelope,
	touchesMoney,
} from './events.ts';

/** What an event trigger has told of. Nothing is awaited between `recall` and `remember`. */
export interface EventMemory {
	recall(): ToldEvents;
	remember(told: ToldEvents): void;
}

export interface ToldEvents {
	/** The last status told of each payment. */
	statuses: Record<string, string>;
	/** The ids of the events told of. */
	seen: string[];
	/** When an event first came in that is not decided yet, by its id. */
	arrived: Record<string, string>;
	/** By bank connection and event, a digest of the state that was told last. Older packages kept none. */
	bankConnections?: Record<string, Record<string, string>>;
	/** For which trigger and bank connection it was noted what was there when listening began. */
	begun?: string;
}

const PAYMENT = 'payment';
const BANK_CONNECTION = 'bank_connection';
const ACCOUNT_LIST = 'account_list';
const PAYMENT_LIST = 'payment_list';
const MAX_REMEMBERED = 1000;
const MAX_STATUS = 64;
const MAX_BANK_CONNECTIONS = 200;
/** How many bank connections are asked for when listening begins; of others the first event is told. */
const MAX_NOTED = 5;
/** Characters of a digest, which only has to differ from the one before. */
const DIGEST = 16;

export interface Received {
	/** What to answer the service with; 503 asks it to send the event again. */
	status: 200 | 400 | 503;
	items: Row[];
	/** Why the event could not be confirmed. */
	problem?: Problem;
}

/** What stands between the events and the API. */
export interface Confirmer {
	pack: Pack;
	sha256(text: string): string;
	/** Milliseconds since 1970. */
	now(): number;
	/** Asks the API for the thing that a role's action gives by its id. */
	find(role: string, id: string): Promise<Row | 'absent' | 'hidden'>;
	/** Asks the API for the rows that a role's action lists; undefined where it does not show them. */
	list(role: string, inputs: Row): Promise<Row[] | undefined>;
}

const NOTHING: Received = { status: 200, items: [] };
/** The event may be true, but the API does not show it yet. */
const LATER: Received = { status: 503, items: [] };

export class EventReceiver {
	private readonly confirmer: Confirmer;
	private readonly trigger: Manifest;
	private readonly inputs: Inputs;
	private readonly memory: EventMemory;

	constructor(confirmer: Confirmer, trigger: Manifest, inputs: Inputs, memory: EventMemory) {
		this.confirmer = confirmer;
		this.trigger = trigger;
		this.inputs = inputs;
		this.memory = memory;
	}

	/**
	 * Notes how payments and bank connections are when listening begins: that counts as told. Once for a trigger: what
	 * happens while it is switched off may still be told of, since the service repeats its events.
	 */
	async begin(): Promise<void> {
		const begun = JSON.stringify([this.trigger.id, this.named ?? '']);
		if (this.memory.recall().begun === begun) return;
		const { pack, list } = this.confirmer;
		const listened = Object.entries(pack.events).filter(([name]) => this.listensTo(name));
		const payments = (await list(PAYMENT_LIST, { sort: 'id' })) ?? [];
		const statuses = listened.some(([, { about }]) => about === PAYMENT)
			? Object.fromEntries(payments.slice(-MAX_REMEMBERED).map(({ id, status }) => [textOf(id), textOf(status)]))
			: {};
		const bankConnections: Record<string, Record<string, string>> = {};
		const ofBankConnections = listened.filter(([, { about }]) => about === BANK_CONNECTION);
		const known = new Set(payments.map(({ connection_id: of }) => textOf(of)).reverse());
		const ids = this.named === undefined ? [...known].filter(Boolean).slice(0, MAX_NOTED) : [this.named];
		for (const id of ofBankConnections.length ? ids : []) {
			const states: Record<string, string> = {};
			for (const [name, event] of ofBankConnections) {
				const facts = await this.factsOf(event, id, payments);
				if (facts && confirms(event, facts)) states[name] = this.stateOf(event, id, facts);
			}
			bankConnections[id] = states;
		}
		const told = this.memory.recall();
		this.remember({
			...told,
			statuses: { ...statuses, ...told.statuses },
			bankConnections: { ...bankConnections, ...told.bankConnections },
			begun,
		});
	}

	async receive(text: string): Promise<Received> {
		const envelope = readEnvelope(text, this.confirmer.sha256);
		if (!envelope) return { status: 400, items: [] };
		if (!this.listensTo(envelope.event)) return NOTHING;
		const { arrived } = this.memory.recall();
		const at = arrived[envelope.id] ?? new Date(this.confirmer.now()).toISOString();
		const received = await this.decided(envelope, { received: envelope.receivedAt, arrived: at });
		if (received.status === LATER.status) {
			const told = this.memory.recall();
			this.remember({ ...told, arrived: { ...told.arrived, [envelope.id]: at } });
		}
		return received;
	}

	private async decided(envelope: Envelope, at: Times): Promise<Received> {
		const { event, data } = envelope;
		const declared = this.confirmer.pack.events[event];
		try {
			if (declared?.about === PAYMENT) return await this.ofPayment(envelope, at);
			if (declared?.about === BANK_CONNECTION) return await this.ofBankConnection(envelope, declared, at);
		} catch (problem) {
			if (problem instanceof Problem) return { ...LATER, problem };
			throw problem as Error;
		}
		// Of an event that nobody described, at least nothing about money is believed; and others must be asked for.
		if (declared || touchesMoney(event, data)) return NOTHING;
		if (!namesEvent(this.trigger.event ?? { names: [] }, event, this.inputs)) return NOTHING;
		return this.once(envelope, { ...data, _confirmed: false }, at);
	}

	private async ofPayment({ event, data }: Envelope, at: Times): Promise<Received> {
		const { pack, find } = this.confirmer;
		const series = pack.states[PAYMENT] ?? { order: [], final: [] };
		const [id, claimed] = [idIn(data, pack.events[event]?.id), data.status];
		if (id === undefined || typeof claimed !== 'string' || !claimed || claimed.length > MAX_STATUS) return NOTHING;
		if (!movesForward(series, this.memory.recall().statuses[id], claimed)) return NOTHING;
		const shown = await find(PAYMENT, id);
		if (shown === 'hidden') return NOTHING;
		if (shown === 'absent') return LATER;
		const payment: Row = { id, ...shown, status: String(shown.status) };
		const [status, verdict] = [String(shown.status), judge(series, claimed, String(shown.status))];
		if (verdict === 'not_yet') return LATER;
		// Anew: another event may have been told of meanwhile.
		const told = this.memory.recall();
		if (verdict === 'false' || !movesForward(series, told.statuses[id], status)) return NOTHING;
		this.remember({ ...told, statuses: { ...told.statuses, [id]: status } });
		const name = eventOfState(pack, PAYMENT, status);
		return this.fired(name, confirmedData(payment, data, pack.events[name]), `${id}:${status}`, at);
	}

	/**
	 * A bank connection that was destroyed must be gone; for any other event it must be there. Its state must not be
	 * the one that was told last: else the event is an old one or nobody's, or came before the API shows its news.
	 */
	private async ofBankConnection(envelope: Envelope, event: ServiceEvent, at: Times): Promise<Received> {
		const id = idIn(envelope.data, event.id);
		if (id === undefined || this.memory.recall().seen.includes(envelope.id)) return NOTHING;
		const facts = await this.factsOf(event, id);
		if (!facts) return NOTHING;
		if (!confirms(event, facts)) return LATER;
		const state = this.stateOf(event, id, facts);
		const { bankConnections: before } = this.memory.recall();
		if (before?.[id]?.[envelope.event] === state) return LATER;
		const data = bankConnectionData(event, id, facts, envelope.data);
		const needed = claimsNeeded(this.trigger.event ?? { names: [] }, data, envelope.data, this.inputs);
		const unsure = Object.keys(needed).length ? { ...needed, _confirmed: false } : {};
		const received = this.once(envelope, { ...data, ...unsure }, at);
		if (received.items.length) {
			const { [id]: states, ...others } = this.memory.recall().bankConnections ?? {};
			const bankConnections = { ...others, [id]: { ...states, [envelope.event]: state } };
			this.remember({ ...this.memory.recall(), bankConnections });
		}
		return received;
	}

	/** What the API shows of a bank connection for an event; undefined where it does not let us see it. */
	private async factsOf(event: ServiceEvent, id: string, payments?: Row[]): Promise<BankConnectionFacts | undefined> {
		const { find, list } = this.confirmer;
		const bankConnection = await find(BANK_CONNECTION, id);
		if (bankConnection === 'hidden') return undefined;
		if (bankConnection === 'absent') return event.gone ? { former: await this.former(event, id, payments) } : {};
		const accounts = event.accounts && (await list(ACCOUNT_LIST, { connection_id: id }));
		return { shown: bankConnection, ...(accounts ? { accounts } : {}) };
	}

	/** What payments say of a bank connection that is gone; of one that the flow itself names, at least that it was. */
	private async former(event: ServiceEvent, id: string, known?: Row[]): Promise<Row | undefined> {
		const payments = known ?? (await this.confirmer.list(PAYMENT_LIST, { sort: 'id' })) ?? [];
		const payment = payments.find(({ connection_id: of }) => of === id);
		if (payment) return only(payment, event.shown ?? []);
		return this.named === id ? {} : undefined;
	}

	/** The bank connection that the flow itself names. */
	private get named(): string | undefined {
		const paths = Object.values(this.confirmer.pack.events).filter(({ about }) => about === BANK_CONNECTION);
		const filters = Object.entries(this.trigger.event?.filters ?? {});
		const [name] = filters.find(([, path]) => paths.some(({ id }) => id === path)) ?? [];
		return name === undefined ? undefined : textOf(this.inputs[name]) || undefined;
	}

	private stateOf(event: ServiceEvent, id: string, facts: BankConnectionFacts): string {
		return this.confirmer.sha256(stateText(event, id, facts)).slice(0, DIGEST);
	}

	private once({ event, id }: Envelope, data: Row, at: Times): Received {
		const told = this.memory.recall();
		if (told.seen.includes(id)) return NOTHING;
		this.remember({ ...told, seen: [...told.seen, id] });
		return this.fired(event, data, id, at);
	}

	private fired(event: string, data: Row, id: string, at: Times): Received {
		const spec = this.trigger.event ?? { names: [] };
		if (!firesOn(spec, event, data, this.inputs)) return NOTHING;
		return { status: 200, items: [itemOf(spec, event, data, id, at)] };
	}

	private listensTo(event: string): boolean {
		const names = this.trigger.event?.names ?? [];
		return !names.length || names.includes(event);
	}

	private remember({ statuses, seen, arrived, bankConnections, begun }: ToldEvents): void {
		this.memory.remember({
			statuses: newest(statuses),
			seen: seen.slice(-MAX_REMEMBERED),
			arrived: newest(arrived),
			...(bankConnections ? { bankConnections: newest(bankConnections, MAX_BANK_CONNECTIONS) } : {}),
			...(begun === undefined ? {} : { begun }),
		});
	}
}

function newest<T>(remembered: Record<string, T>, most = MAX_REMEMBERED): Record<string, T> {
	return Object.fromEntries(Object.entries(remembered).slice(-most));
}
