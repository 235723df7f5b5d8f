/** What the steps of a Zap do where the package talks to a Kontor host, which runs, remembers and delivers. */

import { readJson, writeJson } from '../../node/core/json.ts';
import { Problem, problem, sayer } from '../../node/core/messages.ts';
import type { Call } from '../../node/core/request.ts';
import type { Pack, Row } from '../../node/core/types.ts';
import { isObject, textOf } from '../../node/core/values.ts';
import { problemOfLoss } from '../../node/core/verdict.ts';
import { inputsOfUse, rawInputs } from './form.ts';
import { account, hostOf, sender } from './send.ts';
import type { Bundle, Steps, Z } from './zapier.ts';

const MILLISECONDS = 30_000;
const KEY = 'kontor_key';
const SECURE = /^https:\/\/|^http:\/\/(localhost|127\.|\[::1\])/i;

export function host(pack: Pack): Steps {
	const say = sayer(pack.messages);

	async function ask(z: Z, bundle: Bundle, path: string, body?: Row, method = body ? 'POST' : 'GET'): Promise<Row> {
		const url = account(bundle, 'host_url').replace(/\/+$/, '');
		if (!SECURE.test(url)) throw problem(say, 'input', 'zapier_host_not_https', {}, { field: 'host_url' });
		const { send } = sender(z, {
			authorization: `Bearer ${account(bundle, 'host_token')}`,
			'x-api-key': account(bundle, 'api_key'),
			'x-kontor-quelle': pack.quelle,
			'accept-language': pack.lang,
			accept: 'application/json',
		});
		const written = body && { body: writeJson(body), headers: { 'content-type': 'application/json' } };
		const answer = await send({ method, url: url + path, headers: {}, timeout: MILLISECONDS, ...written });
		if ('lost' in answer) throw problemOfLoss(say, { writes: method !== 'GET' } as Call, answer, hostOf(url));
		const found = objectIn(answer.text);
		if (answer.status < 300 && found) return found;
		throw told(found ?? {}, answer.status);
	}

	/** The host says by itself what happened and what to do. */
	function told({ kind, message, detail, title, remedy, ...error }: Row, status: number): Problem {
		const said = [message, detail, title].map(textOf).find(Boolean) ?? say('nothing_said');
		return new Problem(kind ? said : say('refused', { status, said }), {
			kind: textOf(kind) || (status === 429 ? 'rate_limited' : 'refused'),
			reason: 'refused',
			remedy: isObject(remedy) ? textOf(remedy[pack.lang]) : '',
			outcome: 'refused',
			status,
			retryAt: textOf(error.retry_at),
			reconnectUrl: textOf(error.reconnect_url),
		});
	}

	return {
		async test(z, bundle) {
			const { accounts } = await ask(z, bundle, '/v1/credential/test', {});
			const count = say('zapier_accounts', { count: textOf(accounts) || 0 });
			return { label: `${hostOf(account(bundle, 'host_url'))} (${count})` };
		},

		async run(z, bundle, { id, slow }) {
			const own = textOf(bundle.inputData[KEY]);
			const key = own && { key: `${pack.quelle}-${bundle.meta?.zap?.id ?? 0}-${own}` };
			const body = { inputs: await rawInputs(z, pack, pack.actions[id]?.inputs, bundle), ...(key || {}) };
			// To ask Zapier for the address is to promise a call back: the host is asked first whether it makes them.
			const waits = slow && (await ask(z, bundle, '/v1/connector')).callbacks === true;
			const back = waits ? { callback_url: z.generateCallbackUrl() } : {};
			const { output } = await ask(z, bundle, `/v1/actions/${id}/run`, { ...body, ...back });
			return waits ? { items: [{}] } : output;
		},

		/** What a host posts back when a slow run is done. */
		async resume(_, { cleanedRequest }) {
			const answer = isObject(cleanedRequest) ? cleanedRequest : {};
			if (answer.ok) return answer.output;
			throw told(isObject(answer.error) ? answer.error : answer, 502);
		},

		async options(z, bundle, step) {
			return (await ask(z, bundle, `/v1/lookups/${step.id}`, { inputs: inputsOfUse(step, bundle) })).options;
		},

		/** Each Zap has a subscription of its own. */
		async subscribe(z, bundle, { id }) {
			const wanted = { trigger: id, inputs: await rawInputs(z, pack, pack.triggers[id]?.inputs, bundle) };
			const { id: made } = await ask(z, bundle, '/v1/subscriptions', { ...wanted, target_url: bundle.targetUrl });
			return { id: made };
		},

		async unsubscribe(z, bundle) {
			const id = encodeURIComponent(textOf(bundle.subscribeData?.id));
			await ask(z, bundle, `/v1/subscriptions/${id}`, undefined, 'DELETE');
			return { id };
		},

		receive: async (_, { cleanedRequest }) => [cleanedRequest].flat().filter(isObject),
	};
}

function objectIn(text: string): Row | undefined {
	try {
		const found = text.trim() ? readJson(text) : {};
		return isObject(found) ? found : undefined;
	} catch {
		return undefined;
	}
}
