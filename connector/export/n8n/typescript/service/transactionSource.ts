import type { Inputs } from './shapes';
import { TRIGGERS } from './tables';
import { wrong } from './problem';

/** Refuses a poll that names neither a bank connection nor a bank account, before it costs a credit. */
export function sourceCheck(id: string): (inputs: Inputs) => void {
	return (inputs) => {
		if (inputs.connection_id === undefined && inputs.account_id === undefined) {
			throw wrong(TRIGGERS[id].messages?.source_missing ?? 'connection_id', 'connection_id');
		}
	};
}
