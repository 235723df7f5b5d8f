/** Asks the service itself, through the core. It needs no key of a step: nothing is sent again that may have arrived. */

import type { Polled, Ran } from '../core/kontor';
import type { Manifest, Option, Row } from '../core/types';
import type { Context } from './platform';
import { kontorOf } from './platform';

export async function run(context: Context, id: string, raw: Row, _item: number): Promise<Ran> {
	return await (await kontorOf(context)).run(id, raw);
}

export async function options(context: Context, id: string, raw: Row): Promise<Option[]> {
	return await (await kontorOf(context)).options(id, raw);
}

export async function poll(
	context: Context,
	{ id }: Manifest,
	raw: Row,
	cursor: string | undefined,
	start: string,
): Promise<Polled> {
	return await (await kontorOf(context)).poll(id, raw, cursor, start);
}
