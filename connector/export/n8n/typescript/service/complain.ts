import type { Problem } from './problem';
import { fill, wrong } from './problem';
import { ACTIONS } from './tables';

/** Says a sentence of an action's manifest about one of its fields. */
export function complaint(action: string, name: string, field: string, values: Record<string, unknown> = {}): Problem {
	return wrong(fill(ACTIONS[action].messages?.[name] ?? name, values), field);
}
