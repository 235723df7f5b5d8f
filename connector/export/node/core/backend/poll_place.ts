/** What a platform keeps between two polls of a flow, and a poll that goes on from there. */

import type { Inputs, Manifest } from '../manifest/pack.ts';
import type { LastPoll } from '../poller/poll_throttle.ts';
import type { Row } from '../values/value_kinds.ts';
import type { Backend } from './backend.ts';

/** Whose list it is, how far it was read, and what is known of the last paid poll. */
export interface PollPlace {
	of?: string;
	cursor?: string;
	looked?: LastPoll;
}

/** The start of a first poll, as a form says it: `now`, `all`, or `since` an id. */
export function startOf(choice: unknown, since: unknown): string {
	return choice === 'since' ? `since:${String(since ?? '').trim()}` : String(choice || 'now');
}

/** Whose list is polled: with another account or bank connection, the old cursor means nothing. */
export function sourceOf({ id, inputs: fields }: Manifest, inputs: Inputs): string {
	const sent = fields.filter((field) => field.in && !field.internal && inputs[field.name] !== undefined);
	return JSON.stringify([id, ...sent.map(({ name }) => [name, String(inputs[name])])]);
}

/** The items that are new since `place`, and the next place; a place in another list is the beginning. */
export async function pollFrom(
	backend: Backend,
	trigger: Manifest,
	{ raw, inputs }: { raw: Row; inputs: Inputs },
	place: PollPlace,
	start: string,
): Promise<{ items: Row[]; place: PollPlace }> {
	const of = sourceOf(trigger, inputs);
	const cursor = place.of === of ? place.cursor : undefined;
	const { items, cursor: next, lastPoll: looked } = await backend.poll(trigger.id, raw, cursor, start, place.looked);
	return { items, place: { of, cursor: next, looked } };
}
