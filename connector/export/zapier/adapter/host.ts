/** What the steps of a Zap do where the package talks to a Kontor host, which runs, remembers and delivers. */

import { createHmac } from 'node:crypto';

import { hostOf } from '../../node/core/addresses.ts';
import type { Asked } from '../../node/core/host.ts';
import { askHost, problemOfHost } from '../../node/core/host.ts';
import { readJson } from '../../node/core/json.ts';
import { problem, sayer } from '../../node/core/messages.ts';
import type { Hmac } from '../../node/core/signature.ts';
import { isGenuine } from '../../node/core/signature.ts';
import type { Pack, Row } from '../../node/core/types.ts';
import { isObject, textOf } from '../../node/core/values.ts';
import { inputsOfUse, rawInputs } from './form.ts';
import { intentOf } from './intent.ts';
import { account, sender } from './send.ts';
import type { Bundle, Steps, Z } from './zapier.ts';

const MILLISECONDS = 30_000;
/** Zapier may hold a delivery back for hours, and drops by its id what it has seen. */
const TOLERANCE = 24 * 60 * 60;
const HMAC: Hmac = (key, text) => createHmac('sha256', key).update(text).digest('base64');
const SECURE = /^https:\/\/|^http:\/\/(localhost|127\.|\[::1\])/i;

export function host(pack: Pack): Steps {
	const say = sayer(pack.messages);

	async function ask(z: Z, bundle: Bundle, path: string, more: Partial<Asked> = {}): Promise<Row> {
		const address = account(bundle, 'host_url');
		if (!SECURE.test(address)) throw problem(say, 'input', 'zapier_host_not_https', {}, { field: 'host_url' });
		const { send } = sender(z, {
			authorization: `Bearer ${account(bundle, 'host_token')}`,
			'x-api-key': account(bundle, 'api_key'),
			'x-kontor-quelle': pack.quelle,
		});
		const method = more.body ? 'POST' : 'GET';
		return await askHost(send, pack, { method, host: address, path, timeout: MILLISECONDS, ...more });
	}

	return {
		async test(z, bundle) {
			const { accounts } = await ask(z, bundle, '/v1/credential/test', { body: {} });
			const count = say('zapier_accounts', { count: textOf(accounts) || 0 });
			return { label: `${hostOf(account(bundle, 'host_url'))} (${count})` };
		},

		async run(z, bundle, { id, slow }) {
			const { inputs: fields, writes } = pack.actions[id] ?? {};
			const { key, again } = intentOf(pack, bundle);
			const inputs = await rawInputs(z, pack, fields, bundle);
			const body = { inputs, ...(key ? { key } : {}), ...(again ? { again } : {}) };
			// To ask Zapier for the address is to promise a call back: the host is asked first whether it makes them.
			const waits = slow && (await ask(z, bundle, '/v1/connector')).callbacks === true;
			const back = waits ? { callback_url: z.generateCallbackUrl() } : {};
			const more = { body: { ...body, ...back }, writes };
			const { output } = await ask(z, bundle, `/v1/actions/${id}/run`, more);
			return waits ? { items: [{}] } : output;
		},

		/** What a host posts back when a slow run is done. */
		async resume(_, { cleanedRequest }) {
			const answer = isObject(cleanedRequest) ? cleanedRequest : {};
			if (answer.ok) return answer.output;
			throw problemOfHost(pack, isObject(answer.error) ? answer.error : answer, 502);
		},

		async options(z, bundle, step) {
			const body = { inputs: inputsOfUse(step, bundle) };
			return (await ask(z, bundle, `/v1/lookups/${step.id}`, { body })).options;
		},

		/** Each Zap has a subscription of its own, whose secret Zapier keeps for the Zap. */
		async subscribe(z, bundle, { id }) {
			const inputs = await rawInputs(z, pack, pack.triggers[id]?.inputs, bundle);
			const body = { trigger: id, inputs, target_url: bundle.targetUrl };
			const { id: made, secret } = await ask(z, bundle, '/v1/subscriptions', { body });
			return { id: made, secret };
		},

		async unsubscribe(z, bundle) {
			const id = encodeURIComponent(textOf(bundle.subscribeData?.id));
			await ask(z, bundle, `/v1/subscriptions/${id}`, { method: 'DELETE' });
			return { id };
		},

		/** Whoever knows the address can send anything there: only what the host has signed starts a Zap. */
		async receive(z, { rawRequest, subscribeData }) {
			const { headers, content } = rawRequest ?? {};
			const delivery = { headers: isObject(headers) ? headers : {}, body: textOf(content) };
			if (isGenuine(delivery, textOf(subscribeData?.secret), HMAC, Date.now() / 1000, TOLERANCE)) {
				return [readJson(delivery.body)].flat().filter(isObject);
			}
			z.console.log(say('zapier_not_signed'));
			return [];
		},
	};
}
