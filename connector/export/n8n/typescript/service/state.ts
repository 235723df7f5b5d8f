/**
 * What is remembered of writes: in this process, in the data of the execution, which a retry of the execution gets too,
 * and, as long as one is unsettled, in the data that n8n keeps for the node.
 */

import type { IExecuteFunctions } from 'n8n-workflow';

import type { Kept, State } from '../core/state';
import { BY_KEY, ProcessState } from '../core/state';

const PROCESS = new ProcessState();
const MAX_UNSETTLED = 50;

interface Held {
	kontorWrites?: Record<string, Kept>;
}

export function stateOf(context: IExecuteFunctions): State {
	const execution = context.getContext('node') as Held;
	const node = context.getWorkflowStaticData('node') as Held;
	const own = (name: string): string => `${context.getNode().credentials?.kontorApi?.id}/${name}`;
	const state: State = {
		async get(name) {
			return (await PROCESS.get(own(name))) ?? execution.kontorWrites?.[name] ?? node.kontorWrites?.[name];
		},
		async set(name, kept) {
			await PROCESS.set(own(name), kept);
			if (name.startsWith(BY_KEY)) execution.kontorWrites = changed(execution, name, kept);
			const unsettled = kept?.state === 'unknown' ? kept : undefined;
			// Only a change is written: n8n saves the workflow after each run that has changed them.
			if (unsettled || node.kontorWrites?.[name]) node.kontorWrites = newest(changed(node, name, unsettled));
		},
		async claim(name, kept, seen) {
			const isOurs = await PROCESS.claim(own(name), kept, seen);
			if (isOurs) await state.set(name, kept);
			return isOurs;
		},
	};
	return state;
}

function changed({ kontorWrites }: Held, name: string, kept: Kept | undefined): Record<string, Kept> {
	const others = Object.entries(kontorWrites ?? {}).filter(([other]) => other !== name);
	return Object.fromEntries(kept ? [...others, [name, kept]] : others);
}

function newest(writes: Record<string, Kept>): Record<string, Kept> {
	return Object.fromEntries(Object.entries(writes).slice(-MAX_UNSETTLED));
}
