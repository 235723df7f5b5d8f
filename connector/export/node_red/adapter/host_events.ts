/** Events by way of a Kontor host: one subscription for each trigger node, whose deliveries are signed. */

import { HMAC } from '../../node/adapter/access.ts';
import type { HostSubscription } from '../../node/core/backend/host_subscription.ts';
import { endOthers, subscribe, takeDelivery, unsubscribe } from '../../node/core/backend/host_subscription.ts';
import type { Ask } from '../../node/core/host.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import { addressOf, eventMemory, ignore, listenAt } from './events.ts';
import type { Listening, Source } from './listening.ts';
import { tell, tellError } from './listening.ts';
import { showStatus } from './told.ts';

/** Milliseconds after which a host is asked again that could not be reached, or was not ready. */
const TRY_AGAIN = 60_000;
const NOT_YET = 503;

export class HostEvents implements Source {
	private readonly listening: Listening;
	private readonly url: string;
	private subscription: HostSubscription | undefined;
	private timer: NodeJS.Timeout | undefined;
	private isStopped = false;

	constructor(listening: Listening) {
		this.listening = listening;
		this.url = addressOf(listening.red, listening.say, listening.account, listening.node);
	}

	start(): void {
		const memory = eventMemory(this.listening.node, this.listening.account.store);
		listenAt(this.url, async (body, headers) => await this.receive(body, headers, await memory));
		void this.subscribed();
	}

	/** Deployed again, it stays the same subscription: the host gives the one that is there, and its secret. */
	async stop(isRemoved: boolean): Promise<void> {
		this.isStopped = true;
		clearTimeout(this.timer);
		ignore(this.url);
		if (isRemoved && this.subscription) await unsubscribe(this.ask, this.subscription.id);
	}

	private async subscribed(): Promise<void> {
		const { node, say, trigger } = this.listening;
		try {
			const { inputs } = await this.listening.entered();
			this.subscription = await subscribe(this.ask, trigger, inputs, this.url);
			// One with other inputs was that of this node, before it was changed.
			await endOthers(this.ask, this.url, this.subscription.id);
			showStatus(node, 'green', say('node_red_listens'), 'ring');
		} catch (error) {
			tellError(node, error);
			if (!this.isStopped) this.timer = setTimeout(() => void this.subscribed(), TRY_AGAIN);
		}
	}

	private async receive(body: string, headers: Row, memory: Awaited<ReturnType<typeof eventMemory>>): Promise<number> {
		if (!this.subscription) return NOT_YET;
		const { secret } = this.subscription;
		const { status, items } = takeDelivery({ headers, body }, secret, HMAC, Date.now(), memory);
		tell(this.listening, items);
		return status;
	}

	private get ask(): Ask {
		const { ask } = this.listening.account.access();
		if (!ask) throw new Error('this package talks to no host');
		return ask;
	}
}
