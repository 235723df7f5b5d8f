/** Triggers that poll: their place in the list is kept in the store of the flow, for as long as there is the flow. */

import type { Access, Package } from '../../node/adapter/access.ts';
import type { PollPlace } from '../../node/core/backend/poll_place.ts';
import { missingRowsProblem, pollFrom, sourceOf, startOf } from '../../node/core/backend/poll_place.ts';
import type { Inputs, Manifest } from '../../node/core/manifest/pack.ts';
import { plain } from '../../node/core/values/json.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import { isObject } from '../../node/core/values/value_kinds.ts';
import { accessWith } from './access.ts';
import { rawInputs } from './form.ts';
import type { TriggerContext, TriggerSpec } from './framework.ts';
import { telling } from './told.ts';

const PLACE = 'kontor-place';
const START = 'kontor_start';
const SINCE = 'kontor_since';
/** How many rows a trial shows. */
const MAX_SHOWN = 5;

interface Entered extends Access {
	trigger: Manifest;
	raw: Row;
	inputs: Inputs;
	start: string;
}

export function pollFunctionsOf(kit: Package, { name, cron }: TriggerSpec) {
	function entered({ auth, propsValue }: TriggerContext): Entered {
		const trigger = kit.pack.triggers[name] as Manifest;
		const access = accessWith(kit, auth);
		const raw = rawInputs(trigger.inputs, propsValue);
		const start = startOf(propsValue[START], propsValue[SINCE]);
		return { ...access, trigger, raw, inputs: access.kontor.check(trigger, raw).inputs, start };
	}

	/** The place is kept before the items are handed over, which Activepieces does not confirm. */
	async function polled(context: TriggerContext): Promise<Row[]> {
		const { backend, say, trigger, raw, inputs, start } = entered(context);
		const before = await placeOf(context);
		const { items, place, missing } = await pollFrom(backend, trigger, { raw, inputs }, before, start);
		// An error takes the place of items, so that it waits for a poll that has none.
		const isTold = missing !== undefined && !items.length;
		const { missingTold: _, ...untold } = place;
		await context.store.put(PLACE, missing === undefined || isTold ? place : untold);
		if (isTold) throw missingRowsProblem(say, missing);
		return (plain(items) as Row[]).map((item) => ({ ...item, _dedupe_key: item._id }));
	}

	return {
		/** A flow that starts now takes note of what is there. Published again, it goes on where it was. */
		onEnable: telling(async (context: TriggerContext) => {
			if (cron) context.setSchedule({ cronExpression: cron });
			const { trigger, inputs, start } = entered(context);
			const isKnown = (await placeOf(context)).of === sourceOf(trigger, inputs);
			if (start === 'now' && !isKnown) await polled(context);
		}),
		onDisable: async () => {},
		run: telling(polled),
		test: telling(async (context: TriggerContext) => {
			const { backend, trigger, raw } = entered(context);
			const { items } = await backend.poll(trigger.id, raw, undefined, 'all');
			return plain(items.slice(-MAX_SHOWN));
		}),
	};
}

async function placeOf({ store }: TriggerContext): Promise<PollPlace> {
	const place = await store.get(PLACE);
	return isObject(place) ? place : {};
}
