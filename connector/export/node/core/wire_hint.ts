/** If the service asks for a parameter that is called otherwise here: which name to set, and to what. */

import type { Call } from './request.ts';

/** Where a message may name a parameter: in quotes, spelled like one, beside a word that announces one. */
const NAMED = [
	/['"`„“]([A-Za-z_][\w.-]*)['"`“”]/g,
	/\b([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+)\b/g,
	/\b(?:parameter|param|argument|field|property|feld)\b\W{0,3}([a-z_][\w.-]*)/gi,
	/\b([a-z_][\w.-]*)\b (?:is (?:required|missing)|fehlt|must be given)/gi,
	/\bmissing\b\W{0,2}([a-z_][\w.-]*)/gi,
];
const NO_NAMES = new Set(
	(
		'a an the is are was be must not and or in of for to with required missing query parameter parameters param ' +
		'body path header field value request invalid bad no fehlt der die das ein eine ist im'
	).split(' '),
);

export function wireHint(
	{ query, wireNames }: Call,
	said: string,
): { name: string; key: string; assumed: string } | undefined {
	const sent = new Set([...query.keys(), ...Object.values(wireNames)]);
	const named = NAMED.flatMap((pattern) => [...said.matchAll(pattern)].map(([, name = '']) => name));
	const name = named.find((one) => !NO_NAMES.has(one.toLowerCase()) && !sent.has(one));
	if (name === undefined) return undefined;
	const rated = Object.entries(wireNames).map(([key, assumed]) => {
		return { name, key, assumed, likeness: Math.max(likeness(name, key), likeness(name, assumed)) };
	});
	const [best] = rated.sort((one, other) => other.likeness - one.likeness);
	return best && { name, key: best.key, assumed: best.assumed };
}

/** How much of two names is alike, between 0 and 1. */
function likeness(one: string, other: string): number {
	return (2 * alike(one.toLowerCase(), other.toLowerCase())) / (one.length + other.length);
}

/** How many characters are in their longest common part, and in what lies before and behind it. */
function alike(one: string, other: string): number {
	let [length, here, there] = [0, 0, 0];
	for (let at = 0; at < one.length; at++) {
		while (at + length < one.length && other.includes(one.slice(at, at + length + 1))) {
			[length, here, there] = [length + 1, at, other.indexOf(one.slice(at, at + length + 1))];
		}
	}
	if (!length) return 0;
	const before = alike(one.slice(0, here), other.slice(0, there));
	return length + before + alike(one.slice(here + length), other.slice(there + length));
}
