/** The dropdowns: a method for every way in which the forms use a lookup, with search and pages. */

import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { inWordsOfForm } from '../core/messages';
import type { Row } from '../core/values/value_kinds';
import { DROPDOWNS } from '../pack';
import type { DropdownUse } from './form';
import { picked } from './form';
import { listed } from './listed';
import { apiError, say } from './problem';

type SearchMethod = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

/** How many options n8n gets at once; it asks for more when a person scrolls down. */
const PAGE = 100;

export function searchMethods(): Record<string, SearchMethod> {
	return Object.fromEntries(Object.entries(DROPDOWNS).map(([name, use]) => [name, methodFor(use)]));
}

function methodFor({ lookup, inputs, optional }: DropdownUse): SearchMethod {
	return async function (this: ILoadOptionsFunctions, search?: string, after?: string) {
		const raw: Row = {};
		for (const [name, { from, value }] of Object.entries(inputs)) {
			raw[name] = from === undefined ? value : picked(this.getCurrentNodeParameter(from));
		}
		try {
			const { options, next } = await listed(this, lookup, raw, { search, after, limit: PAGE });
			const results = options.map(({ value, label, hint }) => ({
				name: label,
				value,
				...(hint ? { description: hint } : {}),
			}));
			const isWhole = !search && after === undefined;
			if (optional && isWhole) results.unshift({ name: say('n8n_none'), value: '' });
			return { results, ...(next === undefined ? {} : { paginationToken: next }) };
		} catch (error) {
			throw apiError(this, inWordsOfForm(say, error));
		}
	};
}
