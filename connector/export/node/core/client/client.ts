/** Sends calls, and again only where that is safe: a read that failed, or a write that a repeat does not make twice. */

import { saysNothing, tellsFailure } from '../answers/answers.ts';
import { unusualAnswer } from '../answers/proof.ts';
import type { Pack } from '../manifest/pack.ts';
import type { Problem, Say } from '../messages.ts';
import { problem, sayer } from '../messages.ts';
import type { Answer, Lost, Outgoing, Platform } from '../platform.ts';
import { hostOf } from '../values/addresses.ts';
import { berlinTime } from '../values/dates.ts';
import { readJson } from '../values/json.ts';
import type { Call } from './request.ts';
import { outgoing } from './request.ts';
import { mayRepeat, problemOfAnswer, problemOfLoss, problemOfSuccess, unreadable } from './verdict.ts';

export const MAX_ATTEMPTS = 6;
const MAX_FOR_A_FORM = 3;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 8000;
const SHORTEST_TOLD_PAUSE = 50;
/** What must be left to look for a write whose answer does not come. */
const TIME_TO_LOOK = 7000;
const MIN_TIMEOUT = 5000;
const USUAL_LIMIT = '200';
const WINDOW_MINUTES = 15;
const WINDOW = WINDOW_MINUTES * 60_000;
const LOCAL = /^http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/|$)/i;

export interface Reply {
	/** The service's answer as exact JSON, null where it has no body. */
	value: unknown;
	/** Milliseconds since 1970, on the service's clock where it tells the time. */
	now: number;
	/** What the accounting provider says in it that is unusual and no failure. */
	warnings: string[];
}

export class Client {
	private readonly say: Say;
	private readonly pack: Pack;
	private readonly platform: Platform;

	constructor(pack: Pack, platform: Platform) {
		this.say = sayer(pack.messages);
		this.pack = pack;
		this.platform = platform;
	}

	/** The request to the letter, but for the API key. */
	prepare(call: Call): Outgoing {
		return outgoing(call, this.baseUrl());
	}

	async ask(call: Call): Promise<Reply> {
		const { platform, say } = this;
		const request = this.prepare(call);
		const ends = platform.now() + (platform.patience ?? 2 * call.timeout);
		for (let attempt = 1; ; attempt++) {
			const left = ends - platform.now();
			const result = withoutBom(await platform.send({ ...request, timeout: this.timeoutOf(call, left) }));
			if (!('lost' in result) && result.status >= 200 && result.status < 300) {
				const told = Date.parse(result.headers.date ?? '');
				const value = this.read(call, result);
				const isNameless = call.namesResult && saysNothing(value, call.madeNames);
				if (isNameless || tellsFailure(value, this.pack.proofs.made))
					throw problemOfSuccess(this.pack, call, this.redacted(result));
				return { value, now: Number.isNaN(told) ? platform.now() : told, warnings: this.unusual(call, value) };
			}
			const fromLimiter = !('lost' in result) && isLimiter(result, platform.now());
			const told =
				'lost' in result || result.status !== 429 ? undefined : toldPause(result, platform.now());
			const pause = told ?? pauseAfter(attempt);
			const isLast = attempt >= (call.lookup ? MAX_FOR_A_FORM : MAX_ATTEMPTS) || platform.now() + pause >= ends;
			if (isLast || !mayRepeat(call, result, fromLimiter)) {
				if ('lost' in result) throw problemOfLoss(say, call, result, hostOf(request.url));
				const failure = problemOfAnswer(this.pack, call, this.redacted(result), fromLimiter);
				const isLimited = result.status === 429 && (!call.writes || failure.outcome === 'not_sent');
				throw isLimited ? this.rateLimited(result, pause, call.writes) : failure;
			}
			await platform.sleep(pause);
		}
	}

	/** Raises what the accounting provider reports as a failure. */
	private unusual(call: Call, value: unknown): string[] {
		const { say, platform } = this;
		const providerSays = unusualAnswer(this.pack, value);
		if (!providerSays) return [];
		const said = platform.redact?.(providerSays.said) ?? providerSays.said;
		if (!providerSays.failed) return [say('provider_unusual', { said })];
		if (!call.writes) throw problem(say, 'refused', 'provider_failed', { said });
		throw problem(say, 'outcome_unknown', 'provider_failed_write', { said }, { outcome: 'unknown' });
	}

	/** A write gets all its time: to hang up early would only make a known outcome an unknown one. */
	private timeoutOf({ timeout, writes, findable }: Call, left: number): number {
		if (writes && findable && this.platform.patience !== undefined) {
			return Math.min(timeout, Math.max(left - TIME_TO_LOOK, MIN_TIMEOUT));
		}
		return writes ? timeout : Math.min(timeout, Math.max(left, 1));
	}

	private read(call: Call, answer: Answer): unknown {
		try {
			return answer.text.trim() ? readJson(answer.text) : null;
		} catch {
			throw unreadable(this.say, call, answer);
		}
	}

	private rateLimited({ status, headers }: Answer, pause: number, writes: boolean): Problem {
		const at = this.platform.now() + pause;
		const limit = headers['ratelimit-limit'] ?? USUAL_LIMIT;
		const values = { limit, minutes: WINDOW_MINUTES, until: berlinTime(at) };
		return problem(this.say, 'rate_limited', 'rate_limited', values, {
			status,
			outcome: writes ? 'not_sent' : 'refused',
			retryAt: new Date(at).toISOString(),
		});
	}

	private redacted(answer: Answer): Answer {
		return { ...answer, text: this.platform.redact?.(answer.text) ?? answer.text };
	}

	/** The key must not travel unencrypted, except on this machine. */
	private baseUrl(): string {
		const url = this.platform.baseUrl.trim().replace(/\/+$/, '');
		if (/^https:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(url) || LOCAL.test(url)) return url;
		const reason = !url ? 'base_url_missing' : /^http:/i.test(url) ? 'base_url_plain_http' : 'base_url_invalid';
		const remedy = this.say(reason === 'base_url_plain_http' ? `${reason}_remedy` : 'base_url_missing_remedy');
		throw problem(this.say, 'input', reason, {}, { field: 'base_url', remedy, outcome: 'not_sent' });
	}
}

/** Some servers begin JSON with a byte order mark. */
function withoutBom<T extends Answer | Lost>(result: T): T {
	return 'lost' in result ? result : { ...result, text: result.text.replace(/^\uFEFF/, '') };
}

/** Longer after each attempt, and never in step with others who failed at the same moment. */
export function pauseAfter(attempt: number): number {
	return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (attempt - 1)) * (0.2 + 0.8 * Math.random());
}

/** Whether the rate limiter itself has answered: nothing remains, and the reset lies ahead. */
function isLimiter({ headers }: Answer, now: number): boolean {
	const remaining = headers['ratelimit-remaining']?.trim();
	const isUsedUp = Boolean(remaining) && Number(remaining) === 0;
	return isUsedUp && (untilReset(headers['ratelimit-reset'], now, headers.date) ?? 0) > 0;
}

/** When a 429 says to come back, in milliseconds from now. While requests remain, their window says nothing. */
function toldPause({ headers }: Answer, now: number): number | undefined {
	const remain = Number(headers['ratelimit-remaining'] ?? 0) > 0;
	const names = remain ? ['retry-after'] : ['retry-after', 'ratelimit-reset'];
	const told = names.map((name) => untilReset(headers[name], now, headers.date));
	const pause = told.find((one) => one !== undefined);
	return pause === undefined ? undefined : Math.max(pause, SHORTEST_TOLD_PAUSE);
}

/**
 * How far off a reset is, whether given in seconds, as a Unix time (seconds or milliseconds), or as a date. A point in
 * time is held against the service's own clock first, so that a clock that runs wrong on either side does no harm.
 */
function untilReset(text: string | undefined, now: number, date: string | undefined): number | undefined {
	const number = text?.trim() ? Number(text) : Number.NaN;
	if (number >= 0 && number < 1e8) return Math.min(number * 1000, WINDOW);
	const moment = Number.isNaN(number) ? Date.parse(text ?? '') : number < 1e11 ? number * 1000 : number;
	if (Number.isNaN(moment) || moment < 0) return undefined;
	const [byService, byUs] = [moment - Date.parse(date ?? ''), moment - now];
	const plausible = [byService, byUs].find((one) => one >= 0 && one <= WINDOW);
	return plausible ?? Math.min(Math.max(byUs, 0), WINDOW);
}
