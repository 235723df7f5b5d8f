/** The data of a payment's event as the API has it: what an event claims beyond that is kept, but never against it. */

import { Exact } from './exact.ts';
import type { Row } from './types.ts';
import { isObject, textOf } from './values.ts';

const ATTRIBUTES = ['currency_code', 'description', 'creditor_iban', 'creditor_name', 'debtor_iban', 'end_to_end_id'];
const PROVIDED = ['raw_provider_status', 'template_identifier'];
const CENTS = 2;

/** `isSlim` where the event of this state carries no more than the state itself and custom fields. */
export function confirmedData(payment: Row, claimed: Row, isSlim: boolean): Row {
	const { payment_attributes, ...rest } = claimed;
	delete rest.custom_fields;
	const told = { payment_id: payment.id, status: payment.status };
	// The answer's form is not shown; a slim one says nothing of what it leaves out.
	if (!('amount' in payment) && !('custom_fields' in payment)) return { ...claimed, ...told };
	const data: Row = { ...rest, ...told, ...only(payment, ['custom_fields']) };
	if (isSlim) return Object.fromEntries(Object.entries(data).filter(([name]) => !PROVIDED.includes(name)));
	const attributes: Row = {
		...(isObject(payment_attributes) ? payment_attributes : {}),
		...only(payment, ATTRIBUTES),
	};
	if ('amount' in payment) attributes.amount = amountText(payment.amount, attributes.amount);
	return { ...data, ...only(payment, PROVIDED), payment_attributes: attributes };
}

function only(row: Row, names: string[]): Row {
	return Object.fromEntries(names.filter((name) => name in row).map((name) => [name, row[name]]));
}

/** Events carry the amount as text: the event's own where both say the same, otherwise with its cents. */
function amountText(shown: unknown, claimed: unknown): string {
	const exact = Exact.read(shown);
	if (!exact) return textOf(shown);
	const isSame = typeof claimed === 'string' && Exact.read(claimed)?.compare(exact) === 0;
	return isSame ? claimed : exact.withDecimals(CENTS).toString();
}
