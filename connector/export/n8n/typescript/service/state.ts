/**
 * What is remembered of writes: in this process, in the data of the execution, which a retry of the execution gets too,
 * and, as long as one is unsettled, in the data that n8n keeps for the node.
 */

import type { IExecuteFunctions } from 'n8n-workflow';

import type { RememberedWrite, State } from '../core/platform';
import { BY_KEY, ProcessState } from '../core/writes/memory';

const PROCESS = new ProcessState();
const MAX_UNSETTLED = 50;

interface Held {
	kontorWrites?: Record<string, RememberedWrite>;
}

export function stateOf(context: IExecuteFunctions): State {
	const execution = context.getContext('node') as Held;
	const node = context.getWorkflowStaticData('node') as Held;
	const own = (name: string): string => `${context.getNode().credentials?.kontorApi?.id}/${name}`;
	const state: State = {
		async get(name) {
			return (await PROCESS.get(own(name))) ?? execution.kontorWrites?.[name] ?? node.kontorWrites?.[name];
		},
		async set(name, write) {
			await PROCESS.set(own(name), write);
			if (name.startsWith(BY_KEY)) execution.kontorWrites = changed(execution, name, write);
			const unsettled = write?.state === 'unknown' ? write : undefined;
			// Only a change is written: n8n saves the workflow after each run that has changed them.
			if (unsettled || node.kontorWrites?.[name]) node.kontorWrites = newest(changed(node, name, unsettled));
		},
		async claim(name, write, seen) {
			const isOurs = await PROCESS.claim(own(name), write, seen);
			if (isOurs) await state.set(name, write);
			return isOurs;
		},
	};
	return state;
}

function changed({ kontorWrites }: Held, name: string, write: RememberedWrite | undefined): Record<string, RememberedWrite> {
	const others = Object.entries(kontorWrites ?? {}).filter(([other]) => other !== name);
	return Object.fromEntries(write ? [...others, [name, write]] : others);
}

function newest(writes: Record<string, RememberedWrite>): Record<string, RememberedWrite> {
	return Object.fromEntries(Object.entries(writes).slice(-MAX_UNSETTLED));
}
