/** Actions: a step of a flow, a step that a person tries out, or a tool of an agent. */

import type { Package } from '../../node/adapter/access.ts';
import { sha256 } from '../../node/adapter/access.ts';
import type { Inputs, Manifest } from '../../node/core/manifest/pack.ts';
import { plain } from '../../node/core/values/json.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import { textOf } from '../../node/core/values/value_kinds.ts';
import { digest } from '../../node/core/writes/digest.ts';
import type { Intent } from '../../node/core/writes/intent.ts';
import { accessOfStep } from './access.ts';
import { rawInputs } from './form.ts';
import type { ActionContext, ActionSpec } from './framework.ts';
import { telling } from './told.ts';

const KEY = 'kontor_key';
const AGAIN = 'kontor_again';
/** Activepieces names no run where an agent calls an action as a tool. */
const NO_RUN = 'mcp-flow-run-id';
const SHORT = 24;

export function functionsOf(kit: Package, { name }: ActionSpec) {
	const { quelle } = kit.pack;

	/**
	 * The key is stable over "Retry on failure" and over a retry from the failed step. A loop runs a step several times
	 * within one run, and nothing tells these apart but what they do.
	 */
	function intentOf(action: Manifest, inputs: Inputs, context: ActionContext, isTried: boolean): Intent {
		const { propsValue, run, step } = context;
		const [own, again] = [textOf(propsValue[KEY]).trim(), textOf(propsValue[AGAIN]) === 'true'];
		const agent = run.id === NO_RUN ? { agent: true } : {};
		if (own) return { key: [quelle, name, own].join(':'), again, ...agent };
		if (run.id === NO_RUN) return { again, agent: true };
		const what = sha256(digest(sha256, name, action.inputs, inputs)).slice(0, SHORT);
		return { key: [quelle, run.id, step.name, what].join(':'), again, ...(isTried ? { guarded: true } : {}) };
	}

	async function ran(context: ActionContext, isTried: boolean): Promise<unknown> {
		const action = kit.pack.actions[name] as Manifest;
		const { kontor, backend } = accessOfStep(kit, context);
		const raw = rawInputs(action.inputs, context.propsValue);
		const read = (): Inputs => kontor.read(action, raw);
		const intent = action.writes ? intentOf(action, read(), context, isTried) : {};
		const { output, warnings, replayed } = await backend.run(name, raw, intent);
		const more: Row = { ...(replayed ? { _replayed: true } : {}), ...(warnings.length ? { _warnings: warnings } : {}) };
		return plain({ ...output, ...more });
	}

	return {
		run: telling(async (context: ActionContext) => await ran(context, false)),
		/** Only in the editor, where a person may press twice. */
		test: telling(async (context: ActionContext) => await ran(context, true)),
	};
}
