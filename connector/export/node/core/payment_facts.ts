/** The data of a payment's event as the API has it. Of the event, only the spelling of an equal amount is kept. */

import { Exact } from './exact.ts';
import type { Row } from './types.ts';
import { isObject, only, textOf } from './values.ts';

const ATTRIBUTES = ['currency_code', 'description', 'creditor_iban', 'creditor_name', 'debtor_iban', 'end_to_end_id'];
const PROVIDED = ['raw_provider_status', 'template_identifier'];
const CENTS = 2;

/** `isSlim` where the event of this state carries no more than the state itself and custom fields. */
export function confirmedData(payment: Row, claimed: Row, isSlim: boolean): Row {
	const data: Row = { payment_id: payment.id, status: payment.status, ...only(payment, ['custom_fields']) };
	if (isSlim) return data;
	const attributes = only(payment, ATTRIBUTES);
	const { payment_attributes: written } = claimed;
	if ('amount' in payment) {
		attributes.amount = amountText(payment.amount, isObject(written) ? written.amount : undefined);
	}
	const told = { ...data, ...only(payment, PROVIDED) };
	return Object.keys(attributes).length ? { ...told, payment_attributes: attributes } : told;
}

/** Events carry the amount as text: the event's own where both say the same, otherwise with its cents. */
function amountText(shown: unknown, claimed: unknown): string {
	const exact = Exact.read(shown);
	if (!exact) return textOf(shown);
	const isSame = typeof claimed === 'string' && Exact.read(claimed)?.compare(exact) === 0;
	return isSame ? claimed : exact.withDecimals(CENTS).toString();
}
