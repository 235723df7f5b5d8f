/** Holds what an event claims of a payment against what the API shows, and tells the event with the API's amounts. */

import { Exact } from './exact';
import { isPlainObject } from './form';
import { isFinal, rankOf } from './paymentStatus';
import type { Row } from './shapes';

const ATTRIBUTES = ['currency_code', 'description', 'creditor_iban', 'creditor_name', 'debtor_iban', 'end_to_end_id'];
const UPDATE_ONLY = ['raw_provider_status', 'template_identifier', 'payment_attributes'];
const CENTS = 2;
const WAITING_FOR_PERSON = 'initiated_info_required';

export function judge(claimed: string, shown: unknown): 'true' | 'not yet' | 'false' {
	if (shown === claimed) return 'true';
	if (isFinal(String(shown))) return isFinal(claimed) ? 'false' : 'true';
	return rankOf(String(shown), 0) >= rankOf(claimed, 9) ? 'true' : 'not yet';
}

/** What an event claims beyond the API is kept, but never against it. */
export function confirmedData(payment: Row, claimed: Row): Row {
	const status = String(payment.status);
	const data: Row = { ...claimed, payment_id: payment.id, status };
	if (!('amount' in payment) && !('custom_fields' in payment)) return data;
	delete data.custom_fields;
	if ('custom_fields' in payment) data.custom_fields = payment.custom_fields;
	if (status === WAITING_FOR_PERSON) {
		for (const name of UPDATE_ONLY) delete data[name];
		return data;
	}
	for (const name of ['raw_provider_status', 'template_identifier']) if (name in payment) data[name] = payment[name];
	const attributes: Row = isPlainObject(data.payment_attributes) ? { ...data.payment_attributes } : {};
	for (const name of ATTRIBUTES) if (name in payment) attributes[name] = payment[name];
	if ('amount' in payment) attributes.amount = amountText(payment.amount, attributes.amount);
	data.payment_attributes = attributes;
	return data;
}

/** The amount as text, as events carry it: the event's own where both say the same, otherwise with its cents. */
function amountText(shown: unknown, claimed: unknown): string {
	const [exact, told] = [Exact.read(shown), Exact.read(claimed)];
	if (!exact || (typeof claimed === 'string' && told?.compare(exact) === 0)) return String(claimed);
	return exact.scale < CENTS ? exact.plus(new Exact(0n, CENTS)).toString() : exact.toString();
}
