/** What a text input must be: tidied, matched against its format's pattern, and checked where a pattern cannot tell. */

import { misfitOfUrl } from '../values/addresses.ts';
import { Misfit } from '../values/value_kinds.ts';
import type { Pack } from './pack.ts';

/** Gives the name of a sentence about what is wrong, `true` when the format's own sentence says it, else undefined. */
type Check = (text: string, tables: Pack['tables']) => string | true | undefined;

/** What could lead out of the path: other servers, other folders, a query. */
const STRANGE_IN_PATH = /\/\/|\\|[?#]|[^\x21-\x7e]|%(2f|5c|2e|00)|\/\.\.?(\/|$)/i;

const TIDY: Record<string, (text: string) => string> = {
	compact: (text) => text.replace(/\s/g, ''),
	plain: (text) => text.replace(/[\s.-]/g, ''),
	upper: (text) => text.toUpperCase(),
};

const CHECKS: Record<string, Check> = {
	iban: misfitOfIban,
	bic: (text, { countries }) =>
		unless(/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text) && countries.includes(text.slice(4, 6))),
	vat_id: misfitOfVatId,
	currency: (text, { currencies }) => unless(currencies.some(({ code }) => code === text)),
	public_https_url: misfitOfUrl,
	api_path: (text) => unless(text.startsWith('/') && !STRANGE_IN_PATH.test(text)),
};

/** The text as its format wants it, or what is wrong with it. */
export function inFormat(pack: Pack, name: string, text: string): string | Misfit {
	const format = pack.formats[name];
	if (!format) return text;
	const tidied = (format.tidy ?? []).reduce((tidy, way) => TIDY[way]?.(tidy) ?? tidy, text);
	const fits = format.pattern === undefined || new RegExp(`^(?:${format.pattern})$`).test(tidied);
	const wrong = fits ? format.check && CHECKS[format.check]?.(tidied, pack.tables) : true;
	return wrong ? new Misfit(wrong === true ? format.message : wrong) : tidied;
}

function unless(fits: boolean): true | undefined {
	return fits ? undefined : true;
}

function misfitOfIban(text: string, { iban }: Pack['tables']): string | true | undefined {
	const [, country = '', digits, account = ''] = /^([A-Z]{2})([0-9]{2})([A-Z0-9]*)$/.exec(text) ?? [];
	const rule = iban[country];
	if (!rule) return true;
	if (text.length !== rule.length) return 'iban_length';
	if (!new RegExp(`^(?:${rule.pattern})$`).test(account)) return true;
	const letters = /[A-Z]/g;
	const number = `${account}${country}00`.replace(letters, (letter) => String(letter.charCodeAt(0) - 55));
	const right = String(98n - (BigInt(number) % 97n)).padStart(2, '0');
	return digits === right ? undefined : 'iban_checksum';
}

/** A German VAT id has a check digit by ISO 7064 MOD 11,10. */
function misfitOfVatId(text: string): string | undefined {
	if (!text.startsWith('DE')) return undefined;
	if (!/^DE[1-9][0-9]{8}$/.test(text)) return 'german_vat_id_form';
	let product = 10;
	for (const digit of text.slice(2, -1)) product = (2 * ((Number(digit) + product) % 10 || 10)) % 11;
	return (11 - product) % 10 === Number(text.slice(-1)) ? undefined : 'german_vat_id_checksum';
}
