/**
 * Events straight from the service, which has one webhook URL for all: the account owns it, and every trigger node of
 * the account gets each event.
 */

import { giveBackWebhookUrl, takeWebhookUrl } from '../../node/core/backend/webhook_url.ts';
import type { EventMemory } from '../../node/core/events/receive_event.ts';
import { addressOf, eventMemory, ignore, listenAt } from './events.ts';
import { getKept, setKept } from './kept.ts';
import type { Listening, Source } from './listening.ts';
import { tell, tellError } from './listening.ts';
import { showStatus } from './told.ts';

const FORMER = 'kontorFormerUrl';
/** Milliseconds after which it is looked again whether the URL is still ours. */
const LOOK_AGAIN = 15 * 60_000;
const LATER = 503;
const REFUSED = 400;

/** By the address at which they listen. */
const LISTENERS = new Map<string, Set<ServiceEvents>>();

export class ServiceEvents implements Source {
	private readonly listening: Listening;
	private readonly url: string;
	private memory: Promise<EventMemory> | undefined;
	private timer: NodeJS.Timeout | undefined;
	private isStopped = false;

	constructor(listening: Listening) {
		this.listening = listening;
		this.url = addressOf(listening.red, listening.say, listening.account, listening.account.node);
	}

	start(): void {
		const listeners = LISTENERS.get(this.url) ?? new Set();
		LISTENERS.set(this.url, listeners.add(this));
		listenAt(this.url, async (body) => {
			const statuses: number[] = [];
			for (const listener of [...listeners]) statuses.push(await listener.receive(body));
			return [LATER, REFUSED].find((status) => statuses.includes(status)) ?? 200;
		});
		void this.look();
	}

	/** The URL goes back when the last trigger of the account is deleted, not when flows are deployed again. */
	async stop(isRemoved: boolean): Promise<void> {
		this.isStopped = true;
		clearTimeout(this.timer);
		const listeners = LISTENERS.get(this.url);
		listeners?.delete(this);
		if (listeners?.size) return;
		LISTENERS.delete(this.url);
		ignore(this.url);
		const { account } = this.listening;
		if (!isRemoved) return;
		const former = await getKept(account.node, account.store, FORMER);
		await giveBackWebhookUrl(account.access().kontor, this.url, typeof former === 'string' ? former : null);
		await setKept(account.node, account.store, FORMER, undefined);
	}

	/** Sets the URL where it is not ours; a foreign one is told, and replaced only where the account says so. */
	private async look(): Promise<void> {
		const { node, say, account } = this.listening;
		try {
			const { raw } = await this.listening.entered();
			const { kontor } = account.access();
			this.memory ??= eventMemory(node, account.store);
			await kontor.beginListening(this.listening.trigger.id, raw, await this.memory);
			const former = await takeWebhookUrl(kontor, say, this.url, account.replaceForeign);
			if (former) await setKept(account.node, account.store, FORMER, former);
			showStatus(node, 'green', say('node_red_listens'), 'ring');
		} catch (error) {
			tellError(node, error);
		}
		if (!this.isStopped) this.timer = setTimeout(() => void this.look(), LOOK_AGAIN);
	}

	/** An event is only a hint: what goes out is what the API shows. */
	private async receive(body: string): Promise<number> {
		const { node, trigger, account } = this.listening;
		try {
			this.memory ??= eventMemory(node, account.store);
			const { raw } = await this.listening.entered();
			const received = await account.access().kontor.receive(trigger.id, raw, body, await this.memory);
			if (received.problem) node.warn(received.problem.message);
			tell(this.listening, received.items);
			return received.status;
		} catch (error) {
			tellError(node, error);
			return LATER;
		}
	}
}
