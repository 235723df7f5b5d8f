/** The dropdowns: a method for every way in which the forms use a lookup. */

import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { inWordsOfForm } from '../core/messages';
import type { Row } from '../core/values/value_kinds';
import { DROPDOWNS } from '../pack';
import { backendOf } from './backend';
import type { DropdownUse } from './form';
import { apiError, say } from './problem';

type LoadMethod = (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]>;

export function loadMethods(): Record<string, LoadMethod> {
	return Object.fromEntries(Object.entries(DROPDOWNS).map(([name, use]) => [name, methodFor(use)]));
}

function methodFor({ lookup, inputs, optional }: DropdownUse): LoadMethod {
	return async function (this: ILoadOptionsFunctions) {
		const raw: Row = {};
		for (const [name, { from, value }] of Object.entries(inputs)) {
			raw[name] = from === undefined ? value : this.getCurrentNodeParameter(from);
		}
		try {
			const options = (await (await backendOf(this)).options(lookup, raw)).map(({ value, label, hint }) => ({
				name: label,
				value,
				...(hint ? { description: hint } : {}),
			}));
			return optional ? [{ name: say('n8n_none'), value: '' }, ...options] : options;
		} catch (error) {
			throw apiError(this, inWordsOfForm(say, error));
		}
	};
}
