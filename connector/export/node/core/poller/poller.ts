/** Polls triggers: asks the service for pages, and gives each page and the cursor to the trigger's strategy. */

import type { Service } from '../client/service.ts';
import type { Code, Page } from '../manifest/code.ts';
import type { Inputs, Manifest, Pack } from '../manifest/pack.ts';
import { at as valueAt } from '../manifest/templates.ts';
import type { Problem } from '../messages.ts';
import { problem, refusal, sayer } from '../messages.ts';
import type { Platform } from '../platform.ts';
import { watchedRows } from '../polls/alarm.ts';
import { Cursor } from '../polls/cursor.ts';
import { isNumberless, isStart, mayBeCut, numbered } from '../polls/page.ts';
import type { Polling } from '../polls/strategies.ts';
import { pollingOf } from '../polls/strategies.ts';
import type { StrategyContext } from '../polls/strategy.ts';
import type { Row } from '../values/value_kinds.ts';
import { textOf } from '../values/value_kinds.ts';
import type { LatePage } from './late_rows.ts';
import type { Counts, LastPoll, Polled, PollOutcome, PollSource } from './poll_throttle.ts';
import { fallsShort, pollDue } from './poll_throttle.ts';

const MAX_STATELESS_PAGES = 10;
/** Where a platform keeps no cursor, every poll reads from here. */
const BEGINNING = '0';

/** What a platform keeps of where it has read to; undefined before the first poll. */
type CursorText = string | undefined;

/** How a list is asked for. */
export interface PollOptions extends Counts {
	/** No row is read again. */
	ahead?: boolean;
}

/** What a poll without a cursor shows, and how many rows its largest page had. */
interface StatelessPoll {
	items: Row[];
	largest: number;
}

/** Everything raises `Problem` (`messages.ts`). Inputs are raw wherever they go in. */
export class Poller {
	private readonly pack: Pack;
	private readonly platform: Platform;
	private readonly code: Code;
	private readonly service: Service;

	constructor(pack: Pack, platform: Platform, code: Code, service: Service) {
		this.pack = pack;
		this.platform = platform;
		this.code = code;
		this.service = service;
	}

	/** What a poll adds to the inputs of its request. Pure. */
	asks(id: string, raw: Row, cursor: CursorText, start: string, now: number): Inputs {
		const { strategy, spec } = this.polling(id);
		const context = this.context(id, raw, cursor, start, now);
		return this.service.reading(() => strategy.asks(spec, context));
	}

	/** What becomes of a page. Pure. */
	turn(id: string, raw: Row, page: Page, cursor: CursorText, start: string, now: number): Polled {
		const { strategy, spec } = this.polling(id);
		const context = this.context(id, raw, cursor, start, now);
		if (strategy.byNumber && isNumberless(page.rows)) {
			const say = sayer(this.pack.messages);
			throw problem(say, 'bad_reply', 'ids_not_numbers', {}, { outcome: 'unknown' });
		}
		const turn = this.service.reading(() => strategy.turn(spec, page, context));
		// A further page of a free list is asked for until one brings nothing new; a paid one must be worth its credit.
		const isFree = this.service.manifest('triggers', id).throttle === undefined;
		const isFreshAndFree = turn.fresh === true && isFree;
		return { ...turn, more: strategy.byNumber && (page.cut || turn.more === true || isFreshAndFree) };
	}

	/**
	 * One page, whose `more` says whether to poll again at once; `ahead`, no row is read again. A flow that starts now
	 * reads on to the end of history: only an empty page is that for sure, and what comes behind it is new.
	 */
	async poll(id: string, raw: Row, cursor: CursorText, start: string, how: PollOptions = {}): Promise<Polled> {
		const { ahead = false } = how;
		const trigger = this.service.manifest('triggers', id);
		const [{ inputs }, { strategy, spec }] = [this.service.check(trigger, raw), this.polling(id)];
		const [isFirst, items, ids]: [boolean, Row[], bigint[]] = [cursor === undefined && start === 'now', [], []];
		// A list that is read by date at first cannot be compared with the count.
		const isCounted = trigger.throttle?.signs !== undefined && trigger.poll?.by_id !== undefined;
		for (let [at, read, newest] = [cursor, 0, '']; ; ) {
			const now = this.platform.now();
			const known = strategy.byNumber ? this.service.reading(() => Cursor.read(at, start)) : new Cursor();
			const isPassing = Boolean(strategy.skipsHistory) && (at === undefined ? isFirst : known.skipping);
			const place = known.after;
			const from = ahead ? { [(spec as { after: string }).after]: String(place) } : {};
			const asked = { ...inputs, ...this.asks(id, raw, at, start, now), ...from };
			const rows = await this.rows(trigger, asked, this.context(id, raw, at, start, now));
			read += rows.length;
			const isWhole = isCounted && isFirst && read >= (how.counted ?? Infinity);
			const cut = mayBeCut(rows) || ((isFirst || isPassing) && rows.length > 0 && !isWhole);
			const turn = this.turn(id, raw, { rows, cut, ...(ahead ? { behind: place } : {}) }, at, start, now);
			items.push(...turn.items);
			ids.push(...[...numbered(rows).keys()].filter((number) => number > place));
			newest = [newest, ...rows.map((row) => textOf(valueAt(row, arrivalOf(trigger))))].sort().at(-1) ?? '';
			const isLast = !(isFirst || isPassing) || !turn.more || turn.cursor === at;
			const isEnd = (isFirst || isPassing) && !turn.more;
			const more = turn.more || (isCounted && !isEnd && fallsShort(ids.length, how));
			if (isLast) return { ...turn, more, items, shown: rows.length, newRows: ids.length, ids, newest, isEnd };
			at = turn.cursor;
		}
	}

	/** As `poll`, but only where it is due, and to the end; `last` is what the last one left. */
	async pollDue(id: string, raw: Row, cursor: CursorText, start: string, last?: LastPoll): Promise<PollOutcome> {
		const { service } = this;
		const trigger = service.manifest('triggers', id);
		const [{ inputs }, signSource, byId] = [service.check(trigger, raw), this.signSource(), trigger.poll?.by_id];
		const late = async (behind: string): Promise<LatePage> => ({
			rows: service.shown((await service.page(trigger, { ...inputs, [byId?.after ?? '']: behind })).rows),
			came: arrivalOf(trigger),
			turn: (rows) => this.turn(id, raw, { rows, cut: false }, behind, start, signSource.now),
		});
		const poll = (at: string | undefined, ahead: boolean, counts: Counts): Promise<Polled> =>
			this.poll(id, raw, at, start, { ahead, ...counts });
		const source = { ...signSource, poll, ...(byId ? { late } : {}) };
		return await pollDue(source, trigger, inputs, cursor, last);
	}

	/**
	 * All that would fire, newest first, for a platform that keeps only the ids of what fired. The list is read on
	 * until a page brings nothing new, or is shorter than the largest one: all but the last have the same length.
	 */
	async pollStateless(id: string, raw: Row, largest = 0): Promise<StatelessPoll> {
		const { service } = this;
		const [trigger, { strategy, spec }] = [service.manifest('triggers', id), this.polling(id)];
		if (!strategy.stateless) throw new Error(`only a host can poll ${id} for a platform that keeps no cursor`);
		const context = this.context(id, raw, undefined, 'all', this.platform.now());
		const asked = { ...service.check(trigger, raw).inputs, ...strategy.statelessAsks?.(spec, context) };
		const rows = await this.rows(trigger, asked, context);
		let size = largest;
		for (let [pages, page, after] = [1, rows, -1n]; strategy.byNumber && page.length >= size; pages++) {
			size = page.length;
			const last = [...numbered(page).keys()].at(-1) ?? after;
			if (last <= after || pages >= MAX_STATELESS_PAGES) break;
			const behind = strategy.asks(spec, { ...context, cursor: String(last) });
			({ rows: page } = await service.page(trigger, { ...asked, ...behind }));
			rows.push(...service.shown(page));
			after = last;
		}
		return { items: strategy.stateless(spec, rows, context), largest: size };
	}

	/** As `pollStateless`, but only where it is due; `last` is what the last one left. */
	async pollStatelessDue(id: string, raw: Row, last?: LastPoll): Promise<Pick<PollOutcome, 'items' | 'lastPoll'>> {
		const trigger = this.service.manifest('triggers', id);
		let page = last?.page;
		const poll = async (): Promise<Polled> => {
			const { items, largest } = await this.pollStateless(id, raw, page);
			page = largest;
			return { items, cursor: BEGINNING, more: false };
		};
		const source = { ...this.signSource(), poll };
		const outcome = await pollDue(source, trigger, this.service.check(trigger, raw).inputs, BEGINNING, last);
		if (!outcome.lastPoll) return { items: outcome.items };
		return { items: outcome.items, lastPoll: { ...outcome.lastPoll, ...(page === undefined ? {} : { page }) } };
	}

	/** Where the free signs come from that a paid list has changed. */
	private signSource(): Pick<PollSource, 'accounts' | 'now' | 'sha256'> {
		return {
			accounts: (asked) => this.service.list('account_list', asked).catch(() => undefined),
			now: this.platform.now(),
			sha256: this.platform.sha256,
		};
	}

	/** The rows of a poll; where it watches several and none is named, one row of each that is known. */
	private async rows(trigger: Manifest, asked: Inputs, context: StrategyContext): Promise<Row[]> {
		const { service } = this;
		const each = trigger.poll?.alarm?.each;
		if (!each || asked[each.input] !== undefined) return service.shown((await service.page(trigger, asked)).rows);
		const { strategy, spec } = this.polling(trigger.id);
		const knownIds = service.reading(() => strategy.known?.(spec, context) ?? []);
		const listedIds = (await service.options(each.from, {})).map(({ value }) => value);
		const ask = (id: string): Promise<Row[]> => this.rowsUnlessGone(trigger, { ...asked, [each.input]: id });
		return await watchedRows(each, knownIds, listedIds, ask);
	}

	private async rowsUnlessGone(trigger: Manifest, asked: Inputs): Promise<Row[]> {
		try {
			return (await this.service.page(trigger, asked)).rows;
		} catch (error) {
			if ((error as Problem).kind === 'not_found') return [];
			throw error as Error;
		}
	}

	private polling(id: string): Polling {
		return pollingOf(this.service.manifest('triggers', id), this.code.triggers?.[id]);
	}

	private context(id: string, raw: Row, cursor: CursorText, start: string, now: number): StrategyContext {
		const { pack, platform } = this;
		if (!isStart(start)) throw refusal(pack.messages, { reason: 'start_invalid', field: 'start', values: {} });
		const inputs = this.service.read(this.service.manifest('triggers', id), raw);
		return { inputs, cursor, start, now, pack, sha256: platform.sha256 };
	}
}

/** The field that says when a row came in. */
function arrivalOf({ poll }: Manifest): string {
	return poll?.by_id?.wait?.came ?? poll?.by_id?.late?.came ?? '';
}
