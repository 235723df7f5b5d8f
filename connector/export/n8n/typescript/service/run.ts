import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { clean } from './clean';
import { objectIn, rowsIn } from './envelopes';
import { gather } from './form';
import { ACTION_HANDLERS } from './handlers';
import { Problem } from './problem';
import { buildCall, ownCall } from './request';
import { send } from './send';
import type { Action, Row, Rows } from './shapes';
import { ACTIONS } from './tables';

/** Runs an action for one item; a list gives one row each. */
export async function runAction(context: IExecuteFunctions, id: string, item: number): Promise<Rows> {
	const action = ACTIONS[id];
	const handler = ACTION_HANDLERS[id];
	const read = (name: string): unknown => context.getNodeParameter(name, item, undefined);
	const inputs = clean(action.fields, await gather(action.fields, read, fileReader(context, item)));
	handler?.check?.(inputs);
	const own = handler?.request?.(inputs);
	const call = own ? ownCall(action, own) : buildCall(action, inputs, action.writes);
	return outputOf(action, await send(context, call), call.writes) as IDataObject[];
}

export function fileReader(context: IExecuteFunctions, item: number) {
	return async (name: string): Promise<string | undefined> => {
		if (!context.getInputData()[item].binary?.[name]) return undefined;
		return (await context.helpers.getBinaryDataBuffer(item, name)).toString('base64');
	};
}

function outputOf(action: Action, reply: unknown, writes: boolean): Row[] {
	try {
		const shaped = ACTION_HANDLERS[action.id]?.shape?.(reply);
		if (shaped) return action.list ? (shaped.items as Row[]) : [shaped];
		return action.list ? rowsIn(reply) : [objectIn(reply)];
	} catch (error) {
		// It was done: an unexpected form of the answer must not make it look undone.
		if (writes && error instanceof Problem) return [{ answer: reply }];
		return fail(error);
	}
}

function fail(error: unknown): never {
	throw error;
}
