/** One poll. A test run shows what there is and moves nothing. */

import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import type { PollPlace } from '../core/backend/poll_place';
import { missingRowsProblem, pollFrom, sourceOf, startOf } from '../core/backend/poll_place';
import { plain } from '../core/values/json';
import { PACK } from '../pack';
import { backendOf } from './backend';
import { gather } from './form';
import { kontorOf } from './platform';
import { apiError, say } from './problem';

/** How many rows a test run shows. */
const MAX_SHOWN = 10;

export async function pollTrigger(context: IPollFunctions): Promise<IDataObject[]> {
	const trigger = PACK.triggers[context.getNodeParameter('trigger') as string];
	const read = (name: string): unknown => context.getNodeParameter(name, '');
	const raw = await gather(trigger.inputs, read);
	const { inputs } = (await kontorOf(context)).check(trigger, raw);
	const backend = await backendOf(context);
	if (context.getMode() === 'manual') {
		const { items } = await backend.poll(trigger.id, raw, undefined, 'all');
		return plain(items.slice(-MAX_SHOWN)) as IDataObject[];
	}
	const nodeData = context.getWorkflowStaticData('node') as PollPlace;
	// An earlier package for a host wrote all inputs as they were.
	const isFormer = nodeData.of === JSON.stringify([trigger.id, raw]);
	const before = isFormer ? { ...nodeData, of: sourceOf(trigger, inputs) } : nodeData;
	const start = startOf(read('start'), read('since'));
	const { items, place, missing } = await pollFrom(backend, trigger, { raw, inputs }, before, start);
	Object.assign(nodeData, place, { missingTold: place.missingTold });
	if (missing !== undefined) tellMissing(context, missing);
	return plain(items) as IDataObject[];
}

/** As a failed execution, which also starts the error workflow; what was found starts the workflow all the same. */
function tellMissing(context: IPollFunctions, rows: number): void {
	const error = apiError(context, missingRowsProblem(say, rows), { inOne: true });
	context.logger.warn(error.message);
	context.__emitError(error);
}
