/** Whether a delivery comes from the host: an HMAC over its id, time and body, as Standard Webhooks have it. */

import { bytesOf } from './base64.ts';
import type { Row } from './types.ts';
import { textOf } from './values.ts';

const VERSION = 'v1,';
const PREFIX = /^whsec_/;
/** Zapier puts this before the names of headers. */
const RENAMED = /^http-/;

/** The HMAC-SHA256 of a text's UTF-8, in base64. */
export type Hmac = (key: Uint8Array, text: string) => string;

export interface Delivery {
	headers: Row;
	/** The body to the letter. */
	body: string;
}

/** While a secret is replaced the host signs with both, so one of several signatures has to fit. Times are seconds. */
export function isGenuine(delivery: Delivery, secret: string, hmac: Hmac, now: number, tolerance: number): boolean {
	const named = Object.entries(delivery.headers).map(([name, value]) => [name.toLowerCase(), textOf(value)] as const);
	const headers = new Map(named.map(([name, value]) => [name.replace(RENAMED, ''), value]));
	const [id, time, given] = ['id', 'timestamp', 'signature'].map((name) => headers.get(`webhook-${name}`) ?? '');
	if (!secret || !id || !(Math.abs(now - Number(time || NaN)) <= tolerance)) return false;
	const key = bytesOf(secret.replace(PREFIX, ''));
	const expected = hmac(key, `${id}.${time}.${delivery.body}`);
	// The HMACs of both are compared, so that the time that it takes tells nothing of the signature.
	const signatures = (given ?? '').split(' ').filter((one) => one.startsWith(VERSION));
	return signatures.some((one) => hmac(key, one.slice(VERSION.length)) === hmac(key, expected));
}
