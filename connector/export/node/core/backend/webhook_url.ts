/** The service's one webhook URL: read before it is written, and given back if it is still ours. */

import type { Kontor } from '../kontor.ts';
import type { Say } from '../messages.ts';
import { problem } from '../messages.ts';

/** Sets the URL, but replaces a foreign one only when that is allowed; returns the foreign one that it replaced. */
export async function takeWebhookUrl(
	kontor: Kontor,
	say: Say,
	url: string,
	mayReplace: boolean,
): Promise<string | null> {
	const former = await kontor.currentWebhookUrl();
	if (former && former !== url && !mayReplace) {
		const remedy = say('package_webhook_taken_remedy');
		throw problem(say, 'refused', 'package_webhook_taken', { url: former }, { remedy });
	}
	if (former === url) return null;
	await kontor.putWebhookUrl(url);
	if ((await kontor.currentWebhookUrl()) !== url) {
		throw problem(say, 'bad_reply', 'package_webhook_not_set', { url });
	}
	return former;
}

/** Puts back what was there before, unless somebody else has set another URL meanwhile. */
export async function giveBackWebhookUrl(kontor: Kontor, url: string, former?: string | null): Promise<void> {
	if ((await kontor.currentWebhookUrl()) === url) await kontor.putWebhookUrl(former ?? '');
}
