/** Tells a file's kind by its first bytes, and whether its name and size fit. */

import { MEGABYTE } from '../manifest/converters.ts';
import type { Beginning, FileKind } from '../manifest/form.ts';
import type { Inputs } from '../manifest/pack.ts';
import type { Row } from '../values/value_kinds.ts';
import { bytesIn, bytesOf, isObject, textOf } from '../values/value_kinds.ts';

/** Enough of a file to tell its kind: 48 bytes. */
const BEGINNING = 64;

export interface FileRule {
	each?: string;
	content: string;
	name: string;
	kinds: string[];
	most_mb?: number;
}

/** What is wrong with the files of a list, or with the single one of a form. */
export function misfitsOfFiles(
	known: Record<string, FileKind>,
	rule: FileRule,
	inputs: Inputs,
): Array<{ reason: string; field: string; values: Row }> {
	const lines = rule.each === undefined ? [inputs] : inputs[rule.each];
	const kinds = rule.kinds.flatMap((name) => known[name] ?? []);
	return (Array.isArray(lines) ? lines : []).flatMap((line, index) => {
		const [content, file] = isObject(line) ? [textOf(line[rule.content]), textOf(line[rule.name])] : ['', ''];
		const place = (name: string): string => (rule.each === undefined ? name : `${rule.each}[${index}].${name}`);
		const misfit = content && misfitOf(content, file, kinds, rule.most_mb);
		if (!misfit) return [];
		const { reason, at, ...values } = misfit;
		return [{ reason, field: place(rule[at]), values: { file, ...values } }];
	});
}

type Misfit = { reason: string; at: 'content' | 'name' } & Row;

function misfitOf(content: string, file: string, kinds: FileKind[], megabytes = Infinity): Misfit | undefined {
	const [size, limit] = [bytesIn(content), megabytes * MEGABYTE];
	if (size > limit) return { reason: 'too_large', at: 'content', size, limit, excess: size - limit };
	const beginning = [...bytesOf(content.slice(0, BEGINNING))].map(inHex).join('');
	const kind = kinds.find(({ begins }) => begins.some((one) => [one].flat().every((part) => fits(part, beginning))));
	if (!kind) return { reason: 'unknown_kind', at: 'content', kinds: kinds.map(({ label }) => label).join(', ') };
	const { label, endings } = kind;
	const isNamed = !file || endings.some((ending) => file.toLowerCase().endsWith(ending));
	return isNamed ? undefined : { reason: 'misnamed', at: 'name', kind: label, endings: endings.join(', ') };
}

function fits({ at, hex }: Beginning, beginning: string): boolean {
	return beginning.startsWith(hex.toLowerCase(), at * 2);
}

function inHex(byte: number): string {
	return byte.toString(16).padStart(2, '0');
}
