/** Takes answers out of their envelopes, in the declared shape. What cannot be read is never read as empty. */

import type { Shape } from '../manifest/form.ts';
import type { Inputs, Manifest } from '../manifest/pack.ts';
import type { Row } from '../values/value_kinds.ts';
import { isEmpty, isObject, textOf } from '../values/value_kinds.ts';

const LIST_KEYS = ['data', 'connections'];
const OBJECT_KEYS = ['data'];
const NOTHING_AROUND = 'body';

/** The answer has an unexpected form; the message says which. */
export class Unreadable extends Error {
	readonly values: Row;

	/** By the name of its sentence. */
	constructor(name: string, values: Row = {}) {
		super(name);
		this.values = values;
	}
}

/** The answer's list lacks the item that was picked. */
export class NotListed extends Error {}

/** The output that a manifest promises; raises `Unreadable` or `NotListed`. */
export function outputOf({ request, output, writes }: Manifest, reply: unknown, inputs: Inputs): Row {
	const [shape, key] = [output?.shape ?? {}, request?.answer?.in];
	if (shape.pick) return picked(shape.pick, itemsIn(reply, key), inputs);
	try {
		const shapedOutput = shaped(shape, reply, Boolean(output?.list), key);
		return shape.else_answer && shape.as && shapedOutput[shape.as] === null ? { answer: reply } : shapedOutput;
	} catch (error) {
		// A write was done: an unexpected form of its answer must not make it look undone.
		if (error instanceof Unreadable && (shape.else_answer || writes)) return { answer: reply };
		throw error as Error;
	}
}

/**
 * Whether the successful answer to a write names nothing that was made, or names an error. With `names`, it must name
 * one of these, in its envelope or beside it.
 */
export function saysNothing(reply: unknown, names: readonly string[] = []): boolean {
	if (!isObject(reply) || Object.values(reply).every(isNothing)) return true;
	const places = [reply, ...[reply.data].flat().filter(isObject)];
	if (places.some(namesError)) return true;
	return names.length > 0 && places.every((place) => names.every((name) => isNothing(place[name])));
}

/**
 * Whether a success names an error, and nothing that an answer stands in: it is a refusal under a wrong status.
 * `resultNames` are the members that no refusal has.
 */
export function tellsFailure(reply: unknown, resultNames: readonly string[]): boolean {
	if (!isObject(reply) || !namesError(reply)) return false;
	return [...LIST_KEYS, ...resultNames].every((name) => isNothing(reply[name]));
}

function namesError({ error, success }: Row): boolean {
	return !isNothing(error) || success === false;
}

function isNothing(value: unknown): boolean {
	return isEmpty(value) || value === false || (typeof value === 'object' && !Object.keys(value as object).length);
}

/** The list that an answer carries. */
export function itemsIn(reply: unknown, key?: string): unknown[] {
	const list = unwrapped(reply, LIST_KEYS, key);
	if (Array.isArray(list)) return list;
	throw new Unreadable('answer_no_list');
}

/** The single object that an answer carries; one without anything in it is none. */
export function objectIn(reply: unknown, key?: string): Row {
	const object = unwrapped(reply, OBJECT_KEYS, key);
	if (isObject(reply) && isObject(object) && Object.keys(object).length) return object;
	throw new Unreadable('answer_no_object');
}

/** The items of a list, a plain text among them as an object with it under the name. */
export function wrapped(items: unknown[], name: string | undefined): unknown[] {
	return name === undefined ? items : items.map((item) => (typeof item === 'string' ? { [name]: item } : item));
}

/** The first item that was picked, with the declared inputs. */
function picked(pick: NonNullable<Shape['pick']>, items: unknown[], inputs: Inputs): Row {
	const { input, by, with: along = [] } = pick;
	const wanted = textOf(inputs[input]);
	const item = items.filter(isObject).find((one) => textOf(one[by]) === wanted);
	if (!item) throw new NotListed(wanted);
	return { ...item, ...Object.fromEntries(along.map((name) => [name, inputs[name]])) };
}

function shaped(shape: Shape, reply: unknown, isList: boolean, key: string | undefined): Row {
	if (shape.first_of) return { [shape.as ?? '']: firstOf(shape.first_of, unwrapped(reply, OBJECT_KEYS, key)) };
	if (shape.entries) return { items: entriesOf(shape.entries, unwrapped(reply, OBJECT_KEYS, key)) };
	if (isList || shape.wrap !== undefined) return { items: wrapped(itemsIn(reply, key), shape.wrap) };
	const object = objectIn(reply, key);
	const beside = (shape.keep ?? []).filter((name) => object !== reply && isObject(reply) && name in reply);
	return { ...object, ...Object.fromEntries(beside.map((name) => [name, (reply as Row)[name]])) };
}

/** What stands under the first of the keys that the answer has; the answer itself when it has none of them. */
function unwrapped(reply: unknown, keys: string[], key: string | undefined): unknown {
	if (!isObject(reply)) return reply;
	const presentKey = [...(key && key !== NOTHING_AROUND ? [key] : []), ...keys].find((name) => name in reply);
	return presentKey === undefined ? reply : reply[presentKey];
}

function firstOf(names: string[], found: unknown): string | null {
	const name = isObject(found) ? names.find((one) => one in found) : undefined;
	if (isObject(found) && name === undefined && Object.keys(found).length) {
		throw new Unreadable('answer_none_of', { names: names.join(', ') });
	}
	const value = isObject(found) ? found[name ?? ''] : found;
	if (isEmpty(value)) return null;
	if (typeof value === 'string') return value;
	throw new Unreadable('answer_no_text', { names: names.join(', ') });
}

function entriesOf({ as, named = [], having }: NonNullable<Shape['entries']>, found: unknown): Row[] {
	if (Array.isArray(found) && found.every(isObject)) {
		return found.map((entry, index) => {
			const name = named.map((one) => entry[one]).find((one) => typeof one === 'string');
			return { [as]: name ?? String(index + 1), ...entry };
		});
	}
	if (isObject(found)) {
		const entries = Object.entries(found).filter(
			(pair): pair is [string, Row] => isObject(pair[1]) && (having === undefined || having in pair[1]),
		);
		if (entries.length || !Object.keys(found).length)
			return entries.map(([name, entry]) => ({ [as]: name, ...entry }));
	}
	throw new Unreadable('answer_no_entries');
}

/** The same value without our marks, wherever they stand; a field that held nothing else is left out. */
export function withoutMarks<T>(marks: Record<string, string[]>, value: T): T {
	if (Array.isArray(value)) return value.map((one: unknown) => withoutMarks(marks, one)) as T;
	if (!isObject(value)) return value;
	const shownEntries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
		const own = marks[name];
		if (own === undefined || !isObject(inner)) return [[name, withoutMarks(marks, inner)]];
		const others = Object.entries(inner).filter(([one]) => !own.includes(one));
		return others.length || !Object.keys(inner).length ? [[name, Object.fromEntries(others)]] : [];
	});
	return Object.fromEntries(shownEntries) as T;
}
