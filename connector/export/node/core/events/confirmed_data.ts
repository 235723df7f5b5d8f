/**
 * The data of events as the API has it. Of an event itself, the spelling of an equal amount is kept, and under
 * `_unconfirmed` what no answer of the API shows.
 */

import type { ServiceEvent } from '../manifest/pack.ts';
import { at } from '../manifest/templates.ts';
import { Exact } from '../values/exact.ts';
import { canonical } from '../values/json.ts';
import type { Row } from '../values/value_kinds.ts';
import { isEmpty, isObject, only, textOf } from '../values/value_kinds.ts';
import { WORD } from './events.ts';

const ATTRIBUTES = ['currency_code', 'description', 'creditor_iban', 'creditor_name', 'debtor_iban', 'end_to_end_id'];
const PROVIDED = ['raw_provider_status', 'template_identifier'];
const CENTS = 2;

/** An event of special states carries no more than the state itself and custom fields. */
export function confirmedData(payment: Row, claimed: Row, event: ServiceEvent | undefined): Row {
	const data: Row = { payment_id: payment.id, status: payment.status, ...only(payment, ['custom_fields']) };
	if (event?.states) return data;
	const attributes = only(payment, ATTRIBUTES);
	const { payment_attributes: written } = claimed;
	if ('amount' in payment) {
		attributes.amount = amountText(payment.amount, isObject(written) ? written.amount : undefined);
	}
	const told = { ...data, ...only(payment, PROVIDED), ...unconfirmed(event?.claims ?? [], claimed) };
	return Object.keys(attributes).length ? { ...told, payment_attributes: attributes } : told;
}

/** What only the event itself says, apart from all that the API shows; nothing where it says none of it. */
function unconfirmed(claims: string[], claimed: Row): Row {
	const said = claims.map((path) => [path.replace(/^.*\./, ''), at(claimed, path)]);
	const words = said.filter(([, word]) => typeof word === 'string' && WORD.test(word));
	return words.length ? { _unconfirmed: Object.fromEntries(words) as Row } : {};
}

/** Events carry the amount as text: the event's own where both say the same, otherwise with its cents. */
function amountText(shown: unknown, claimed: unknown): string {
	const exact = Exact.read(shown);
	if (!exact) return textOf(shown);
	const isSame = typeof claimed === 'string' && Exact.read(claimed)?.compare(exact) === 0;
	return isSame ? claimed : exact.withDecimals(CENTS).toString();
}

export interface BankConnectionFacts {
	/** Undefined: it is not there. */
	shown?: Row;
	/** Undefined: not asked for, or not readable. */
	accounts?: Row[];
	/** What is known of one that is not there any more; undefined: it was never shown. */
	former?: Row;
}

/** Whether the API shows what the event says. */
export function confirms({ gone, well }: ServiceEvent, { shown, former }: BankConnectionFacts): boolean {
	if (gone) return !shown && former !== undefined;
	if (!shown) return false;
	if (well === undefined || shown.error_class) return true;
	return !isEmpty(shown.status) && shown.status !== well;
}

/** All that the API shows and the event tells, the same text for the same state. */
export function stateText(event: ServiceEvent, id: string, { shown, accounts, former }: BankConnectionFacts): string {
	return event.gone ? canonical([id, former ?? {}]) : canonical([id, shown ?? {}, accounts ?? []]);
}

export function bankConnectionData(event: ServiceEvent, id: string, facts: BankConnectionFacts, claimed: Row): Row {
	const source = facts.shown ?? facts.former ?? {};
	const data: Row = { connection_id: id, ...only(source, event.shown ?? []) };
	const { accounts: names } = event;
	if (names && facts.accounts) {
		data.accounts = facts.accounts.map((one) => {
			return only({ ...(isObject(one.extra) ? one.extra : {}), ...one }, names);
		});
	}
	for (const [name, words] of Object.entries(event.words ?? {})) {
		if (!(name in data) && words.includes(claimed[name] as string)) data[name] = claimed[name];
	}
	return data;
}
