import { CURRENCIES } from './norms';
import { say } from './problem';

/** Says what is wrong with a text, or gives it back tidied. */
type Check = (text: string) => string | Misfit;

export class Misfit {
	constructor(readonly message: string) {}
}

/** How long an IBAN is in the countries that take part in SEPA; elsewhere its check digits must do. */
const IBAN_LENGTHS: Record<string, number> = Object.fromEntries(
	(
		'AD24 AL28 AT20 BE16 BG22 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FR27 GB22 GI23 GR27 HR21 HU28 IE22 IS26 IT27 ' +
		'LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MT31 NL18 NO15 PL28 PT25 RO24 RS22 SE24 SI19 SK24 SM27 VA22'
	)
		.split(' ')
		.map((one): [string, number] => [one.slice(0, 2), Number(one.slice(2))]),
);

const DECIMALS = new Map(CURRENCIES.map(([code, , decimals]) => [code, decimals]));

/** How many decimals a currency has. */
export function minorUnits(code: string): number {
	return DECIMALS.get(code) ?? 4;
}

export const FORMATS: Record<string, Check> = {
	uuid: matching(
		/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/,
		() => say('not_a_uuid', { example: 'b1e0c9a2-3f4d-4c5b-9a6e-7f8091a2b3c4' }),
	),
	iban,
	bic: (text) => {
		const tidy = text.replace(/\s/g, '').toUpperCase();
		const fits = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(tidy);
		return fits ? tidy : new Misfit(say('not_a_bic'));
	},
	vat_id: vatId,
	currency: (text) => {
		const code = text.toUpperCase();
		return /^[A-Z]{3}$/.test(code) ? code : new Misfit(say('not_a_currency'));
	},
	email: matching(/^[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;".]{2,}$/, () => say('not_an_email')),
	country: (text) => (/^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : new Misfit(say('not_a_country'))),
	client: matching(/^[0-9]{1,12}-[0-9]{1,12}$/, () => say('not_a_client')),
	cursor: matching(/^[0-9]{1,100}$/, () => say('not_a_cursor')),
	account_number: matching(/^[0-9]{1,20}$/, () => say('not_an_account_number')),
	public_https_url: publicUrl,
	api_path: apiPath,
};

function matching(pattern: RegExp, message: () => string): Check {
	return (text) => (pattern.test(text) ? text : new Misfit(message()));
}

function iban(text: string): string | Misfit {
	const tidy = text.replace(/\s/g, '').toUpperCase();
	const length = IBAN_LENGTHS[tidy.slice(0, 2)];
	if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{8,30}$/.test(tidy)) return new Misfit(say('not_an_iban'));
	if (length !== undefined && tidy.length !== length) return new Misfit(say('iban_length'));
	const digits = (tidy.slice(4) + tidy.slice(0, 4)).replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
	return BigInt(digits) % 97n === 1n ? tidy : new Misfit(say('iban_checksum'));
}

function vatId(text: string): string | Misfit {
	const tidy = text.replace(/[\s.-]/g, '').toUpperCase();
	if (!/^[A-Z]{2}[A-Z0-9+*]{2,12}$/.test(tidy)) return new Misfit(say('not_a_vat_id'));
	if (!tidy.startsWith('DE')) return tidy;
	if (!/^DE[1-9][0-9]{8}$/.test(tidy)) return new Misfit(say('german_vat_id_form'));
	let product = 10;
	for (const digit of tidy.slice(2, -1)) product = (2 * ((Number(digit) + product) % 10 || 10)) % 11;
	return (11 - product) % 10 === Number(tidy.slice(-1)) ? tidy : new Misfit(say('german_vat_id_checksum'));
}

function apiPath(text: string): string | Misfit {
	const strange = /\/\/|\\|[?#]|[^\x21-\x7e]|%(2f|5c|2e|00)/i.test(text);
	const climbs = text.split('/').some((part) => part === '.' || part === '..');
	return text.startsWith('/v2/') && !strange && !climbs ? text : new Misfit(say('not_an_api_path'));
}

const LOCAL = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|arpa|test|onion)$/;
const PRIVATE = /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(\.|$)/;

/** The service judges too; what is plainly wrong is said before anything is sent. */
function publicUrl(text: string): string | Misfit {
	const found = /^https:\/\/([^/?#]*)([/?#].*)?$/i.exec(text);
	if (!found || /[^\x21-\x7e]|\\/.test(text)) return new Misfit(say('url_not_https'));
	if (found[1].includes('@')) return new Misfit(say('url_with_login'));
	const host = found[1].replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
	const isName = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(host) && !/^[0-9a-fx.]*[0-9]$/.test(host);
	const isNumber = /^\d{1,3}(\.\d{1,3}){3}$/.test(host) && !PRIVATE.test(host);
	return (isName && !LOCAL.test(host)) || isNumber ? text : new Misfit(say('url_private'));
}
