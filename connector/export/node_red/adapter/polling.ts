/** A trigger that polls: what is new goes out first, then its place in the list is kept. */

import type { PollPlace } from '../../node/core/backend/poll_place.ts';
import { missingRowsProblem, pollFrom, startOf } from '../../node/core/backend/poll_place.ts';
import { isObject } from '../../node/core/values/value_kinds.ts';
import { getKept, isLasting, setKept } from './kept.ts';
import type { Listening, Source } from './listening.ts';
import { tell, tellError } from './listening.ts';
import { showStatus } from './told.ts';

const PLACE = 'kontorPlace';
const MINUTE = 60_000;
const USUAL_MINUTES = 5;
const MIN_PAUSE = 10_000;
/** Node-RED starts the nodes behind it in the same moment. */
const FIRST_PAUSE = 500;

export class Polling implements Source {
	private readonly listening: Listening;
	private place: PollPlace | undefined;
	private timer: NodeJS.Timeout | undefined;
	private underWay: Promise<void> | undefined;
	private isStopped = false;

	constructor(listening: Listening) {
		this.listening = listening;
	}

	start(): void {
		const { red, node, say, account } = this.listening;
		if (!isLasting(red, account.store)) node.warn(say('node_red_forgets'));
		this.schedule(FIRST_PAUSE);
	}

	/** Polls at once; where one is under way, that one is meant. */
	async now(): Promise<void> {
		clearTimeout(this.timer);
		this.underWay ??= this.poll().finally(() => {
			this.underWay = undefined;
			this.schedule(this.pause);
		});
		await this.underWay;
	}

	async stop(): Promise<void> {
		this.isStopped = true;
		clearTimeout(this.timer);
		await this.underWay;
	}

	private get pause(): number {
		const minutes = Number(this.listening.config.every);
		return Math.max(MINUTE * (minutes > 0 ? minutes : USUAL_MINUTES), MIN_PAUSE);
	}

	private schedule(pause: number): void {
		if (!this.isStopped) this.timer = setTimeout(() => void this.now(), pause);
	}

	private async poll(): Promise<void> {
		const { node, say, config, trigger, account } = this.listening;
		showStatus(node, 'blue', say('node_red_polling'));
		try {
			const before = (this.place ??= await this.storedPlace());
			const { backend } = account.access();
			const start = startOf(config.start, config.since);
			const { items, place, missing } = await pollFrom(backend, trigger, await this.listening.entered(), before, start);
			if (this.isStopped) return; // what nobody has heard is told by the next poll
			showStatus(node, 'green', say('node_red_polled'));
			tell(this.listening, items);
			this.place = place;
			await setKept(node, account.store, PLACE, place);
			if (missing !== undefined) tellError(node, missingRowsProblem(say, missing));
		} catch (error) {
			tellError(node, error);
		}
	}

	private async storedPlace(): Promise<PollPlace> {
		const place = await getKept(this.listening.node, this.listening.account.store, PLACE);
		return isObject(place) ? place : {};
	}
}
