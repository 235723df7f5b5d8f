/** The order of states: which one is later, which one is the last, and that none goes back. */

import type { Series } from './form.ts';

/** The place of a state in its series; `otherwise` when nobody described it. */
function rank({ order }: Series, state: string, otherwise: number): number {
	const place = order.findIndex((one) => [one].flat().includes(state));
	return place < 0 ? otherwise : place;
}

/** Whether a state is news for something last known under another; a state that nobody described always is. */
export function movesForward(series: Series, before: string | undefined, state: string): boolean {
	if (!before) return true;
	if (before === state || series.final.includes(before)) return false;
	return rank(series, state, Infinity) > rank(series, before, -1);
}

/** Holds a claimed state against the one that is shown: it may have gone on from there, or not be that far yet. */
export function judge(series: Series, claimed: string, shown: string): 'true' | 'not_yet' | 'false' {
	if (shown === claimed) return 'true';
	// An end that is not the claimed one.
	if (series.final.includes(shown)) return series.final.includes(claimed) ? 'false' : 'true';
	return rank(series, shown, -1) >= rank(series, claimed, series.order.length - 1) ? 'true' : 'not_yet';
}
