/** What is remembered of writes: in this process, and where the platform keeps data beyond it. */

import type { RememberedWrite, State } from '../core/platform.ts';
import { ProcessState } from '../core/writes/memory.ts';

const PROCESS = new ProcessState();

/** Where a platform keeps writes by name. */
export interface Kept {
	get(name: string): Promise<RememberedWrite | undefined>;
	set(name: string, write: RememberedWrite | undefined): Promise<void>;
}

/** `owner` is the credential to which all of it belongs. */
export function writeMemory(owner: string, kept: Kept): State {
	const own = (name: string): string => `${owner}/${name}`;
	return {
		get: async (name) => (await PROCESS.get(own(name))) ?? (await kept.get(name)),
		async set(name, write) {
			await PROCESS.set(own(name), write);
			await kept.set(name, write);
		},
		/** This process decides between two of its own; between two processes, whoever has kept it first. */
		async claim(name, write, seen) {
			if (!(await PROCESS.claim(own(name), write, seen))) return false;
			const other = await kept.get(name);
			if (other && other.key !== seen?.key) {
				await PROCESS.set(own(name), other);
				return false;
			}
			await kept.set(name, write);
			return true;
		},
	};
}
