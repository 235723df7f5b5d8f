/** What a platform keeps between two polls of a flow, and a poll that goes on from there. */

import type { Inputs, Manifest } from '../manifest/pack.ts';
import type { Problem, Say } from '../messages.ts';
import { problem } from '../messages.ts';
import type { LastPoll } from '../poller/poll_throttle.ts';
import type { Row } from '../values/value_kinds.ts';
import type { Backend } from './backend.ts';

/** Whose list it is, how far it was read, and what is known of the last paid poll. */
export interface PollPlace {
	of?: string;
	cursor?: string;
	looked?: LastPoll;
	/** How many missing rows a person was told of. */
	missingTold?: number;
}

export interface PolledFrom {
	items: Row[];
	place: PollPlace;
	/** How many rows are counted and were not found, where nobody was told of so many yet. */
	missing?: number;
}

/** A row may be counted before it shows: only after searches from both places in vain a person is told. */
const SEARCHES_BEFORE_TOLD = 2;

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
): Promise<PolledFrom> {
	const of = sourceOf(trigger, inputs);
	const cursor = place.of === of ? place.cursor : undefined;
	const { items, cursor: next, lastPoll: looked } = await backend.poll(trigger.id, raw, cursor, start, place.looked);
	const { missing = 0, looks = 0 } = looked?.late ?? {};
	const before = place.of === of ? (place.missingTold ?? 0) : 0;
	const isNews = missing > before && looks >= SEARCHES_BEFORE_TOLD;
	const told = isNews ? missing : Math.min(before, missing);
	const newPlace = { of, cursor: next, looked, ...(told ? { missingTold: told } : {}) };
	return { items, place: newPlace, ...(isNews ? { missing } : {}) };
}

/** What a person is told of rows that are counted and not shown: nothing stops because of them. */
export function missingRowsProblem(say: Say, rows: number): Problem {
	return problem(say, 'bad_reply', 'rows_missing', { rows }, { remedy: say('rows_missing_remedy') });
}
