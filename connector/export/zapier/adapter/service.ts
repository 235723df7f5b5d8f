/** What the steps of a Zap do where the package talks to the service itself: the core does it. */

import { giveBackWebhookUrl } from '../../node/core/backend/webhook_url.ts';
import type { EventMemory, ToldEvents } from '../../node/core/events/receive_event.ts';
import { Kontor } from '../../node/core/kontor.ts';
import type { Code } from '../../node/core/manifest/code.ts';
import type { Pack } from '../../node/core/manifest/pack.ts';
import { at, render } from '../../node/core/manifest/templates.ts';
import { problem, sayer } from '../../node/core/messages.ts';
import { hostOf } from '../../node/core/values/addresses.ts';
import { writeJson } from '../../node/core/values/json.ts';
import { objectsIn, textOf } from '../../node/core/values/value_kinds.ts';
import { accountLabel } from './account_label.ts';
import { inputsOfUse, PAGE_SIZE, rawInputs } from './form.ts';
import { intentOf, isYes } from './intent.ts';
import { lastPollCache } from './last_poll.ts';
import { account, sender } from './send.ts';
import { stateOf } from './state.ts';
import type { Bundle, Steps, Z } from './zapier.ts';

/** The form's answer to whether a foreign webhook URL may be replaced. */
const REPLACE = 'replace_foreign_url';
const MAX_SAMPLES = 3;
/** Milliseconds after which an event is held against the API again that does not show it yet. */
const LATER = [1000, 4000];

export function service(pack: Pack, code: Code = {}): Steps {
	const say = sayer(pack.messages);
	const sleep = (milliseconds: number): Promise<void> => new Promise((wake) => setTimeout(wake, milliseconds));

	function kontor(z: Z, bundle: Bundle): Kontor {
		const key = account(bundle, 'api_key');
		const { send, left } = sender(z, { 'x-api-key': key });
		const platform = {
			send,
			get patience() {
				return left();
			},
			baseUrl: account(bundle, 'base_url'),
			now: Date.now,
			zone: textOf(bundle.meta?.timezone),
			sleep,
			sha256: (data: string | Uint8Array) => z.hash('sha256', data, 'hex', 'utf8'),
			state: stateOf(z, bundle),
			redact: (text: string) => (key ? text.replaceAll(key, '…') : text),
		};
		return new Kontor(pack, platform, code);
	}

	return {
		async test(z, bundle, { id, label = '' }) {
			const { output } = await kontor(z, bundle).run(id, {});
			const accounts = objectsIn(output.items);
			const owner = accounts.map((row) => render(label, { row })).find(Boolean);
			const place = hostOf(account(bundle, 'base_url'));
			return { label: accountLabel(say, owner ?? place, accounts.length) };
		},

		async run(z, bundle, { id }) {
			const raw = await rawInputs(z, pack, pack.actions[id]?.inputs, bundle);
			const { output, warnings, replayed } = await kontor(z, bundle).run(id, raw, intentOf(pack, bundle));
			for (const hint of replayed ? [...warnings, say('package_replayed')] : warnings) z.console.log(hint);
			return output;
		},

		async options(z, bundle, step) {
			const [all, number] = [await kontor(z, bundle).options(step.id, inputsOfUse(step, bundle)), bundle.meta?.page ?? 0];
			return all.slice(number * PAGE_SIZE, (number + 1) * PAGE_SIZE);
		},

		async poll(z, bundle, { id }) {
			const trigger = pack.triggers[id];
			const [{ poller }, raw] = [kontor(z, bundle), await rawInputs(z, pack, trigger?.inputs, bundle)];
			const cache = trigger?.throttle && lastPollCache(z, bundle, id, raw);
			if (!cache) return (await poller.pollStateless(id, raw)).items;
			const { items, lastPoll } = await poller.pollStatelessDue(id, raw, await cache.get());
			await cache.set(lastPoll);
			return items;
		},

		/** Whoever knows the address can send anything there: the API has to show it too. */
		async receive(z, bundle, { id }) {
			const [own, raw] = [kontor(z, bundle), await rawInputs(z, pack, pack.triggers[id]?.inputs, bundle)];
			const content = bundle.rawRequest?.content;
			const envelope = typeof content === 'string' ? content : writeJson(bundle.cleanedRequest);
			const [name, claimed] = ['event', 'data.status'].map((path) => textOf(at(bundle.cleanedRequest, path)));
			const memory = briefMemory();
			for (const pause of [...LATER, 0]) {
				const { status, items, problem: why } = await own.receive(id, raw, envelope, memory);
				// A payment's later status has an event of its own: told here too, it would fire twice.
				const isAny = pack.events[name ?? '']?.about !== 'payment';
				if (status !== 503) return items.filter((item) => isAny || textOf(item.status) === claimed);
				if (!pause && why) throw why;
				await sleep(pause);
			}
			return [];
		},

		async subscribe(z, bundle) {
			const [own, ours] = [kontor(z, bundle), bundle.targetUrl ?? ''];
			const now = await own.currentWebhookUrl();
			const isForeign = now !== null && now !== ours;
			if (isForeign && !isYes(bundle.inputData[REPLACE])) {
				throw problem(say, 'input', 'zapier_url_taken', { url: now }, { field: REPLACE });
			}
			await own.putWebhookUrl(ours);
			return { id: ours, former: isForeign ? now : null };
		},

		/** A URL that leads nowhere would be foreign to whoever sets the next one. */
		async unsubscribe(z, bundle) {
			const [url, former] = [bundle.targetUrl ?? '', textOf(bundle.subscribeData?.former)];
			await giveBackWebhookUrl(kontor(z, bundle), url, former);
			return { id: url };
		},

		async sample(z, bundle, { id }) {
			const raw = await rawInputs(z, pack, pack.triggers[id]?.inputs, bundle);
			return await kontor(z, bundle).recent(id, raw, MAX_SAMPLES);
		},
	};
}

/** Zapier keeps nothing between two events: this one lasts while one of them is held against the API. */
function briefMemory(): EventMemory {
	let told: ToldEvents = { statuses: {}, seen: [], arrived: {} };
	return { recall: () => told, remember: (next) => void (told = next) };
}
