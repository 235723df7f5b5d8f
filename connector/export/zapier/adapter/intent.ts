/** What a Zap means by running a step: under which key, and whether a person wants it although it was done. */

import type { Pack } from '../../node/core/manifest/pack.ts';
import { textOf } from '../../node/core/values/value_kinds.ts';
import type { Intent } from '../../node/core/writes/intent.ts';
import type { Bundle } from './zapier.ts';

const KEY = 'kontor_key';
const AGAIN = 'kontor_again';
const YES = /^(true|yes|ja|1)$/i;

/** Zapier tells nothing that stays the same for a replay and differs for the next run: a key comes from the form. */
export function intentOf({ quelle }: Pick<Pack, 'quelle'>, { inputData, meta }: Bundle): Intent {
	const own = textOf(inputData[KEY]).trim();
	const key = own ? { key: `${quelle}-${textOf(meta?.zap?.id) || 0}-${own}` } : {};
	return { ...key, again: isYes(inputData[AGAIN]) };
}

/** A switch of the form. */
export function isYes(given: unknown): boolean {
	return YES.test(textOf(given));
}
