/** The properties of a form, and the inputs that it gives: a field within a group is named after both. */

import type { Package } from '../../node/adapter/access.ts';
import type { Option } from '../../node/core/answers/options.ts';
import type { Field } from '../../node/core/manifest/pack.ts';
import { inWordsOfForm, sayer } from '../../node/core/messages.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import { isEmpty, isObject } from '../../node/core/values/value_kinds.ts';
import { accessWith } from './access.ts';
import type { Framework, Spec } from './framework.ts';
import { errorTold } from './told.ts';

interface Choices {
	disabled?: boolean;
	placeholder?: string;
	options: Array<{ label: string; value: string }>;
}

export function propertiesOf(framework: Framework, kit: Package, auth: unknown, specs: Record<string, Spec>): Row {
	const properties = Object.entries(specs).map(([name, { kind, lookup, properties: parts, ...words }]) => {
		const inner = parts ? { properties: propertiesOf(framework, kit, auth, parts) } : {};
		const choices = lookup ? { auth, options: choicesOf(kit, lookup) } : {};
		const make = kind === 'SecretText' ? framework.PieceAuth.SecretText : framework.Property[kind];
		return [name, make?.({ ...words, ...inner, ...choices })];
	});
	return Object.fromEntries(properties);
}

/** A list that cannot be shown says why in its place; the field can be filled in by hand all the same. */
function choicesOf(kit: Package, { id, inputs }: NonNullable<Spec['lookup']>) {
	return async ({ auth, ...entered }: Row): Promise<Choices> => {
		const given = Object.entries(inputs).map(([name, { from, value }]) => [name, from ? entered[from] : value]);
		const raw = Object.fromEntries(given.filter(([, value]) => !isEmpty(value)));
		try {
			const offered = await accessWith(kit, auth).backend.options(id, raw);
			const named = ({ label, hint }: Option): string => (hint ? `${label} – ${hint}` : label);
			return { options: offered.map((option) => ({ value: option.value, label: named(option) })) };
		} catch (error) {
			const told = errorTold(inWordsOfForm(sayer(kit.pack.messages), error));
			return { disabled: true, options: [], placeholder: told.message };
		}
	};
}

/** The inputs that these fields ask for. */
export function rawInputs(fields: Field[], entered: Row): Row {
	return group(fields.filter(({ internal }) => !internal), entered, '') ?? {};
}

/** Undefined where nothing was entered in any of the fields. */
function group(fields: Field[], entered: Row, above: string): Row | undefined {
	const values = fields.map((field) => [field.name, valueOf(field, entered, above + field.name)]);
	const given = values.filter(([, value]) => !isEmpty(value));
	return given.length ? Object.fromEntries(given) : undefined;
}

function valueOf({ type, fields = [] }: Field, entered: Row, key: string): unknown {
	const value = entered[key];
	if (type === 'file') return isObject(value) && 'base64' in value ? value.base64 : value;
	if (!fields.length) return value;
	if (type !== 'list') return value ?? group(fields, entered, `${key}_`);
	if (!Array.isArray(value)) return value; // JSON text, or what is no list: the core reads or refuses it
	const lines = value.map((line: unknown) => (isObject(line) ? group(fields, line, '') : line));
	const given = lines.filter((line) => !isEmpty(line));
	return given.length ? given : undefined;
}
