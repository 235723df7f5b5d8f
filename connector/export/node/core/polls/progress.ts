/** Fires each time the state of a row moves forward, its first one included. A state never goes back. */

import { Cursor, newest } from '../cursor.ts';
import { numbered } from '../rows.ts';
import { movesForward } from '../states.ts';
import { at } from '../templates.ts';
import type { Inputs, Progress, Row, Series } from '../types.ts';
import { textOf } from '../values.ts';
import { asksAfter } from './by_id.ts';
import type { Look, Strategy } from './strategy.ts';

const MAX_WATCHED = 5000;

export const progress: Strategy<Progress> = {
	byNumber: true,
	skipsHistory: true,

	asks: (spec, look) => asksAfter(spec, look),

	turn(spec, { rows: shown, cut, behind }, look) {
		const [known, series] = [Cursor.read(look.cursor, look.start), seriesOf(spec, look)];
		const rows = numbered(shown);
		const watched = known.stillWaiting(rows, behind);
		const [items, came]: [Row[], string | undefined] = [[], spec.recent?.came];
		let news = false;
		for (const [number, row] of rows) {
			const [state, before] = [at(row, spec.field), known.waiting.get(number)];
			const firstSight = before === undefined && known.isNew(number, row, came);
			news ||= firstSight;
			if (typeof state !== 'string' || !state || !(before || firstSight)) continue;
			if (!movesForward(series, before, state)) continue;
			watched.set(number, state);
			const isHistory = firstSight && known.skipping;
			if (isWanted(spec, state, look.inputs) && !isHistory) items.push(itemOf(spec, row, state, before));
		}
		const open = new Map([...watched].filter(([, state]) => !series.final.includes(state)));
		const then = known.moved(rows, cut, newest(open, MAX_WATCHED), behind, came);
		return { items, cursor: then.toString(), more: known.goesOn(then), news };
	},

	stateless: (spec, rows, look) => progress.turn(spec, { rows, cut: false }, look).items.reverse(),
};

function seriesOf({ states }: Progress, { pack }: Look): Series {
	return pack.states[states] ?? { order: [], final: [] };
}

function isWanted({ only }: Progress, state: string, inputs: Inputs): boolean {
	return only === undefined || inputs[only] === undefined || inputs[only] === state;
}

function itemOf({ previous }: Progress, row: Row, state: string, before: string | undefined): Row {
	const told = previous === undefined ? {} : { [previous]: before ?? null };
	return { ...row, _id: `${textOf(row.id)}:${state}`, ...told };
}
