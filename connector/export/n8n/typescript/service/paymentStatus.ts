/** The order of a payment's statuses: which one is later, which one is the last, and that none goes back. */

const RANK: Record<string, number> = {
	initiated: 1,
	initiated_info_required: 2,
	authorizing: 3,
	authorized: 4,
	processing: 5,
	executed: 6,
	settled: 9,
	failed: 9,
	rejected: 9,
};
const LAST = 9;

export function isFinal(status: string): boolean {
	return RANK[status] === LAST;
}

export function rankOf(status: string, otherwise: number): number {
	return RANK[status] ?? otherwise;
}

/** Whether a status is news for a payment last known under another; a status nobody described is always news. */
export function movesForward(before: string | undefined, status: string): boolean {
	if (before === undefined || before === '') return true;
	if (before === status || isFinal(before)) return false;
	if (before in RANK && status in RANK) return RANK[status] > RANK[before];
	return true;
}
