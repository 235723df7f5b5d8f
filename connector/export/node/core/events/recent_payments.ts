/** What an event trigger would have told of lately, from what the API lists now: for an editor that shows examples. */

import type { Inputs, Manifest, Pack } from '../manifest/pack.ts';
import type { Row } from '../values/value_kinds.ts';
import { textOf } from '../values/value_kinds.ts';
import { confirmedData } from './confirmed_data.ts';
import { eventOfState, firesOn, itemOf } from './events.ts';

const PAYMENT = 'payment';

/** Whether the trigger can tell of payments: of nothing else are there lists to read. */
export function tellsOfPayments({ events }: Pack, { event }: Manifest): boolean {
	return Boolean(event?.names?.some((name) => events[name]?.about === PAYMENT));
}

/** The payments as events of their present status tell of them. */
export function recentPayments(pack: Pack, { event }: Manifest, inputs: Inputs, payments: Row[], now: string): Row[] {
	const spec = event ?? { names: [] };
	return payments.flatMap((payment) => {
		const status = textOf(payment.status);
		const name = eventOfState(pack, PAYMENT, status);
		const data = confirmedData(payment, {}, Boolean(pack.events[name]?.states));
		if (!firesOn(spec, name, data, inputs)) return [];
		const at = { received: undefined, arrived: textOf(payment.updated_at) || now };
		return [itemOf(spec, name, data, `${textOf(payment.id)}:${status}`, at)];
	});
}
