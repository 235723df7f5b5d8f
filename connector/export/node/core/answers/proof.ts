/** What an answer to a write proves about it: the table of `manifests/proofs.yaml`, applied. Pure. */

import type { Pack } from '../manifest/pack.ts';
import type { Details } from '../messages.ts';
import type { Row } from '../values/value_kinds.ts';
import { isEmpty, isObject, objectsIn, textOf } from '../values/value_kinds.ts';

const ANY_CLIENT_ERROR = 'any 4xx';

export interface Proof {
	told: 'not_sent' | 'refused';
	basis: NonNullable<Details['proof']>;
}

/** What an answer that is no success proves; undefined when the write may have been made. */
export function proofOf(
	{ proofs }: Pick<Pack, 'proofs'>,
	{ status, body, said, fromLimiter }: { status: number; body: unknown; said: string; fromLimiter: boolean },
): Proof | undefined {
	const holds = isObject(body) ? body : {};
	if (proofs.made.some((name) => Object.hasOwn(holds, name))) return undefined;
	const [error, code] = [holds[proofs.error], holds[proofs.code]];
	const isErrorBody = typeof error === 'string' && error.trim() !== '';
	const proofRow = proofs.rows.find(
		(row) =>
			isAmong(status, row.status) &&
			(row.limiter ? fromLimiter : isErrorBody) &&
			(row.code === undefined || (typeof code === 'string' && code.startsWith(row.code))) &&
			(row.says ?? []).every((pattern) => says({ proofs }, pattern, said)),
	);
	return proofRow && { told: proofRow.told, basis: proofRow.proof };
}

/** Whether the service's message fits a named pattern of the table. */
export function says({ proofs }: Pick<Pack, 'proofs'>, pattern: string, message: string): boolean {
	return new RegExp(proofs.patterns[pattern] ?? '', 'u').test(message);
}

function isAmong(status: number, statuses: number[] | string): boolean {
	if (statuses === ANY_CLIENT_ERROR) return status >= 400 && status < 500;
	return statuses.includes(status as never);
}

const WORD = /\p{L}+/gu;

export interface ProviderAnswer {
	failed: boolean;
	/** What it says that is not usual. */
	said: string;
}

/** What the provider says of a failure or of anything else unusual; undefined for a usual answer or none. */
export function unusualAnswer({ provider }: Pack, reply: unknown): ProviderAnswer | undefined {
	const answers = answersIn(provider.in, reply);
	const first = (entry: Row, names: string[]): string =>
		textOf(names.map((name) => entry[name]).find((one) => !isEmpty(one)));
	const kind = (text: unknown): string => (typeof text === 'string' ? kindOf(provider, text) : '');
	const kindOfStatus = (status: unknown): string =>
		isEmpty(status) || typeof status === 'string' ? kind(status) : 'other';
	const statuses = answers.map((answer) => (isObject(answer) ? answer[provider.status] : answer));
	const messages = answers
		.filter(isObject)
		.flatMap((answer) => provider.messages.flatMap((name) => objectsIn(answer[name])));
	const kinds = messages.map((one) => kind(first(one, provider.type)));
	const signs = [...statuses.map(kindOfStatus), ...kinds];
	if (!signs.some(Boolean)) return undefined;
	const strange = messages.filter((_, index) => kinds[index]);
	const told = (strange.length ? strange : messages).map((one) =>
		[first(one, provider.about), first(one, provider.text)].filter(Boolean).join(': '),
	);
	const said = [...statuses.filter(kindOfStatus).map(textOf), ...told].filter(Boolean);
	return { failed: signs.includes('failed'), said: [...new Set(said)].join('; ') };
}

/** The provider's own answers, each an object or a text: one is described, a list of them is read too. */
function answersIn(name: string, reply: unknown): unknown[] {
	if (!isObject(reply)) return [];
	const answer = reply[name] ?? (isObject(reply.data) ? reply.data[name] : undefined);
	return (Array.isArray(answer) ? answer : [answer]).filter((one) => isObject(one) || typeof one === 'string');
}

/** `failed`, `other`, or nothing for what is usual. */
function kindOf({ failed, usual }: Pack['provider'], text: string): string {
	const words = (text.match(WORD) ?? []).map((word) => word.toLowerCase());
	if (words.some((word) => failed.includes(word))) return 'failed';
	return words.every((word) => usual.includes(word)) ? '' : 'other';
}
