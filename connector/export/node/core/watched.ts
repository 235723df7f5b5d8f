/** Those that a trigger watches one by one, where no input names one of them. */

import type { AlarmSpec, Row } from './types.ts';

/** What a row says of how it is known. */
const KNOWN_FROM = '_known_from';
const BEFORE = 'before';

/** A row of each that is known, with how it is known; `ask` finds none where one is no longer there. */
export async function rowsOfEach(
	each: NonNullable<AlarmSpec['each']>,
	before: string[],
	listed: string[],
	ask: (id: string) => Promise<Row[]>,
): Promise<Row[]> {
	const known = new Map<string, string>(before.map((id) => [id, BEFORE]));
	for (const id of listed) known.set(id, each.how);
	const found: Row[] = [];
	for (const [id, how] of known) {
		const rows = await ask(id);
		found.push(...rows.map((row) => ({ ...row, [each.as]: id, [KNOWN_FROM]: how })));
	}
	return found;
}
