/** The data of a bank connection's event as the API shows it: of the event itself only words that are described. */

import type { Row, ServiceEvent } from './types.ts';
import { isEmpty, isObject, only } from './values.ts';

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
