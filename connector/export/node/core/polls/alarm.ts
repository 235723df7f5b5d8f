/**
 * Fires once when something is raised, and again only after it was clear in between.
 *
 * The cursor is `1` while all is well, `1~low` when the alarm "low" has been given. Each recovery begins a new episode.
 * Where several are watched, it has that for each of them by its id: `*7100=1~low;7200=1`. Older packages wrote
 * `waiting` and `warned:2026-07-23`.
 */

import type { AlarmSpec } from '../manifest/form.ts';
import type { Inputs } from '../manifest/pack.ts';
import { at, holds, render } from '../manifest/templates.ts';
import { berlinDay, berlinDayOf, daysBetween } from '../values/dates.ts';
import { Exact } from '../values/exact.ts';
import type { Row } from '../values/value_kinds.ts';
import { textOf } from '../values/value_kinds.ts';
import { NoCursor, quoted, unquoted } from './cursor.ts';
import type { StrategyContext, Strategy } from './strategy.ts';
import { asksNothing } from './strategy.ts';

const MAX_GIVEN = 50;
const FORM = /^([0-9]{1,9})(?:~([A-Za-z0-9%._,!'()*-]+))?$/;

const ALL = '*';

type Given = [episode: number, given: string[]];
const NONE: Given = [1, []];

/** What is known of a row: neither raised nor clear where nobody can tell. */
interface State {
	raised: boolean;
	clear: boolean;
	key: string;
	/** What the item says beyond the row. */
	told: Row;
}

const NOTHING_KNOWN: State = { raised: false, clear: false, key: '', told: {} };

export const alarm: Strategy<AlarmSpec> = {
	byNumber: false,

	asks: asksNothing,

	/** Whoever is in no row any more is forgotten. */
	turn(spec, { rows }, context) {
		const single = singleOf(spec, context.inputs);
		const before = readAll(context.cursor, single);
		const after = new Map(single === undefined ? [] : before);
		const items: Row[] = [];
		// A flow that starts now hears at the second poll.
		const isSilent = context.cursor === undefined && context.start !== 'all';
		for (const row of rows) {
			const name = single ?? textOf(at(row, spec.each?.as ?? ''));
			let [episode, given] = after.get(name) ?? before.get(name) ?? NONE;
			const { raised, clear, key, told } = stateOf(spec, row, context);
			if (isSilent) {
				// Only what there is becomes known.
			} else if (raised && !given.includes(key) && given.length < MAX_GIVEN) {
				given = [...given, key];
				items.push(itemOf(spec, row, context.inputs, { key, episode }, told));
			} else if (clear && given.length) {
				[episode, given] = [episode + 1, []];
			}
			after.set(name, [episode, given]);
		}
		if (single !== undefined) return { items, cursor: written(after.get(single) ?? NONE) };
		const entries = [...after].map(([name, given]) => `${quoted(name)}=${written(given)}`);
		return { items, cursor: ALL + entries.join(';') };
	},

	known: (_, { cursor }) => [...readAll(cursor, undefined).keys()],

	/** What cannot be remembered to be clear again is told once a day. */
	stateless: (spec, rows, context) =>
		rows
			.map((row): [Row, State] => [row, stateOf(spec, row, context)])
			.filter(([, { raised }]) => raised)
			.map(([row, { key, told }]) => {
				const own = { key, episode: berlinDay(context.now) };
				return itemOf(spec, row, context.inputs, own, told);
			}),
};

/** The name of the only one that is watched; undefined where all are. */
function singleOf({ each }: AlarmSpec, inputs: Inputs): string | undefined {
	return each ? (inputs[each.input] as string | undefined) : '';
}

/** For all that are watched or for the single one; each form is read either way. */
function readAll(cursor: string | undefined, single: string | undefined): Map<string, Given> {
	if (!cursor?.startsWith(ALL)) {
		const given = read(cursor);
		// Of which one it told is not known. To tell again is better than never to tell: ids are stable.
		return new Map(single === undefined ? [] : [[single, given]]);
	}
	const entries = cursor.slice(ALL.length).split(';').filter(Boolean);
	return new Map(
		entries.map((entry): [string, Given] => {
			const [name = '', given = ''] = entry.split('=');
			return [unquoted(name, cursor), read(given)];
		}),
	);
}

function written([episode, given]: Given): string {
	return given.length ? `${episode}~${given.map(quoted).join(',')}` : String(episode);
}

function read(cursor: string | undefined): Given {
	const text = (cursor ?? '1').replace(/^waiting$/, '1').replace(/^warned:/, '1~');
	const [, episode, given = ''] = FORM.exec(text) ?? [];
	if (episode === undefined) throw new NoCursor(text);
	return [
		Number(episode),
		given
			.split(',')
			.filter(Boolean)
			.map((one) => unquoted(one, text)),
	];
}

function stateOf(spec: AlarmSpec, row: Row, { inputs, now }: StrategyContext): State {
	const key = spec.key === undefined ? '' : render(spec.key, { row, inputs });
	if (spec.below) {
		const { of, input, as } = spec.below;
		const [value, bound] = [of.map((path) => Exact.read(at(row, path))).find(Boolean), Exact.read(inputs[input])];
		if (!value || !bound) return NOTHING_KNOWN;
		const raised = value.compare(bound) < 0;
		return { raised, clear: !raised, key, told: as ? { [as]: bound } : {} };
	}
	if (spec.within) {
		const { date, input, as } = spec.within;
		const ends = berlinDayOf(at(row, date));
		if (ends === undefined) return NOTHING_KNOWN;
		const left = daysBetween(berlinDay(now), ends);
		return {
			raised: left <= Number(textOf(inputs[input])),
			clear: false,
			key: ends,
			told: as ? { [as]: left } : {},
		};
	}
	const raised = holds(spec.when ?? [], row);
	return { raised, clear: !raised && holds(spec.clear ?? [], row), key, told: {} };
}

function itemOf({ id }: AlarmSpec, row: Row, inputs: Inputs, own: Row, told: Row): Row {
	return { ...row, _id: render(id, { row, inputs, own }), ...told };
}

/** What a row says of how it is known. */
const KNOWN_FROM = '_known_from';
const BEFORE = 'before';

/** A row of each that is known, with how it is known; `ask` finds none where one is no longer there. */
export async function watchedRows(
	each: NonNullable<AlarmSpec['each']>,
	knownIds: string[],
	listedIds: string[],
	ask: (id: string) => Promise<Row[]>,
): Promise<Row[]> {
	const watchedIds = new Map<string, string>(knownIds.map((id) => [id, BEFORE]));
	for (const id of listedIds) watchedIds.set(id, each.how);
	const watched: Row[] = [];
	for (const [id, how] of watchedIds) {
		const rows = await ask(id);
		watched.push(...rows.map((row) => ({ ...row, [each.as]: id, [KNOWN_FROM]: how })));
	}
	return watched;
}
