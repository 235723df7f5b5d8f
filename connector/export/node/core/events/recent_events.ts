/** What an event trigger would have told of lately, from what the API shows now: for an editor that shows examples. */

import type { Inputs, Manifest, Pack, ServiceEvent } from '../manifest/pack.ts';
import type { Row } from '../values/value_kinds.ts';
import { textOf } from '../values/value_kinds.ts';
import { confirmedData } from './confirmed_data.ts';
import { eventOfState, firesOn, inputsFor, itemOf, mayTell } from './events.ts';

const PAYMENT = 'payment';
const BANK_CONNECTION = 'bank_connection';
/** How many bank connections are asked for. */
const MAX_ASKED = 5;

/** Whether the service can tell it anything. */
export function isTold({ events }: Pack, { event }: Manifest, inputs: Inputs): boolean {
	const described = Object.entries(events).filter(([, { about }]) => about === PAYMENT || about === BANK_CONNECTION);
	return described.some(([name]) => mayTell(event ?? { names: [] }, name, inputs));
}

/** The payments as events of their present status tell of them. */
export function recentPayments(pack: Pack, { event }: Manifest, inputs: Inputs, payments: Row[], now: string): Row[] {
	const spec = event ?? { names: [] };
	return payments.flatMap((payment) => {
		const status = textOf(payment.status);
		const name = eventOfState(pack, PAYMENT, status);
		const data = confirmedData(payment, {}, pack.events[name]);
		if (!firesOn(spec, name, data, inputs)) return [];
		const at = { received: undefined, arrived: textOf(payment.updated_at) || now };
		return [itemOf(spec, name, data, `${textOf(payment.id)}:${status}`, at)];
	});
}

/** Events that may have come in about the bank connections that the inputs name or payments were made with. */
export function likelyEvents({ events }: Pack, { event }: Manifest, inputs: Inputs, payments: Row[]): Row[] {
	const spec = event ?? { names: [] };
	const mine = Object.entries(events).filter(([name, { about }]) => {
		return about === BANK_CONNECTION && mayTell(spec, name, inputs);
	});
	return mine.flatMap(([name, declared]) => {
		const words = Object.keys(declared.words ?? {}).map((word) => [word, inputsFor(spec, word, inputs)[0]]);
		const claimed = Object.fromEntries(words.filter(([, given]) => given !== undefined));
		const ids = likelyIds(declared, inputsFor(spec, declared.id ?? '', inputs), payments);
		return ids.map((id) => ({ event: name, data: { ...claimed, [declared.id ?? '']: id } }));
	});
}

/** One that is gone was there once if a payment was made with it. */
function likelyIds({ id = '', gone }: ServiceEvent, asked: string[], payments: Row[]): string[] {
	const known = [...new Set(payments.map((payment) => textOf(payment[id])).filter(Boolean))];
	if (!asked.length) return known.slice(0, MAX_ASKED);
	return gone ? known.filter((one) => asked.includes(one)) : asked;
}
