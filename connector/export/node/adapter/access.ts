/** One credential at work on a platform that runs on plain Node: the service itself, or a Kontor host in front of it. */

import { createHash, createHmac } from 'node:crypto';

import type { Backend } from '../core/backend/backend.ts';
import { serviceBackend } from '../core/backend/backend.ts';
import { hostBackend } from '../core/backend/host_backend.ts';
import type { Ask, Hmac } from '../core/host.ts';
import { hostAsker } from '../core/host.ts';
import { Kontor } from '../core/kontor.ts';
import type { Code } from '../core/manifest/code.ts';
import type { Pack } from '../core/manifest/pack.ts';
import type { Say } from '../core/messages.ts';
import { problem, sayer } from '../core/messages.ts';
import type { State } from '../core/platform.ts';
import { textOf } from '../core/values/value_kinds.ts';
import { sender } from './send.ts';

export interface Credential {
	/** Of the service, or of the host. */
	baseUrl: string;
	apiKey: string;
	hostToken?: string;
	/** Asked for only where no host decides about agents. */
	agentsMayPay?: boolean;
}

/** What a package knows: one pack in the language of its messages, and the code beside manifests. */
export interface Package {
	pack: Pack;
	code: Code;
	via: 'service' | 'host';
}

export interface Access {
	say: Say;
	kontor: Kontor;
	backend: Backend;
	/** Only where there is a host. */
	ask?: Ask;
}

export const HMAC: Hmac = (key, text) => createHmac('sha256', key).update(text).digest('base64');

export function sha256(data: string | Uint8Array): string {
	return createHash('sha256').update(data).digest('hex');
}

export async function sleep(milliseconds: number): Promise<void> {
	await new Promise((wake) => setTimeout(wake, milliseconds));
}

export function accessOf({ pack, code, via }: Package, credential: Credential, state?: State): Access {
	const { baseUrl, apiKey, hostToken = '', agentsMayPay = false } = credential;
	const say = sayer(pack.messages);
	const secrets = [apiKey, hostToken].filter(Boolean);
	const forHost = { authorization: `Bearer ${hostToken}`, 'x-kontor-quelle': pack.quelle };
	const send = sender({ ...(via === 'host' ? forHost : {}), 'x-api-key': apiKey } as Record<string, string>);
	const platform = {
		baseUrl,
		send,
		now: Date.now,
		sleep,
		sha256,
		state,
		agentsMayPay,
		redact: (text: string) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '***'), text),
	};
	const kontor = new Kontor(pack, platform, code);
	if (via === 'service') return { say, kontor, backend: serviceBackend(pack, kontor) };
	const ask = hostAsker(send, pack, baseUrl);
	return { say, kontor, ask, backend: hostBackend(pack, kontor, ask, platform.now) };
}

/** Refuses a credential that lacks something, by the names of its fields. */
export function checkCredential({ pack, via }: Package, credential: Partial<Credential>): Credential {
	const { baseUrl = '', apiKey = '', hostToken = '' } = credential;
	const needed = { baseUrl, apiKey, ...(via === 'host' ? { hostToken } : {}) };
	const missing = Object.entries(needed).find(([, value]) => !value.trim())?.[0];
	if (missing === undefined) return { ...credential, baseUrl, apiKey, hostToken };
	const say = sayer(pack.messages);
	const words = { baseUrl: via === 'host' ? 'export_host_url' : 'export_base_url', hostToken: 'export_host_token' };
	const label = say(words[missing as keyof typeof words] ?? 'export_api_key');
	throw problem(say, 'input', 'missing', { field: label }, { field: missing, label, outcome: 'not_sent' });
}

/** A free call that shows whether the credential is good: how many bank accounts it sees. */
export async function testAccess({ pack }: Package, { kontor, ask }: Access): Promise<string> {
	if (ask) return textOf((await ask('POST', '/v1/credential/test', { body: {} })).accounts);
	const { output } = await kontor.run(pack.roles.account_list ?? '', {});
	return String(Array.isArray(output.items) ? output.items.length : 0);
}
