import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { clean } from './clean';
import { itemsIn } from './envelopes';
import { isEmpty, isPlainObject } from './form';
import { LOOKUP_HANDLERS } from './handlers';
import { answered, say, told, wrong } from './problem';
import { buildCall } from './request';
import { send } from './send';
import type { DropdownUse, Inputs, Lookup, Option } from './shapes';
import { DROPDOWNS, LOOKUPS } from './tables';

type LoadMethod = (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]>;

/** A method for every way in which the forms use a lookup. */
export function loadMethods(): Record<string, LoadMethod> {
	return Object.fromEntries(Object.entries(DROPDOWNS).map(([name, use]) => [name, methodFor(use)]));
}

function methodFor(use: DropdownUse): LoadMethod {
	return async function (this: ILoadOptionsFunctions) {
		try {
			const lookup = LOOKUPS[use.lookup];
			const found = await optionsOf(this, lookup, inputsOf(this, lookup, use));
			return found.map(({ value, label, hint }) => ({
				name: label,
				value,
				...(hint ? { description: hint } : {}),
			}));
		} catch (error) {
			throw new NodeApiError(this.getNode(), answered(error), told(error));
		}
	};
}

function inputsOf(context: ILoadOptionsFunctions, lookup: Lookup, use: DropdownUse): Inputs {
	const given: Inputs = {};
	for (const [name, { from, value }] of Object.entries(use.inputs)) {
		const found = from === undefined ? value : context.getCurrentNodeParameter(from);
		if (!isEmpty(found)) given[name] = found;
	}
	const missing = lookup.fields.find((field) => field.required && given[field.name] === undefined);
	if (missing) throw wrong(say('dropdown_needs', { field: missing.label ?? missing.name }), missing.name);
	return clean(lookup.fields, given);
}

async function optionsOf(context: ILoadOptionsFunctions, lookup: Lookup, inputs: Inputs): Promise<Option[]> {
	const call = lookup.method ? buildCall(lookup, inputs, false, true) : undefined;
	const items = call ? itemsIn(await send(context, call)) : [];
	const own = LOOKUP_HANDLERS[lookup.id];
	if (own) return own.options(items);
	return items.flatMap((item) => {
		const value = at(item, lookup.option?.value);
		if (value === undefined || value === null) return [];
		const [label, hint] = [at(item, lookup.option?.label), at(item, lookup.option?.hint)];
		return [{ value: String(value), label: String(label ?? value), hint: hint ? String(hint) : undefined }];
	});
}

function at(item: unknown, path: string | undefined): unknown {
	if (!path) return undefined;
	return path.split('.').reduce<unknown>((here, name) => (isPlainObject(here) ? here[name] : undefined), item);
}
