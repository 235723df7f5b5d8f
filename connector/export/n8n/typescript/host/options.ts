import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { ask } from './ask';
import { isEmpty } from './form';
import { answered, say, told, wrong } from './problem';
import type { DropdownUse, Inputs, Option } from './shapes';
import { DROPDOWNS, LOOKUPS } from './tables';

type LoadMethod = (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]>;

/** A method for every way in which the forms use a lookup. */
export function loadMethods(): Record<string, LoadMethod> {
	return Object.fromEntries(Object.entries(DROPDOWNS).map(([name, use]) => [name, methodFor(use)]));
}

function methodFor(use: DropdownUse): LoadMethod {
	return async function (this: ILoadOptionsFunctions) {
		try {
			const answer = await ask(this, 'POST', `/v1/lookups/${use.lookup}`, { inputs: inputsOf(this, use) });
			return ((answer.options ?? []) as Option[]).map(({ value, label, hint }) => ({
				name: label,
				value,
				...(hint ? { description: hint } : {}),
			}));
		} catch (error) {
			throw new NodeApiError(this.getNode(), answered(error), told(error));
		}
	};
}

function inputsOf(context: ILoadOptionsFunctions, use: DropdownUse): Inputs {
	const given: Inputs = {};
	for (const [name, { from, value }] of Object.entries(use.inputs)) {
		const found = from === undefined ? value : context.getCurrentNodeParameter(from);
		if (!isEmpty(found)) given[name] = found;
	}
	const missing = LOOKUPS[use.lookup].fields.find((field) => field.required && given[field.name] === undefined);
	if (missing) throw wrong(say('dropdown_needs', { field: missing.label ?? missing.name }), missing.name);
	return given;
}
