/** A page of a lookup's options. Opened, a list is read anew; for a search and further pages it is kept for a while. */

import type { ILoadOptionsFunctions } from 'n8n-workflow';

import type { Option, OptionsPage, OptionsPart } from '../core/answers/options';
import { pageOf } from '../core/answers/options';
import { problem } from '../core/messages';
import type { Row } from '../core/values/value_kinds';
import { backendOf } from './backend';
import { say } from './problem';

interface ReadList {
	at: number;
	options: Option[];
}

const FRESH = 5 * 60_000;
const MAX_LISTS = 50;
const READ = new Map<string, ReadList>();

export async function listed(
	context: ILoadOptionsFunctions,
	lookup: string,
	raw: Row,
	part: OptionsPart,
): Promise<OptionsPage> {
	const key = JSON.stringify([context.getNode().credentials?.kontorApi?.id, lookup, raw]);
	const known = part.search || part.after !== undefined ? READ.get(key) : undefined;
	const isFresh = known !== undefined && Date.now() - known.at < FRESH;
	const options = isFresh ? known.options : await (await backendOf(context)).options(lookup, raw);
	if (!isFresh) keep(key, { at: Date.now(), options });
	const page = pageOf(options, part);
	if (page) return page;
	const remedy = say('options_after_remedy');
	throw problem(say, 'input', 'options_after', { value: part.after }, { field: 'after', remedy });
}

/** The newest lists only. */
function keep(key: string, list: ReadList): void {
	READ.delete(key);
	READ.set(key, list);
	const [oldest] = READ.keys();
	if (READ.size > MAX_LISTS) READ.delete(oldest);
}
