import { complaint } from '../complain';
import { objectIn } from '../envelopes';
import { checkFiscalYear } from '../fiscalYear';
import { isPlainObject } from '../form';
import type { Inputs, Row } from '../shapes';

const ID = 'save_person_account';

export function check(inputs: Inputs): void {
	const [number, length] = [String(inputs.personenkontoNummer), Number(String(inputs.kontonummernLaenge))];
	const values = { number, digits: number.length, length, longer: length + 1 };
	if (number.startsWith('0')) throw complaint(ID, 'number_first_digit', 'personenkontoNummer', values);
	if (number.length < length) {
		const difference = length - number.length;
		throw complaint(ID, 'number_too_short', 'personenkontoNummer', { ...values, difference });
	}
	if (number.length > length + 1) {
		const difference = number.length - length - 1;
		throw complaint(ID, 'number_too_long', 'personenkontoNummer', { ...values, difference });
	}
	checkFiscalYear(ID, inputs);
	const accounts = (inputs.bankkonten ?? []) as Row[];
	const [first, second] = accounts.flatMap((account, place) => (account.istHauptkonto === true ? [place] : []));
	if (second !== undefined) {
		const field = `bankkonten[${second}].istHauptkonto`;
		throw complaint(ID, 'two_main_accounts', field, { first: first + 1, line: second + 1 });
	}
}

/** The person account, with what the provider answered beside it: a save may succeed with remarks. */
export function shape(reply: unknown): Row {
	const account = objectIn(reply);
	if (isPlainObject(reply) && account !== reply && 'ledgerAntwort' in reply) {
		return { ...account, ledgerAntwort: reply.ledgerAntwort };
	}
	return account;
}
