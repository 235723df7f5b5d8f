/**
 * The service's one webhook URL, read before it is written; and its events, which are only hints: what starts a
 * workflow is what the API shows. A status is told once and never goes back.
 */

import { createHash } from 'crypto';
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { clean } from './clean';
import { objectIn, webhookUrlIn } from './envelopes';
import { readJson, writeJson } from './exact';
import { gather, isPlainObject } from './form';
import { TRIGGER_HANDLERS } from './handlers';
import { confirmedData, judge } from './paymentFacts';
import { movesForward } from './paymentStatus';
import { Problem, say } from './problem';
import { handOver, recall, remember } from './recall';
import type { Context } from './send';
import { send } from './send';
import type { Inputs, Row, Rows } from './shapes';
import { TRIGGERS } from './tables';

const PATH = '/v2/banking/webhook-url';
const PAYMENT_EVENTS = ['payment_update', 'payment_progress'];
const BANK_EVENTS = ['refresh_complete', 'connection_error', 'connection_destroyed'];

interface Kept {
	/** The URL that this workflow has replaced, to be put back. */
	former?: string | null;
}

export interface Received {
	status: number;
	rows: Rows;
}

const NOTHING: Received = { status: 200, rows: [] };
/** The event may be true, but the API does not show it yet: the service may send it again. */
const LATER: Received = { status: 503, rows: [] };

export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	return (await currentUrl(context)) === context.getNodeWebhookUrl('default');
}

/** Sets the URL, but replaces a foreign one only when told to. */
export async function register(context: IHookFunctions): Promise<boolean> {
	const own = context.getNodeWebhookUrl('default') ?? '';
	const former = await currentUrl(context);
	if (former && former !== own && context.getNodeParameter('replaceForeign', false) !== true) {
		throw new Problem(say('webhook_taken', { url: former }), {
			kind: 'refused',
			remedy: say('webhook_taken_remedy'),
		});
	}
	await putUrl(context, own);
	if ((await currentUrl(context)) !== own) throw new Problem(say('webhook_not_set', { url: own }));
	(context.getWorkflowStaticData('node') as Kept).former = former === own ? null : former;
	return true;
}

/** Gives the URL back, if it is still ours. */
export async function unregister(context: IHookFunctions): Promise<boolean> {
	const kept = context.getWorkflowStaticData('node') as Kept;
	if ((await currentUrl(context)) === context.getNodeWebhookUrl('default')) await putUrl(context, kept.former ?? '');
	delete kept.former;
	handOver(context);
	return true;
}

export async function receive(context: IWebhookFunctions): Promise<Received> {
	const envelope = envelopeOf(context);
	if (!envelope) return { status: 400, rows: [] };
	const id = context.getNodeParameter('trigger') as string;
	const trigger = TRIGGERS[id];
	if (trigger.events?.length && !trigger.events.includes(envelope.event)) return NOTHING;
	const read = (name: string): unknown => context.getNodeParameter(name, undefined);
	const inputs = clean(trigger.fields, await gather(trigger.fields, read));
	if (PAYMENT_EVENTS.includes(envelope.event)) return await ofPayment(context, id, envelope, inputs);
	if (BANK_EVENTS.includes(envelope.event)) {
		const confirmed = await bankConnectionConfirms(context, envelope);
		return confirmed ? once(context, id, envelope, inputs) : NOTHING;
	}
	// Of an event that nobody described, at least nothing about money is believed.
	if (/payment/i.test(`${envelope.event}${JSON.stringify(envelope.data)}`)) return NOTHING;
	return once(context, id, envelope, inputs);
}

interface Envelope {
	event: string;
	data: Row;
	id: string;
}

function envelopeOf(context: IWebhookFunctions): Envelope | undefined {
	const raw = (context.getRequestObject() as { rawBody?: Buffer }).rawBody;
	const tree: unknown = raw?.length ? readJson(raw.toString('utf8')) : context.getBodyData();
	if (!isPlainObject(tree) || typeof tree.event !== 'string' || !tree.event.trim()) return undefined;
	const data = tree.data ?? {};
	if (!isPlainObject(data)) return undefined;
	const content = writeJson([tree.event, inOrder(data), tree.received_at ?? null]);
	return { event: tree.event, data, id: createHash('sha256').update(content).digest('hex') };
}

async function ofPayment(
	context: IWebhookFunctions,
	trigger: string,
	{ data }: Envelope,
	inputs: Inputs,
): Promise<Received> {
	const [id, claimed] = [idOf(data.payment_id), data.status];
	if (id === undefined || typeof claimed !== 'string') return NOTHING;
	if (!movesForward(recall(context).statuses[id], claimed)) return NOTHING;
	const payment = await found(context, `/v2/banking/payments/${encodeURIComponent(id)}`);
	if (!payment) return NOTHING;
	const verdict = judge(claimed, payment.status);
	if (verdict === 'not yet') return LATER;
	const status = String(payment.status);
	const told = recall(context); // anew: another event may have been told of meanwhile
	if (verdict === 'false' || !movesForward(told.statuses[id], status)) return NOTHING;
	remember(context, { ...told, statuses: { ...told.statuses, [id]: status } });
	const shown = confirmedData({ id, ...payment }, data);
	const name = status === 'initiated_info_required' ? 'payment_progress' : 'payment_update';
	const wanted = TRIGGERS[trigger].events;
	if (wanted?.length && !wanted.includes(name)) return NOTHING;
	return fired(trigger, name, shown, inputs, `${id}:${status}`);
}

/** A bank connection that was destroyed must be gone; for any other event it must be there. */
async function bankConnectionConfirms(context: Context, { event, data }: Envelope): Promise<boolean> {
	const id = idOf(data.connection_id);
	if (id === undefined) return false;
	const there = (await found(context, `/v2/banking/connections/${encodeURIComponent(id)}`)) !== undefined;
	return event === 'connection_destroyed' ? !there : there;
}

async function found(context: Context, path: string): Promise<Row | undefined> {
	try {
		return objectIn(await send(context, call('GET', path)));
	} catch (error) {
		const kind = error instanceof Problem ? error.details.kind : undefined;
		if (kind === 'not_found' || kind === 'refused' || kind === 'right_missing') return undefined;
		return fail(error);
	}
}

function once(context: IWebhookFunctions, trigger: string, { event, data, id }: Envelope, inputs: Inputs): Received {
	const told = recall(context);
	if (told.seen.includes(id)) return NOTHING;
	remember(context, { ...told, seen: [...told.seen, id] });
	return fired(trigger, event, data, inputs, id);
}

function fired(trigger: string, event: string, data: Row, inputs: Inputs, id: string): Received {
	if (!TRIGGER_HANDLERS[trigger].fires?.(event, data, inputs)) return NOTHING;
	const row = TRIGGERS[trigger].events?.length ? { ...data, _id: id } : { ...data, _id: id, _event: event };
	return { status: 200, rows: [row as IDataObject] };
}

async function currentUrl(context: Context): Promise<string | null> {
	const missing = (error: unknown): null => {
		if (error instanceof Problem && error.details.status === 404) return null;
		throw error;
	};
	return webhookUrlIn(await send(context, call('GET', PATH)).catch(missing));
}

async function putUrl(context: Context, url: string): Promise<void> {
	await send(context, { ...call('PUT', PATH), body: { webhook_url: url }, writes: true });
}

function call(method: string, path: string) {
	const quiet = { writes: false, ledger: false, clientNamed: false, timeout: 30_000, wireNames: {} };
	return { method, path, query: [], headers: {}, ...quiet };
}

function idOf(value: unknown): string | undefined {
	const text = typeof value === 'number' ? String(value) : value;
	return typeof text === 'string' && /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,119}$/.test(text) ? text : undefined;
}

function inOrder(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(inOrder);
	if (!isPlainObject(value)) return value;
	return Object.fromEntries(Object.keys(value).sort().map((name) => [name, inOrder(value[name])]));
}

function fail(error: unknown): never {
	throw error;
}
