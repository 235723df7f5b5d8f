/** Events of the service: reading their envelope, which triggers they fire, and under which event a state is told. */

import type { EventSpec } from '../manifest/form.ts';
import type { Inputs, Pack } from '../manifest/pack.ts';
import { at, holds, valuesAt } from '../manifest/templates.ts';
import { milliseconds } from '../values/dates.ts';
import { readJson, writeJson } from '../values/json.ts';
import type { Row } from '../values/value_kinds.ts';
import { isEmpty, isObject, only, textOf } from '../values/value_kinds.ts';

/** Where an input is compared. */
type Filter = NonNullable<EventSpec['filters']>[string];

const EVENT = '@event';
const MAX_NAME = 100;
const MAX_TIME = 40;
/** What is passed on of what the API cannot confirm: no sentence, no link. */
export const WORD = /^[A-Za-z0-9_.:-]{1,64}$/;
const ID = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,119}$/;

export interface Envelope {
	event: string;
	data: Row;
	/** Equal for equal content, however it is written. */
	id: string;
	/** The time that the event itself names. */
	receivedAt?: string;
}

/** When an event happened by its own word, and when it came in here. */
export interface Times {
	received: string | undefined;
	arrived: string;
}

/** Reads an envelope; undefined when it is none. An unknown event is no error. */
export function readEnvelope(text: string, sha256: (text: string) => string): Envelope | undefined {
	const tree = parsed(text);
	const [event, data] = isObject(tree) ? [tree.event, tree.data ?? {}] : [];
	if (!isObject(tree) || typeof event !== 'string' || !event.trim() || !isObject(data)) return undefined;
	const id = sha256(writeJson([event, inOrder(data), tree.received_at ?? null]));
	const name = event.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?').slice(0, MAX_NAME);
	const { received_at: time } = tree;
	const isTime = typeof time === 'string' && time.length <= MAX_TIME && milliseconds(time) !== undefined;
	return { event: name, data, id, ...(isTime ? { receivedAt: time } : {}) };
}

/** Whether a trigger fires on an event with these data; an input that is not given lets everything pass. */
export function firesOn(spec: EventSpec, event: string, data: Row, inputs: Inputs): boolean {
	if (spec.names?.length && !spec.names.includes(event)) return false;
	if (spec.when && !holds(spec.when, data)) return false;
	const given = Object.entries(spec.filters ?? {}).filter(([name]) => inputs[name] !== undefined);
	return given.every(([name, filter]) => passes(filter, textOf(inputs[name]), event, data, inputs));
}

/** Whether events of this name can start a flow with these inputs at all. */
export function mayTell({ names, filters = {} }: EventSpec, event: string, inputs: Inputs): boolean {
	if (names?.length && !names.includes(event)) return false;
	const asked = Object.entries(filters).filter(([name, filter]) => filter === EVENT && inputs[name] !== undefined);
	return asked.every(([name]) => textOf(inputs[name]) === event);
}

/** What the inputs ask of this field of the event. */
export function inputsFor({ filters = {} }: EventSpec, path: string, inputs: Inputs): string[] {
	const asked = Object.entries(filters).filter(([name, at]) => at === path && inputs[name] !== undefined);
	return asked.map(([name]) => textOf(inputs[name]));
}

/** Whether whoever filled in these inputs has asked for this very event by its name. */
export function namesEvent({ filters = {} }: EventSpec, event: string, inputs: Inputs): boolean {
	return Object.entries(filters).some(([name, filter]) => filter === EVENT && textOf(inputs[name]) === event);
}

/** The words of the event itself that a filter asks for and the API does not show: no sentence, no link. */
export function claimsNeeded({ filters = {} }: EventSpec, data: Row, claimed: Row, inputs: Inputs): Row {
	const asked = Object.entries(filters).filter(([name]) => inputs[name] !== undefined);
	const paths = asked.flatMap(([, path]) => (typeof path === 'string' && path !== EVENT ? [path] : []));
	const isNeeded = (path: string): boolean => isEmpty(data[path]) && WORD.test(textOf(claimed[path]));
	return only(
		claimed,
		paths.filter((path) => isNeeded(path) && typeof claimed[path] === 'string'),
	);
}

/** What a flow gets: the time that the event names as its own, and when it came in here. */
export function itemOf({ names }: EventSpec, event: string, data: Row, id: string, times: Times): Row {
	const rest = only(
		data,
		Object.keys(data).filter((name) => name !== 'received_at'),
	);
	const received = times.received === undefined ? {} : { received_at: times.received };
	return { ...rest, _id: id, _arrived_at: times.arrived, ...received, ...(names?.length ? {} : { _event: event }) };
}

/** Under which event a state of such a thing is announced. */
export function eventOfState({ events }: Pack, about: string, state: string): string {
	const candidates = Object.entries(events).filter(([, one]) => one.about === about);
	const own = candidates.find(([, { states }]) => states?.includes(state));
	return (own ?? candidates.find(([, { states }]) => !states))?.[0] ?? '';
}

/** Whether an event seems to speak of a payment, by its own name or by any name within it. */
export function touchesMoney(event: string, data: unknown): boolean {
	if (/payment/i.test(event)) return true;
	if (Array.isArray(data)) return data.some((one) => touchesMoney('', one));
	return isObject(data) && Object.entries(data).some(([name, inner]) => touchesMoney(name, inner));
}

/** An id that could exist. */
export function idIn(data: Row, name = ''): string | undefined {
	const text = textOf(data[name]);
	return ID.test(text) && typeof data[name] !== 'boolean' ? text : undefined;
}

function passes(filter: Filter, wanted: string, event: string, data: Row, inputs: Inputs): boolean {
	if (typeof filter === 'string' || Array.isArray(filter)) {
		return [filter].flat().some((path) => valuesIn(path, event, data).includes(wanted));
	}
	if ('at' in filter) {
		const tidy = (text: string): string => (filter.compact ? text.replace(/\s/g, '').toUpperCase() : text);
		const values = [filter.at].flat().flatMap((path) => valuesIn(path, event, data));
		return values.map(tidy).includes(tidy(wanted));
	}
	const there = at(data, 'names_of' in filter ? filter.names_of : filter.values_of);
	const entries = Object.entries(isObject(there) ? there : {});
	if ('names_of' in filter) return entries.some(([name]) => name === wanted);
	const named = filter.named === undefined ? undefined : inputs[filter.named];
	const asked = entries.filter(([name]) => named === undefined || name === textOf(named));
	return asked.some(([, value]) => textOf(value) === wanted);
}

function valuesIn(path: string, event: string, data: Row): string[] {
	return path === EVENT
		? [event]
		: valuesAt(data, path)
				.map(([, value]) => textOf(value))
				.filter(Boolean);
}

function parsed(text: string): unknown {
	try {
		return readJson(text);
	} catch {
		return undefined;
	}
}

function inOrder(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(inOrder);
	if (!isObject(value)) return value;
	return Object.fromEntries(
		Object.keys(value)
			.sort()
			.map((name) => [name, inOrder(value[name])]),
	);
}
