/** What the steps of a Zap do where the package talks to a Kontor host, which runs, remembers and delivers. */

import { createHmac } from 'node:crypto';

import type { Asked, Hmac } from '../../node/core/host.ts';
import { askHost, isGenuine, outputOf, problemOfHost } from '../../node/core/host.ts';
import type { Pack } from '../../node/core/manifest/pack.ts';
import { problem, sayer } from '../../node/core/messages.ts';
import { hostOf } from '../../node/core/values/addresses.ts';
import { readJson } from '../../node/core/values/json.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import { isObject, textOf } from '../../node/core/values/value_kinds.ts';
import { wordsOf } from '../../node/core/writes/intent.ts';
import { accountLabel } from './account_label.ts';
import { inputsOfUse, inZone, PAGE_SIZE, rawInputs } from './form.ts';
import { intentOf } from './intent.ts';
import { account, sender } from './send.ts';
import type { Bundle, Steps, Z } from './zapier.ts';

const MILLISECONDS = 30_000;
/** Zapier may hold a delivery back for hours, and drops by its id what it has seen. */
const TOLERANCE = 24 * 60 * 60;
const HMAC: Hmac = (key, text) => createHmac('sha256', key).update(text).digest('base64');
/** What the host's answer calls the secret that signs its call back. */
const SECRET = 'callback_secret';
const SECURE = /^https:\/\/|^http:\/\/(localhost|127\.|\[::1\])/i;

export function host(pack: Pack): Steps {
	const say = sayer(pack.messages);

	async function ask(z: Z, bundle: Bundle, path: string, more: Partial<Asked> = {}): Promise<Row> {
		const address = account(bundle, 'host_url');
		if (!SECURE.test(address)) throw problem(say, 'input', 'zapier_host_not_https', {}, { field: 'host_url' });
		const { send } = sender(z, {
			authorization: `Bearer ${account(bundle, 'host_token')}`,
			'x-api-key': account(bundle, 'api_key'),
		});
		const method = more.body ? 'POST' : 'GET';
		return await askHost(send, pack, { method, host: address, path, timeout: MILLISECONDS, ...more });
	}

	return {
		async test(z, bundle) {
			const { accounts } = await ask(z, bundle, '/v1/credential/test', { body: {} });
			return { label: accountLabel(say, hostOf(account(bundle, 'host_url')), Number(textOf(accounts))) };
		},

		async run(z, bundle, { id, slow, finds }) {
			const { inputs: fields, writes } = pack.actions[id] ?? {};
			const inputs = inZone(bundle, fields, await rawInputs(z, pack, fields, bundle));
			const body = { inputs, ...(writes ? wordsOf(intentOf(pack, bundle)) : {}) };
			// To ask Zapier for the address is to promise a call back: the host is asked first whether it makes them.
			const waits = slow && (await ask(z, bundle, '/v1/connector')).callbacks === true;
			const back = waits ? { callback_url: z.generateCallbackUrl() } : {};
			const more = { body: { ...body, ...back }, fields, writes };
			const answer = await ask(z, bundle, `/v1/actions/${id}/run`, more);
			if (!waits) return outputOf(answer);
			const proof = { [SECRET]: answer[SECRET] };
			return finds === 'many' ? { items: [proof] } : proof;
		},

		/** What a host posts back when a slow run is done; the secret that signs it is in what the step gave first. */
		async resume(_, { rawRequest, outputData }, { id }) {
			const [first] = [outputData].flat();
			const answer = signed(rawRequest, isObject(first) ? first[SECRET] : undefined);
			if (answer === undefined) {
				const remedy = say('zapier_callback_not_signed_remedy');
				throw problem(say, 'bad_reply', 'zapier_callback_not_signed', {}, { remedy });
			}
			const told = isObject(answer) ? answer : {};
			if (told.ok) return told.output;
			throw problemOfHost(pack, isObject(told.error) ? told.error : told, 502, pack.actions[id]?.inputs);
		},

		/** Zapier tells the number of a page, and keeps where the one before has ended. */
		async options(z, bundle, step) {
			const number = bundle.meta?.page ?? 0;
			const after = number ? ((await z.cursor.get()) ?? '') : '';
			if (number && !after) return [];
			const body = { inputs: inputsOfUse(step, bundle), limit: PAGE_SIZE, ...(after && { after }) };
			const { options, next } = await ask(z, bundle, `/v1/lookups/${step.id}`, { body });
			await z.cursor.set(textOf(next));
			return options;
		},

		/** Each Zap has a subscription of its own, whose secret Zapier keeps for the Zap. */
		async subscribe(z, bundle, { id }) {
			const fields = pack.triggers[id]?.inputs;
			const inputs = inZone(bundle, fields, await rawInputs(z, pack, fields, bundle));
			const body = { trigger: id, inputs, target_url: bundle.targetUrl };
			const { id: subscriptionId, secret } = await ask(z, bundle, '/v1/subscriptions', { body, fields });
			return { id: subscriptionId, secret };
		},

		async unsubscribe(z, bundle) {
			const id = encodeURIComponent(textOf(bundle.subscribeData?.id));
			await ask(z, bundle, `/v1/subscriptions/${id}`, { method: 'DELETE' });
			return { id };
		},

		async sample(z, bundle, { id }) {
			const fields = pack.triggers[id]?.inputs;
			const inputs = inZone(bundle, fields, await rawInputs(z, pack, fields, bundle));
			return (await ask(z, bundle, `/v1/triggers/${id}/sample`, { body: { inputs }, fields })).items;
		},

		async receive(z, { rawRequest, subscribeData }) {
			const told = signed(rawRequest, subscribeData?.secret);
			if (told === undefined) z.console.log(say('zapier_not_signed'));
			return [told].flat().filter(isObject);
		},
	};
}

/** Whoever knows an address of Zapier can send anything there: this is read only if the host has signed it. */
function signed({ headers, content }: NonNullable<Bundle['rawRequest']> = {}, secret: unknown): unknown {
	const delivery = { headers: isObject(headers) ? headers : {}, body: textOf(content) };
	const isSigned = isGenuine(delivery, textOf(secret), HMAC, Date.now() / 1000, TOLERANCE);
	return isSigned ? readJson(delivery.body) : undefined;
}
