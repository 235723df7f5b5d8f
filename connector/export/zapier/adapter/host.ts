/** What the steps of a Zap do where the package talks to a Kontor host, which runs, remembers and delivers. */

import { hostOf } from '../../node/core/addresses.ts';
import type { Asked } from '../../node/core/host.ts';
import { askHost, problemOfHost } from '../../node/core/host.ts';
import { problem, sayer } from '../../node/core/messages.ts';
import type { Pack, Row } from '../../node/core/types.ts';
import { isObject, textOf } from '../../node/core/values.ts';
import { inputsOfUse, rawInputs } from './form.ts';
import { intentOf } from './intent.ts';
import { account, sender } from './send.ts';
import type { Bundle, Steps, Z } from './zapier.ts';

const MILLISECONDS = 30_000;
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

		/** Each Zap has a subscription of its own. */
		async subscribe(z, bundle, { id }) {
			const inputs = await rawInputs(z, pack, pack.triggers[id]?.inputs, bundle);
			const body = { trigger: id, inputs, target_url: bundle.targetUrl };
			const { id: made } = await ask(z, bundle, '/v1/subscriptions', { body });
			return { id: made };
		},

		async unsubscribe(z, bundle) {
			const id = encodeURIComponent(textOf(bundle.subscribeData?.id));
			await ask(z, bundle, `/v1/subscriptions/${id}`, { method: 'DELETE' });
			return { id };
		},

		receive: async (_, { cleanedRequest }) => [cleanedRequest].flat().filter(isObject),
	};
}
