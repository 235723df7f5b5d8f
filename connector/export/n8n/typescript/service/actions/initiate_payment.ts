import { complaint } from '../complain';
import { Exact, ZERO } from '../exact';
import type { Inputs } from '../shapes';

const ID = 'initiate_payment';
const LARGEST = new Exact(99999999999n, 2);
const WITHOUT_PARTS = new Set('ßẞÆæŒœØøŁłĐđÞþıÐð€£§°‐‑–—‘’‚“”„«»');

/** Refuses what the bank would refuse later, or change on the way. */
export function check(inputs: Inputs): void {
	const amount = inputs.amount as Exact;
	if (amount.compare(ZERO) <= 0) throw complaint(ID, 'amount_not_positive', 'amount', { amount });
	if (amount.compare(LARGEST) > 0) {
		const values = { amount, limit: LARGEST, difference: amount.minus(LARGEST) };
		throw complaint(ID, 'amount_too_large', 'amount', values);
	}
	if (inputs.currency_code !== 'EUR') {
		const values = { currency: inputs.currency_code, template: inputs.template_identifier };
		throw complaint(ID, 'currency_not_sepa', 'currency_code', values);
	}
	for (const name of ['creditor_name', 'description', 'reference']) checkText(name, String(inputs[name] ?? ''));
	checkReference(String(inputs.end_to_end_id ?? ''));
}

function checkText(name: string, text: string): void {
	[...text].forEach((sign, place) => {
		const values = { input: name, sign, position: place + 1 };
		if (/[\p{C}\p{Zl}\p{Zp}]/u.test(sign)) throw complaint(ID, 'sign_not_printable', name, values);
		if (!isLatin(sign)) throw complaint(ID, 'sign_not_latin', name, values);
	});
}

function isLatin(sign: string): boolean {
	if (isPlain(sign) || WITHOUT_PARTS.has(sign)) return true;
	const parts = [...sign.normalize('NFKD')];
	return parts.join('') !== sign && parts.every(isPlain);
}

function isPlain(sign: string): boolean {
	return (sign.codePointAt(0) ?? 0) < 128 || /\p{M}/u.test(sign);
}

function checkReference(reference: string): void {
	const strange = /[^A-Za-z0-9/\-?:().,'+ ]/u.exec(reference);
	if (strange) {
		const values = { sign: strange[0], position: strange.index + 1 };
		throw complaint(ID, 'reference_sign', 'end_to_end_id', values);
	}
	if (reference.startsWith('/') || reference.endsWith('/') || reference.includes('//')) {
		throw complaint(ID, 'reference_slash', 'end_to_end_id');
	}
}
