/** What an answer to a write proves about it: the table of `manifests/proofs.yaml`, applied. Pure. */

import type { Details } from './messages.ts';
import type { Pack } from './types.ts';
import { isObject } from './values.ts';

const ANY_CLIENT_ERROR = 'any 4xx';

export interface Proof {
	told: 'not_sent' | 'refused';
	basis: NonNullable<Details['proof']>;
}

/** What an answer that is no success proves; undefined when the write may have been made. */
export function proofOf(
	{ proofs }: Pick<Pack, 'proofs'>,
	{ status, body, said, fromLimiter }: { status: number; body: unknown; said: string; fromLimiter: boolean },
): Proof | undefined {
	const holds = isObject(body) ? body : {};
	if (proofs.made.some((name) => Object.hasOwn(holds, name))) return undefined;
	const [error, code] = [holds[proofs.error], holds[proofs.code]];
	const isErrorBody = typeof error === 'string' && error.trim() !== '';
	const found = proofs.rows.find(
		(row) =>
			isAmong(status, row.status) &&
			(row.limiter ? fromLimiter : isErrorBody) &&
			(row.code === undefined || (typeof code === 'string' && code.startsWith(row.code))) &&
			(row.says ?? []).every((pattern) => says({ proofs }, pattern, said)),
	);
	return found && { told: found.told, basis: found.proof };
}

/** Whether the service's message fits a named pattern of the table. */
export function says({ proofs }: Pick<Pack, 'proofs'>, pattern: string, message: string): boolean {
	return new RegExp(proofs.patterns[pattern] ?? '', 'u').test(message);
}

function isAmong(status: number, statuses: number[] | string): boolean {
	if (statuses === ANY_CLIENT_ERROR) return status >= 400 && status < 500;
	return statuses.includes(status as never);
}
