/** Fires every row once, in the order of ids. Rows may wait until a condition no longer holds, or never fire. */

import type { ById, Condition } from '../manifest/form.ts';
import type { Inputs } from '../manifest/pack.ts';
import { holds } from '../manifest/templates.ts';
import { berlinDay, daysBefore } from '../values/dates.ts';
import type { Row } from '../values/value_kinds.ts';
import { textOf } from '../values/value_kinds.ts';
import { Cursor } from './cursor.ts';
import { ageInDays, arrivedLate, firstId, newestDay, numbered } from './page.ts';
import type { StrategyContext, Strategy } from './strategy.ts';

export const byId: Strategy<ById> = {
	byNumber: true,
	skipsHistory: true,

	asks: (spec, context) => asksAfter(spec, context),

	turn(spec, { rows: shown, cut, behind }, { cursor, start, inputs, now }) {
		const known = Cursor.read(cursor, start);
		const rows = numbered(shown);
		const waiting = known.stillWaiting(rows, behind);
		const items: Row[] = [];
		const [came, newest] = [spec.recent?.came, newestDay(rows.values(), spec.wait ?? {}, now)];
		let fresh = false;
		for (const [number, row] of rows) {
			const waitedFor = known.waiting.has(number);
			if (!waitedFor && !known.isNew(number, row, came)) continue;
			fresh ||= !waitedFor;
			waiting.delete(number);
			if (applies(spec.wait, row, inputs)) {
				if (isWorthWaiting(spec, row, newest)) waiting.set(number, '');
			} else if ((waitedFor || !known.skipping) && !applies(spec.skip, row, inputs)) {
				items.push(itemOf(spec, row));
			}
		}
		const then = known.moved(rows, cut, waiting, behind, came);
		return { items, cursor: then.toString(), more: known.goesOn(then), fresh };
	},

	stateless: (spec, rows, context) => byId.turn(spec, { rows, cut: false }, context).items.reverse(),

	statelessAsks: ({ look_back: back }, { now }) =>
		back ? { [back.since]: daysBefore(berlinDay(now), back.days) } : {},
};

/** The request for what lies behind the cursor; a first poll since an id asks from there. */
export function asksAfter(
	{ after, recent }: Pick<ById, 'after' | 'recent'>,
	{ cursor, start }: StrategyContext,
): Inputs {
	if (cursor !== undefined) return Cursor.read(cursor, start).asks(after, recent?.since);
	return start.startsWith('since:') ? { [after]: String(firstId(start)) } : {};
}

function applies(rule: { when: Condition; unless?: string } | undefined, row: Row, inputs: Inputs): boolean {
	return rule !== undefined && inputs[rule.unless ?? ''] !== true && holds(rule.when, row);
}

function isWorthWaiting({ wait }: ById, row: Row, newest: string): boolean {
	const age = ageInDays(row, wait ?? {}, newest);
	return age === undefined || age <= (wait?.days ?? Infinity);
}

function itemOf({ late }: ById, row: Row): Row {
	return { ...row, _id: textOf(row.id), ...(late ? { [late.as]: arrivedLate(row, late) } : {}) };
}
