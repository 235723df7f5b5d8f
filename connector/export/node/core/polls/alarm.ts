/**
 * Fires once when something is raised, and again only after it was clear in between.
 *
 * The cursor is `1` while all is well, `1~low` when the alarm "low" has been given. Each recovery begins a new episode.
 * Older packages wrote `waiting` and `warned:2026-07-23`.
 */

import { NoCursor, quoted, unquoted } from '../cursor.ts';
import { berlinDay, berlinDayOf, daysBetween } from '../dates.ts';
import { Exact } from '../exact.ts';
import { at, holds, render } from '../templates.ts';
import type { AlarmSpec, Inputs, Row } from '../types.ts';
import { textOf } from '../values.ts';
import type { Look, Strategy } from './strategy.ts';
import { asksNothing } from './strategy.ts';

const MAX_GIVEN = 50;
const FORM = /^([0-9]{1,9})(?:~([A-Za-z0-9%._,!'()*-]+))?$/;

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

	turn(spec, { rows }, look) {
		let [episode, given] = read(look.cursor);
		const items: Row[] = [];
		// A flow that starts now hears at the second poll.
		for (const row of look.cursor === undefined && look.start !== 'all' ? [] : rows) {
			const { raised, clear, key, told } = stateOf(spec, row, look);
			if (raised && !given.includes(key) && given.length < MAX_GIVEN) {
				given = [...given, key];
				items.push(itemOf(spec, row, look.inputs, { key, episode }, told));
			} else if (clear && given.length) {
				[episode, given] = [episode + 1, []];
			}
		}
		return { items, cursor: given.length ? `${episode}~${given.map(quoted).join(',')}` : String(episode) };
	},

	/** What cannot be remembered to be clear again is told once a day. */
	stateless: (spec, rows, look) =>
		rows
			.map((row): [Row, State] => [row, stateOf(spec, row, look)])
			.filter(([, { raised }]) => raised)
			.map(([row, { key, told }]) => itemOf(spec, row, look.inputs, { key, episode: berlinDay(look.now) }, told)),
};

function read(cursor: string | undefined): [episode: number, given: string[]] {
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

function stateOf(spec: AlarmSpec, row: Row, { inputs, now }: Look): State {
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
