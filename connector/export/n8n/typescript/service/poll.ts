import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { clean } from './clean';
import { objectIn, rowsIn } from './envelopes';
import { plain } from './exact';
import { gather } from './form';
import { TRIGGER_HANDLERS } from './handlers';
import { buildCall } from './request';
import { asCut } from './rows';
import { send } from './send';
import type { Inputs, Row, Rows, Trigger, Turned } from './shapes';
import { TRIGGERS } from './tables';

/** How many pages one poll reads at most; the next one goes on from there. */
const MOST_PAGES = 10;
/** How many rows a test run shows. */
const MOST_SHOWN = 10;

/** What n8n keeps for this node: whose list it is, and how far it was read. */
interface Kept {
	of?: string;
	cursor?: string;
}

/** One poll. A test run shows what there is and moves nothing. */
export async function pollTrigger(context: IPollFunctions): Promise<Rows> {
	const id = context.getNodeParameter('trigger') as string;
	const trigger = TRIGGERS[id];
	const read = (name: string): unknown => context.getNodeParameter(name, undefined);
	const inputs = clean(trigger.fields, await gather(trigger.fields, read));
	TRIGGER_HANDLERS[id]?.check?.(inputs);
	if (context.getMode() === 'manual') {
		const { rows } = await page(context, trigger, inputs, undefined, 'all');
		return shown(rows.slice(-MOST_SHOWN));
	}
	const kept = context.getWorkflowStaticData('node') as Kept;
	const of = sourceOf(trigger, inputs);
	let cursor = kept.of === of ? kept.cursor : undefined;
	const found: Row[] = [];
	for (let pages = 1; pages <= MOST_PAGES; pages++) {
		const turned = await page(context, trigger, inputs, cursor, startOf(context));
		found.push(...turned.rows);
		cursor = turned.cursor;
		if (!turned.more) break;
	}
	kept.of = of;
	kept.cursor = cursor;
	return shown(found);
}

async function page(
	context: IPollFunctions,
	trigger: Trigger,
	inputs: Inputs,
	cursor: string | undefined,
	start: string,
): Promise<Turned & { more: boolean }> {
	const handler = TRIGGER_HANDLERS[trigger.id];
	const now = new Date();
	const asked = { ...inputs, ...handler.ask?.(inputs, cursor, now) };
	const reply = await send(context, buildCall(trigger, asked, false));
	const found = trigger.list ? rowsIn(reply) : [objectIn(reply)];
	const passing = found.length > 0 && handler.more !== undefined && isPassing(cursor, start);
	const items = passing ? asCut(found) : found;
	const turned = handler.turn!(items, cursor, inputs, now, start);
	return { ...turned, more: handler.more?.(items) ?? false };
}

/** Whether history is being passed over: only an empty page is its end for sure, and what comes after it is new. */
function isPassing(cursor: string | undefined, start: string): boolean {
	return start === 'now' && (cursor === undefined || cursor.endsWith('!'));
}

function startOf(context: IPollFunctions): string {
	const start = context.getNodeParameter('start', 'now') as string;
	return start === 'since' ? `since:${String(context.getNodeParameter('since', '')).trim()}` : start;
}

/** Whose list is polled: with another account or bank connection, the old cursor means nothing. */
function sourceOf(trigger: Trigger, inputs: Inputs): string {
	const sent = trigger.fields.filter((field) => field.place && !field.internal && inputs[field.name] !== undefined);
	return JSON.stringify([trigger.id, ...sent.map((field) => [field.name, String(inputs[field.name])])]);
}

function shown(rows: Row[]): Rows {
	return rows.map((row) => plain(row) as IDataObject);
}
