/** Sends a write at most once under its key. What is told of it is proven, or else that nobody knows. */

import { Unreadable } from '../answers/answers.ts';
import { MAX_ATTEMPTS, pauseAfter } from '../client/client.ts';
import { USUAL_SECONDS } from '../client/request.ts';
import type { Listed } from '../client/service.ts';
import type { Column, Inputs, Manifest, Pack } from '../manifest/pack.ts';
import type { Details, Say } from '../messages.ts';
import { Problem, problem, sayer } from '../messages.ts';
import type { RememberedWrite, Platform } from '../platform.ts';
import { Exact } from '../values/exact.ts';
import { plain } from '../values/json.ts';
import { amountText } from '../values/localize.ts';
import type { Row } from '../values/value_kinds.ts';
import { isObject, textOf } from '../values/value_kinds.ts';
import { digest, isComparable } from './digest.ts';
import type { PaymentSearch } from './find_payment.ts';
import { contradicts, findPayment, RECENT } from './find_payment.ts';
import type { Intent } from './intent.ts';
import { WriteMemory } from './memory.ts';

/** Milliseconds before each search for a write whose answer was lost. */
const PAUSES = [300, 1000, 3000, 8000];
/** Milliseconds after which nobody is still sending it. */
const LONGEST_SENDING = 5 * 60_000;
const MAX_KEY = 200;
/** How many requests of a write may ever reach the service, and how often one run sends after the limiter's answer. */
const MAX_SENDINGS = 3;
const MAX_LIMITS = 1;
const CENTS = 2;
const KEY = new RegExp(`^(?!~)(?! +$)(?:[^\\p{C}\\p{Z}]| ){1,${MAX_KEY}}$`, 'u');

export interface Written {
	output: Row;
	/** It was done before, and not sent now. */
	replayed: boolean;
}

/** What there is to send, and how. */
export interface Sending {
	manifest: Manifest;
	/** Checked. */
	inputs: Inputs;
	send(inputs: Inputs): Promise<Row>;
	/** What is noticed of it: by `send`, or when it was done. */
	warnings: string[];
	/** One page of the list in which it can be found again. */
	list(inputs: Inputs): Promise<Listed>;
}

export class Write {
	private readonly lang: string;
	private readonly say: Say;
	private readonly platform: Platform;
	private readonly memory: WriteMemory;
	private readonly sending: Sending;
	private readonly intent: Intent;
	private readonly key: string;
	private readonly inputs: Inputs;
	private readonly digest: string;
	private begun: number;
	/** How many requests of it may have reached the service, the next one included. */
	private sendings = 0;

	constructor({ lang, messages }: Pack, platform: Platform, sending: Sending, intent: Intent) {
		this.lang = lang;
		this.say = sayer(messages);
		this.platform = platform;
		this.sending = sending;
		this.begun = platform.now();
		this.intent = { guarded: intent.key === undefined, ...intent };
		this.key = intent.key ?? runId(platform.now());
		if (!KEY.test(this.key)) {
			const more = { remedy: this.say('input_remedy'), field: 'key' };
			throw this.told('input', 'not_sent', 'key_invalid', { most: MAX_KEY }, more);
		}
		const { manifest, inputs } = sending;
		this.inputs = inputs;
		this.digest = digest(platform.sha256, manifest.id, manifest.inputs, this.inputs);
		this.memory = new WriteMemory(platform.state, this.digest, intent.key);
	}

	async run(): Promise<Written> {
		const { memory } = this;
		const { guarded = false, again = false } = this.intent;
		const [own, equal] = await this.noted(Promise.all([memory.own(), memory.equal()]));
		const isNext = own?.digest === this.digest && (own.state === 'limited' || (own.state === 'refused' && again));
		if (own && !isNext) return await this.repeated(own);
		if (equal && !again && !isNext) await this.refuse(equal);
		const payment = await this.findBeforeSending();
		if (payment) return await this.done(payment, true);
		this.sendings = own?.sendings ?? 0;
		for (let [limits, failures] = [0, 0]; ; ) {
			if (this.sendings >= MAX_SENDINGS) return await this.resolved(this.limitedTooOften());
			this.sendings += 1;
			const alone = guarded && !again && !isNext && this.sendings === 1;
			if (!(await this.noted(memory.begins(this.record('sending'), alone, equal)))) {
				const other = await this.noted(memory.own());
				if (other) return await this.repeated(other);
				throw this.repeats(undefined);
			}
			try {
				return await this.done(this.own(await this.sending.send(this.marked())), false);
			} catch (error) {
				if (!(error instanceof Problem)) return await this.resolved(error as Error);
				if (error.outcome === 'unknown') return await this.resolved(error);
				if (error.outcome === 'refused') return await this.refused(error);
				const isLimited = error.kind === 'rate_limited';
				if (!isLimited) this.sendings -= 1;
				[limits, failures] = isLimited ? [limits + 1, failures] : [limits, failures + 1];
				const pause = isLimited ? Date.parse(error.retryAt ?? '') - this.platform.now() : pauseAfter(failures);
				await this.forget(isLimited);
				if (isLimited && this.sendings >= MAX_SENDINGS) continue;
				const isLate = !(this.platform.now() + pause < this.ends);
				const isLast = limits > MAX_LIMITS || failures >= MAX_ATTEMPTS || isLate;
				const search = isLimited ? await this.find(this.key).catch(() => undefined) : undefined;
				if (search?.payment) return await this.done(search.payment, false);
				if (isLast) throw error as Error;
				await this.platform.sleep(pause);
				const shown = isLimited ? await this.findBeforeSending() : undefined;
				if (shown) return await this.done(shown, true);
			}
		}
	}

	/** Nothing of it was accepted: it may be sent again, but what the limiter turned away is counted. */
	private async forget(isLimited: boolean): Promise<void> {
		await this.memory.keep(isLimited ? this.record('limited') : undefined).catch(() => undefined);
	}

	/** The service said no. A payment is looked up before that is told, and what is only assumed is not sent again. */
	private async refused(error: Problem): Promise<Written> {
		const search = this.marks ? await this.find(this.key).catch(() => undefined) : undefined;
		if (search?.payment) return await this.done(search.payment, false);
		if (error.proof !== 'assumed') {
			await this.memory.keep(undefined).catch(() => undefined);
			throw error;
		}
		const { message } = error;
		const refusal = { ...error, message, remedy: `${error.remedy} ${this.say('refused_before_remedy')}` };
		await this.memory.keep({ ...this.record('refused'), refusal }).catch(() => undefined);
		throw new Problem(message, this.intent.key === undefined ? error : refusal);
	}

	/** Under a key that was used before, nothing is ever sent. */
	private async repeated(earlier: RememberedWrite): Promise<Written> {
		const { digest: former, state, output, refusal, at, begun = at } = earlier;
		if (former !== this.digest) throw this.conflict();
		this.begun = begun;
		if (state === 'done') {
			this.sending.warnings.push(...(earlier.warnings ?? []));
			return { output: output as Row, replayed: true };
		}
		const search = await this.find(this.key).catch(() => undefined);
		if (search?.payment) return await this.done(search.payment, true);
		throw refusal ? new Problem(refusal.message, refusal) : this.unknown();
	}

	/** Holds back what equals a write under another key that is unsettled, or, without a lasting key, a recent one. */
	private async refuse(equal: RememberedWrite): Promise<void> {
		const age = this.platform.now() - equal.at;
		const isUnsettled = equal.state === 'unknown' || (equal.state === 'sending' && age > LONGEST_SENDING);
		if (equal.state === 'limited') return;
		if (this.intent.guarded && age < RECENT && equal.state !== 'unknown') throw this.repeats(equal.output);
		if (!isUnsettled) return;
		const search = await this.find(equal.key).catch(() => undefined);
		if (search?.payment && this.intent.guarded) throw this.repeats(search.payment);
		if (!search?.payment) throw this.told('likely_repeat', 'not_sent', 'package_repeats_unknown', {});
	}

	/** Before anything leaves: it may have been sent from elsewhere, or by a memory that is lost. */
	private async findBeforeSending(): Promise<Row | undefined> {
		const { key, guarded, again } = this.intent;
		if (key === undefined && again) return undefined;
		const digest = guarded && !again ? this.digest : undefined;
		const search = await this.find(this.key, { digest }).catch((error: Error) => this.neverSent(error));
		if (search.recent) throw this.repeats(search.recent);
		if (search.isOther) throw this.conflict();
		return search.payment;
	}

	/** What hinders the first search hinders the write, which has not left. */
	private neverSent(error: Error): never {
		const why = error instanceof Unreadable ? this.say(error.message, error.values) : error.message;
		const cause = error instanceof Problem ? error : problem(this.say, 'bad_reply', 'reply_unexpected', { why });
		throw new Problem(cause.message, { ...cause, outcome: 'not_sent' });
	}

	/** After it may have left: found is the result. Not found proves nothing. */
	private async resolved(error: Error): Promise<Written> {
		await this.memory.keep(this.record('unknown')).catch(() => undefined);
		const { patience = Infinity } = this.platform;
		const pauses = this.marks ? PAUSES.filter((pause) => pause < patience) : [];
		for (const pause of pauses) {
			await this.platform.sleep(pause);
			const isThorough = pause === pauses.at(-1);
			const search = await this.find(this.key, { isThorough }).catch(() => undefined);
			if (search?.payment) return await this.done(search.payment, false);
		}
		const { message: why } = error;
		const lost = error instanceof Problem ? error : problem(this.say, 'outcome_unknown', 'write_lost', { why });
		throw this.unknown(lost);
	}

	private async done(output: Row, replayed: boolean): Promise<Written> {
		// What could not be noted stays `sending`: it is looked for, and never sent.
		await this.memory.keep(this.record('done', output)).catch(() => undefined);
		return { output, replayed };
	}

	/** An answer about another write proves nothing of this one. */
	private own(output: Row): Row {
		const { key_field: field = '', key_name: name = '', shows = [] } = this.marks ?? {};
		const names = [...shows, ...(this.sending.manifest.request?.answer?.shows ?? [])];
		const made = madeIn(output);
		const isOther = (row: Row): boolean => {
			const marks = row[field];
			const key = isObject(marks) ? marks[name] : undefined;
			return (typeof key === 'string' && key !== this.key) || contradicts(names, row, this.inputs);
		};
		if (!made.length || !made.every(isOther)) return output;
		throw problem(this.say, 'outcome_unknown', 'reply_of_another', {}, { outcome: 'unknown' });
	}

	private get marks(): Manifest['read_back'] {
		return this.sending.manifest.read_back;
	}

	private async find(key: string, how?: Parameters<typeof findPayment>[3]): Promise<PaymentSearch> {
		if (!this.marks) return {};
		const search = await findPayment((inputs) => this.sending.list(inputs), this.marks, key, how);
		if (!search.payment || key !== this.key) return search;
		const { payment, digest = '' } = search;
		const wasOther = isComparable(digest) && digest !== this.digest;
		const isOther = wasOther || contradicts(this.marks.shows ?? [], payment, this.inputs);
		return isOther ? { isOther } : search;
	}

	/** The inputs with the marks by which the write is found again. */
	private marked(): Inputs {
		if (!this.marks) return this.inputs;
		const { key_field, key_name, digest_name } = this.marks;
		const others = (this.inputs[key_field] ?? {}) as Row;
		return { ...this.inputs, [key_field]: { ...others, [key_name]: this.key, [digest_name]: this.digest } };
	}

	private record(state: RememberedWrite['state'], output?: Row): RememberedWrite {
		const { warnings } = this.sending;
		const result = output ? { output: plain(output), ...(warnings.length ? { warnings: [...warnings] } : {}) } : {};
		const { key, digest, sendings, begun } = this;
		return { key, digest, state, at: this.platform.now(), begun, sendings, ...result };
	}

	/** What cannot be remembered is not sent. */
	private async noted<T>(use: Promise<T>): Promise<T> {
		return await use.catch(({ message: why }: Error) => {
			throw this.told('store_down', 'not_sent', 'package_memory_down', { why });
		});
	}

	private conflict(): Problem {
		return this.told('input', 'not_sent', 'key_conflict', { key: this.key }, { field: 'key' });
	}

	/** Holds it back, since something equal was done. */
	private repeats(former: unknown): Problem {
		const summary = summaryOf(this.sending.manifest, former, this.lang);
		return this.told('likely_repeat', 'not_sent', 'package_repeats', { made: summary && ` (${summary})` });
	}

	private unknown(cause: Partial<Problem> = {}): Problem {
		const own = this.say(this.marks ? 'package_unknown_remedy' : 'package_unknown_unseen_remedy');
		const { reconnectUrl, status, ledgerRemedy } = cause;
		const remedy = ledgerRemedy ? `${own} ${ledgerRemedy}` : own;
		const told = this.told('outcome_unknown', 'unknown', 'package_unknown', {}, { remedy, reconnectUrl });
		const { message = told.message, reason = told.reason } = cause;
		return new Problem(message, { ...told, reason, status });
	}

	private limitedTooOften(): Problem {
		return problem(this.say, 'outcome_unknown', 'limited_too_often', {}, { outcome: 'unknown' });
	}

	/** When it must have been sent. */
	private get ends(): number {
		const { patience = 2 * (this.sending.manifest.timeout ?? USUAL_SECONDS) * 1000 } = this.platform;
		return this.begun + patience;
	}

	private told(
		kind: string,
		outcome: Details['outcome'],
		reason: string,
		values: Row,
		more?: Partial<Details>,
	): Problem {
		const remedy = this.say(`${reason}_remedy`);
		return new Problem(this.say(reason, values), { kind, outcome, reason, remedy, ...more });
	}
}

/** The fields by which a person knows what was made: `5012, Initiated, Reifen Voss KG, 297.50, EUR`. */
export function summaryOf({ output: { columns = [] } = {} }: Manifest, made: unknown, lang: string): string {
	if (!isObject(made)) return '';
	const shown = ({ name, words = {} }: Column): string => {
		const value = made[name];
		const amount = typeof value === 'string' ? undefined : Exact.read(value);
		return amount ? amountText(amount, CENTS, lang) : (words[textOf(value)] ?? textOf(value));
	};
	const texts = [{ name: 'id' }, ...columns.filter(({ name }) => name !== 'id')].map(shown);
	return texts.filter(Boolean).join(', ');
}

/** What an output says was made: itself, or what stands in an answer of another form, one or several. */
function madeIn(output: Row): Row[] {
	const { answer } = output;
	if (!isObject(answer)) return [output];
	return [answer.data].flat().filter(isObject);
}

/** Sorts by time: 12 hexadecimal digits of it, and 20 random ones. */
function runId(now: number): string {
	const random = Array.from({ length: 20 }, () => Math.floor(Math.random() * 16).toString(16)).join('');
	return now.toString(16).padStart(12, '0') + random;
}
