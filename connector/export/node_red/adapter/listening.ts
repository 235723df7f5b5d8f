/** A trigger node while it is deployed, and how it starts flows. */

import type { Package } from '../../node/adapter/access.ts';
import { sha256 } from '../../node/adapter/access.ts';
import type { Inputs, Manifest } from '../../node/core/manifest/pack.ts';
import type { Say } from '../../node/core/messages.ts';
import { plain } from '../../node/core/values/json.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import { textOf } from '../../node/core/values/value_kinds.ts';
import type { Account } from './account.ts';
import type { TypedInputs } from './inputs.ts';
import type { NodeConfig, Red, RedNode } from './red.ts';
import { errorTold, showStatus } from './told.ts';

export interface TriggerConfig extends NodeConfig {
	account?: string;
	trigger?: string;
	inputs?: TypedInputs;
	/** Of the first poll: `now`, `all`, or `since` an id. */
	start?: string;
	since?: string;
	/** Minutes between two polls. */
	every?: string | number;
}

/** One trigger node while it is deployed. */
export interface Listening {
	red: Red;
	kit: Package;
	say: Say;
	node: RedNode;
	config: TriggerConfig;
	trigger: Manifest;
	account: Account;
	/** The inputs as they are entered, and as exact values. */
	entered(): Promise<{ raw: Row; inputs: Inputs }>;
}

/** A way in which a trigger learns what is new. */
export interface Source {
	start(): void;
	/** What a press of its button does. */
	now?(): Promise<void>;
	stop(isRemoved: boolean): Promise<void>;
}

/**
 * Each item starts a flow of its own. Its message has an id made of the item's: told once more, it is known by it to
 * whatever writes behind it.
 */
export function tell({ node, trigger, say }: Listening, items: Row[]): void {
	for (const item of items) {
		const _msgid = sha256(`${node.id}/${textOf(item._id)}`).slice(0, 16);
		node.send({ _msgid, topic: trigger.id, payload: plain(item), kontor: { trigger: trigger.id, id: item._id } });
	}
	if (items.length) showStatus(node, 'green', say('node_red_count', { count: items.length }));
}

/** Told to catch nodes too. */
export function tellError(node: RedNode, error: unknown): void {
	const told = errorTold(error);
	showStatus(node, 'red', told.message, 'ring');
	node.error(told, {});
}
