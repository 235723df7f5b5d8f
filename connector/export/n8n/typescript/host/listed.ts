/** A page of a lookup's options: the Kontor host keeps lists for a while, searches and pages. */

import type { ILoadOptionsFunctions } from 'n8n-workflow';

import type { OptionsPage, OptionsPart } from '../core/answers/options';
import { hostOptions } from '../core/backend/host_backend';
import type { Row } from '../core/values/value_kinds';
import { PACK } from '../pack';
import { askerOf } from './backend';
import { kontorOf } from './platform';

export async function listed(
	context: ILoadOptionsFunctions,
	lookup: string,
	raw: Row,
	part: OptionsPart,
): Promise<OptionsPage> {
	return await hostOptions(PACK, await kontorOf(context), await askerOf(context), lookup, raw, part);
}
