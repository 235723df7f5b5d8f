/** Takes an event in. It is only a hint: what fires is what the API shows, once, and no status goes back. */

import type { Envelope } from './events.ts';
import { eventOfState, firesOn, idIn, readEnvelope, touchesMoney } from './events.ts';
import { Problem } from './messages.ts';
import { confirmedData } from './payment_facts.ts';
import { judge, movesForward } from './states.ts';
import type { Inputs, Manifest, Memory, Pack, Row, Told } from './types.ts';

const PAYMENT = 'payment';
const BANK_CONNECTION = 'bank_connection';
const MAX_REMEMBERED = 1000;
const MAX_STATUS = 64;

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
	/** Asks the API for the thing that a role's action gives by its id. */
	find(role: string, id: string): Promise<Row | 'absent' | 'hidden'>;
}

const NOTHING: Received = { status: 200, items: [] };
/** The event may be true, but the API does not show it yet. */
const LATER: Received = { status: 503, items: [] };

export class Hook {
	private readonly confirmer: Confirmer;
	private readonly trigger: Manifest;
	private readonly inputs: Inputs;
	private readonly memory: Memory;

	constructor(confirmer: Confirmer, trigger: Manifest, inputs: Inputs, memory: Memory) {
		this.confirmer = confirmer;
		this.trigger = trigger;
		this.inputs = inputs;
		this.memory = memory;
	}

	async receive(text: string): Promise<Received> {
		const envelope = readEnvelope(text, this.confirmer.sha256);
		if (!envelope) return { status: 400, items: [] };
		if (!this.listensTo(envelope.event)) return NOTHING;
		const about = this.confirmer.pack.events[envelope.event]?.about;
		try {
			if (about === PAYMENT) return await this.ofPayment(envelope);
			if (about === BANK_CONNECTION) return await this.ofBankConnection(envelope);
		} catch (problem) {
			if (problem instanceof Problem) return { ...LATER, problem };
			throw problem as Error;
		}
		// Of an event that nobody described, at least nothing about money is believed.
		return touchesMoney(envelope.event, envelope.data) ? NOTHING : this.once(envelope);
	}

	private async ofPayment({ event, data }: Envelope): Promise<Received> {
		const { pack, find } = this.confirmer;
		const series = pack.states[PAYMENT] ?? { order: [], final: [] };
		const [id, claimed] = [idIn(data, pack.events[event]?.id), data.status];
		if (id === undefined || typeof claimed !== 'string' || !claimed || claimed.length > MAX_STATUS) return NOTHING;
		if (!movesForward(series, this.memory.recall().statuses[id], claimed)) return NOTHING;
		const found = await find(PAYMENT, id);
		if (found === 'absent' || found === 'hidden') return NOTHING;
		const payment: Row = { id, ...found, status: String(found.status) };
		const [status, verdict] = [String(found.status), judge(series, claimed, String(found.status))];
		if (verdict === 'not_yet') return LATER;
		// Anew: another event may have been told of meanwhile.
		const told = this.memory.recall();
		if (verdict === 'false' || !movesForward(series, told.statuses[id], status)) return NOTHING;
		this.remember({ ...told, statuses: { ...told.statuses, [id]: status } });
		const name = eventOfState(pack, PAYMENT, status);
		const isSlim = Boolean(pack.events[name]?.states);
		return this.fired(name, confirmedData(payment, data, isSlim), `${id}:${status}`);
	}

	/** A bank connection that was destroyed must be gone; for any other event it must be there. */
	private async ofBankConnection(envelope: Envelope): Promise<Received> {
		const { find, pack } = this.confirmer;
		const declared = pack.events[envelope.event];
		const id = idIn(envelope.data, declared?.id);
		if (id === undefined) return NOTHING;
		const found = await find(BANK_CONNECTION, id);
		const isThere = found !== 'absent' && found !== 'hidden';
		if (declared?.gone) {
			return isThere ? LATER : found === 'absent' ? this.once(envelope) : NOTHING;
		}
		return isThere ? this.once(envelope) : NOTHING;
	}

	private once({ event, data, id }: Envelope): Received {
		const told = this.memory.recall();
		if (told.seen.includes(id)) return NOTHING;
		this.remember({ ...told, seen: [...told.seen, id] });
		return this.fired(event, data, id);
	}

	private fired(event: string, data: Row, id: string): Received {
		const spec = this.trigger.event ?? {};
		if (!firesOn(spec, event, data, this.inputs)) return NOTHING;
		const item = { ...data, _id: id, ...(spec.names?.length ? {} : { _event: event }) };
		return { status: 200, items: [item] };
	}

	private listensTo(event: string): boolean {
		const names = this.trigger.event?.names ?? [];
		return !names.length || names.includes(event);
	}

	private remember({ statuses, seen }: Told): void {
		const newest = Object.entries(statuses).slice(-MAX_REMEMBERED);
		this.memory.remember({ statuses: Object.fromEntries(newest), seen: seen.slice(-MAX_REMEMBERED) });
	}
}
