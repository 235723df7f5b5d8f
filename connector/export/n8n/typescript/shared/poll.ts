/** One poll. A test run shows what there is and moves nothing. */

import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import type { Inputs, Manifest } from '../core/manifest/pack';
import type { LastPoll } from '../core/poller/poll_throttle';
import { plain } from '../core/values/json';
import { PACK } from '../pack';
import { backend } from './backend';
import { gather } from './form';
import { kontorOf } from './platform';

/** How many rows a test run shows. */
const MAX_SHOWN = 10;

/** What n8n keeps for this node: whose list it is, how far it was read, and what is known of the last paid poll. */
interface NodeData {
	of?: string;
	cursor?: string;
	looked?: LastPoll;
}

export async function pollTrigger(context: IPollFunctions): Promise<IDataObject[]> {
	const trigger = PACK.triggers[context.getNodeParameter('trigger') as string];
	const read = (name: string): unknown => context.getNodeParameter(name, '');
	const raw = await gather(trigger.inputs, read);
	const { inputs } = (await kontorOf(context)).check(trigger, raw);
	if (context.getMode() === 'manual') {
		const { items } = await backend.poll(context, trigger, raw, undefined, 'all');
		return plain(items.slice(-MAX_SHOWN)) as IDataObject[];
	}
	const nodeData = context.getWorkflowStaticData('node') as NodeData;
	const of = sourceOf(trigger, inputs);
	// An earlier package for a host wrote all inputs as they were.
	const before = [of, JSON.stringify([trigger.id, raw])].includes(nodeData.of ?? '') ? nodeData.cursor : undefined;
	const start = read('start') === 'since' ? `since:${String(read('since')).trim()}` : String(read('start') || 'now');
	const { items, cursor, lastPoll } = await backend.poll(context, trigger, raw, before, start, nodeData.looked);
	Object.assign(nodeData, { of, cursor, looked: lastPoll });
	return plain(items) as IDataObject[];
}

/** Whose list is polled: with another account or bank connection, the old cursor means nothing. */
function sourceOf({ id, inputs: fields }: Manifest, inputs: Inputs): string {
	const sent = fields.filter((field) => field.in && !field.internal && inputs[field.name] !== undefined);
	return JSON.stringify([id, ...sent.map(({ name }) => [name, String(inputs[name])])]);
}
