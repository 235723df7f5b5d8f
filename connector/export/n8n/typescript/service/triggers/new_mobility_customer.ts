import { firstSeen } from '../knownIds';
import type { Inputs, Row, Turned } from '../shapes';

export function turn(items: Row[], cursor: string | undefined, _: Inputs, __: Date, start: string): Turned {
	return firstSeen(items, cursor, start);
}
