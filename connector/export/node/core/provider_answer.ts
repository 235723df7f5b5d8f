/** What the accounting provider itself says inside an answer of the service; the pack has its words. */

import type { Pack, Row } from './types.ts';
import { isEmpty, isObject, objectsIn, textOf } from './values.ts';

const WORD = /\p{L}+/gu;

export interface ProviderAnswer {
	failed: boolean;
	/** What it says that is not usual. */
	said: string;
}

/** What the provider says of a failure or of anything else unusual; undefined for a usual answer or none. */
export function unusualAnswer({ provider }: Pack, reply: unknown): ProviderAnswer | undefined {
	const answer = answerIn(provider.in, reply);
	if (!answer) return undefined;
	const first = (entry: Row, names: string[]): string =>
		textOf(names.map((name) => entry[name]).find((one) => !isEmpty(one)));
	const kind = (text: unknown): string => (typeof text === 'string' ? kindOf(provider, text) : '');
	const status = answer[provider.status];
	const messages = provider.messages.flatMap((name) => objectsIn(answer[name]));
	const kinds = messages.map((one) => kind(first(one, provider.type)));
	if (!kind(status) && !kinds.some(Boolean)) return undefined;
	const strange = messages.filter((_, index) => kinds[index]);
	const told = (strange.length ? strange : messages).map((one) =>
		[first(one, provider.about), first(one, provider.text)].filter(Boolean).join(': '),
	);
	const said = [kind(status) ? textOf(status) : '', ...told].filter(Boolean);
	return { failed: [kind(status), ...kinds].includes('failed'), said: [...new Set(said)].join('; ') };
}

function answerIn(name: string, reply: unknown): Row | undefined {
	if (!isObject(reply)) return undefined;
	const found = reply[name] ?? (isObject(reply.data) ? reply.data[name] : undefined);
	return isObject(found) ? found : undefined;
}

/** `failed`, `other`, or nothing for what is usual. */
function kindOf({ failed, usual }: Pack['provider'], text: string): string {
	const words = (text.match(WORD) ?? []).map((word) => word.toLowerCase());
	if (words.some((word) => failed.includes(word))) return 'failed';
	return words.every((word) => usual.includes(word)) ? '' : 'other';
}
