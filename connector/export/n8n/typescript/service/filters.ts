/** Decides whether an event passes the filters that a person has filled in; an empty filter lets everything pass. */

import { isPlainObject } from './form';
import type { Inputs, Row } from './shapes';

const PLAIN = ['connection_id', 'provider_code', 'payment_id', 'status', 'error_class', 'refresh_type'];

export function fires(event: string, data: Row, inputs: Inputs): boolean {
	if (inputs.event !== undefined && event !== inputs.event) return false;
	if (PLAIN.some((name) => inputs[name] !== undefined && text(data[name]) !== text(inputs[name]))) return false;
	return passesAccount(data, inputs) && passesDebtor(data, inputs) && passesCustomFields(data, inputs);
}

function passesAccount(data: Row, inputs: Inputs): boolean {
	if (inputs.account_id === undefined) return true;
	const accounts = Array.isArray(data.accounts) ? data.accounts.filter(isPlainObject) : [];
	const shown = [...accounts.map((one) => one.id), data.account_id].map(text);
	return shown.includes(text(inputs.account_id));
}

function passesDebtor(data: Row, inputs: Inputs): boolean {
	if (inputs.debtor_iban === undefined) return true;
	const iban = isPlainObject(data.payment_attributes) ? data.payment_attributes.debtor_iban : undefined;
	return typeof iban === 'string' && iban.replace(/\s/g, '').toUpperCase() === inputs.debtor_iban;
}

/** A name alone asks for the field to be there, a value alone for any field with it. */
function passesCustomFields(data: Row, inputs: Inputs): boolean {
	const all = Object.entries(isPlainObject(data.custom_fields) ? data.custom_fields : {});
	const found = inputs.custom_field === undefined ? all : all.filter(([name]) => name === inputs.custom_field);
	if (inputs.custom_value !== undefined) return found.some(([, value]) => text(value) === text(inputs.custom_value));
	return inputs.custom_field === undefined || found.length > 0;
}

function text(value: unknown): string | undefined {
	return value === undefined || value === null ? undefined : String(value);
}
