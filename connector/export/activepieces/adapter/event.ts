/** Triggers that are called: by the service itself, or by a Kontor host, which signs what it delivers. */

import type { Access, Package } from '../../node/adapter/access.ts';
import { HMAC, sleep } from '../../node/adapter/access.ts';
import { seal, unseal } from '../../node/adapter/seal.ts';
import { isSubscribed, subscribe, takeDelivery, unsubscribe } from '../../node/core/backend/host_subscription.ts';
import { giveBackWebhookUrl, takeWebhookUrl } from '../../node/core/backend/webhook_url.ts';
import type { EventMemory, ToldEvents } from '../../node/core/events/receive_event.ts';
import type { Ask } from '../../node/core/host.ts';
import type { Manifest } from '../../node/core/manifest/pack.ts';
import { plain, writeJson } from '../../node/core/values/json.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import { isObject, textOf } from '../../node/core/values/value_kinds.ts';
import { accessWith, credentialOf } from './access.ts';
import { rawInputs } from './form.ts';
import type { TriggerContext, TriggerSpec } from './framework.ts';
import { telling } from './told.ts';

const TOLD = 'kontor-told';
const FORMER = 'kontor-former-url';
const SUBSCRIPTION = 'kontor-subscription';
const REPLACE = 'kontor_replace_foreign_url';
/** Milliseconds after which an event is held against the API again that does not show it yet. */
const LATER = [1000, 4000];
const NOT_YET = 503;

interface Kept {
	id?: string;
	/** Sealed. */
	secret?: string;
}

export function eventFunctionsOf(kit: Package, { name, sampleData }: TriggerSpec) {
	const { onEnable, onDisable, received } = kit.via === 'host' ? atHost(kit, name) : atService(kit, name);
	return {
		onEnable: telling(onEnable),
		onDisable: telling(onDisable),
		run: telling(async (context: TriggerContext) => {
			const memory = await memoryOf(context);
			const items = await received(context, memory);
			await context.store.put(TOLD, memory.recall());
			return (plain(items) as Row[]).map((item) => ({ ...item, _dedupe_key: item._id }));
		}),
		test: async () => [sampleData],
	};
}

/** The service has one URL for all: a foreign one is left alone, unless the form says otherwise. */
function atService(kit: Package, name: string) {
	return {
		async onEnable(context: TriggerContext): Promise<void> {
			const { say, kontor } = accessWith(kit, context.auth);
			const raw = rawOf(kit, name, context);
			kontor.check(kit.pack.triggers[name] as Manifest, raw);
			const memory = await memoryOf(context);
			await kontor.beginListening(name, raw, memory);
			await context.store.put(TOLD, memory.recall());
			const mayReplace = textOf(context.propsValue[REPLACE]) === 'true';
			const former = await takeWebhookUrl(kontor, say, context.webhookUrl, mayReplace);
			if (former) await context.store.put(FORMER, former);
		},
		async onDisable(context: TriggerContext): Promise<void> {
			const former = await context.store.get(FORMER);
			const { kontor } = accessWith(kit, context.auth);
			await giveBackWebhookUrl(kontor, context.webhookUrl, typeof former === 'string' ? former : null);
			await context.store.delete(FORMER);
		},
		/** Activepieces has answered the service already: what the API does not show yet is looked at again here. */
		async received(context: TriggerContext, memory: EventMemory): Promise<Row[]> {
			const { kontor } = accessWith(kit, context.auth);
			const raw = rawOf(kit, name, context);
			for (const pause of [...LATER, 0]) {
				const { status, items, problem } = await kontor.receive(name, raw, bodyOf(context), memory);
				if (status !== NOT_YET) return items;
				if (!pause && problem) throw problem;
				await sleep(pause);
			}
			return [];
		},
	};
}

/** One subscription for each flow. */
function atHost(kit: Package, name: string) {
	const asking = ({ ask }: Access): Ask => {
		if (!ask) throw new Error('this package talks to no host');
		return ask;
	};

	/** The host gives the one that is there already, and its secret. */
	async function subscribed(context: TriggerContext): Promise<string> {
		const [access, trigger] = [accessWith(kit, context.auth), kit.pack.triggers[name] as Manifest];
		const { inputs } = access.kontor.check(trigger, rawOf(kit, name, context));
		const { id, secret } = await subscribe(asking(access), trigger, inputs, context.webhookUrl);
		await context.store.put(SUBSCRIPTION, { id, secret: seal(secret, keyOf(context)) });
		return secret;
	}

	return {
		async onEnable(context: TriggerContext): Promise<void> {
			await subscribed(context);
		},
		async onDisable(context: TriggerContext): Promise<void> {
			const { id } = await subscriptionOf(context);
			const ask = asking(accessWith(kit, context.auth));
			if (id && (await isSubscribed(ask, id, context.webhookUrl))) await unsubscribe(ask, id);
			await context.store.delete(SUBSCRIPTION);
		},
		async received(context: TriggerContext, memory: EventMemory): Promise<Row[]> {
			const known = unseal((await subscriptionOf(context)).secret ?? '', keyOf(context));
			const secret = known ?? (await subscribed(context)); // the API key was replaced
			const delivery = { headers: context.payload.headers ?? {}, body: bodyOf(context) };
			return takeDelivery(delivery, secret, HMAC, Date.now(), memory).items;
		},
	};
}

function keyOf({ auth }: TriggerContext): string {
	return credentialOf(auth).apiKey ?? '';
}

function rawOf({ pack }: Package, name: string, { propsValue }: TriggerContext): Row {
	return rawInputs(pack.triggers[name]?.inputs ?? [], propsValue);
}

/** To the letter where Activepieces hands that on: as text, or as a buffer that went through JSON. */
function bodyOf({ payload: { body, rawBody } }: TriggerContext): string {
	if (typeof rawBody === 'string') return rawBody;
	const bytes = isObject(rawBody) && Array.isArray(rawBody.data) ? (rawBody.data as number[]) : rawBody;
	if (Buffer.isBuffer(bytes) || Array.isArray(bytes)) return Buffer.from(bytes as number[]).toString('utf8');
	return typeof body === 'string' ? body : writeJson(body ?? {});
}

async function subscriptionOf({ store }: TriggerContext): Promise<Kept> {
	const subscription = await store.get(SUBSCRIPTION);
	return isObject(subscription) ? subscription : {};
}

/** What the flow was told of. */
async function memoryOf({ store }: TriggerContext): Promise<EventMemory> {
	const stored = await store.get(TOLD);
	let told = { statuses: {}, seen: [], arrived: {}, ...(isObject(stored) ? stored : {}) } as ToldEvents;
	return { recall: () => told, remember: (next) => void (told = next) };
}
