/** The node that runs an action for each message. */

import type { Package } from '../../node/adapter/access.ts';
import type { Manifest } from '../../node/core/manifest/pack.ts';
import { problem } from '../../node/core/messages.ts';
import { plain } from '../../node/core/values/json.ts';
import { textOf } from '../../node/core/values/value_kinds.ts';
import type { Intent } from '../../node/core/writes/intent.ts';
import { summaryOf } from '../../node/core/writes/write.ts';
import { accountOf, sayerOf } from './account.ts';
import type { TypedInput, TypedInputs } from './inputs.ts';
import { evaluated, isYes, rawInputs } from './inputs.ts';
import type { Message, NodeConfig, Red, RedNode, Send } from './red.ts';
import { errorTold, showStatus } from './told.ts';

interface ActionConfig extends NodeConfig {
	account?: string;
	action?: string;
	inputs?: TypedInputs;
	/** A key of the user's own. */
	key?: TypedInput;
	again?: TypedInput;
}

export function actionConstructor(red: Red, kit: Package) {
	const say = sayerOf(kit);

	async function run(node: RedNode, config: ActionConfig, message: Message, send: Send): Promise<void> {
		const action = actionOf(config.action ?? '');
		const { backend } = accountOf(red, say, config.account).access();
		const raw = await rawInputs(red, node, say, action.inputs, config.inputs ?? {}, message);
		const intent = action.writes ? await intentOf(node, config, message) : {};
		const { output, warnings, replayed, waits = false } = await backend.run(action.id, raw, intent);
		const hints = replayed ? [...warnings, say('package_replayed')] : warnings;
		for (const hint of hints) node.warn(hint);
		message.payload = plain(action.output?.list && Array.isArray(output.items) ? output.items : output);
		message.kontor = { action: action.id, replayed, warnings, ...(waits ? { waits } : {}) };
		if (waits) showStatus(node, 'yellow', say('node_red_waits'), 'ring');
		else showStatus(node, 'green', shown(action, output));
		// What nobody has approved yet must not look done to the nodes behind the first output.
		send(waits ? [null, message] : [message]);
	}

	/**
	 * The key is stable over a flow's own retry, since a catch node hands the same message on. A message that was sent
	 * anew for what was done has another one, so equal writes are held back too, unless the user gives a key.
	 */
	async function intentOf(node: RedNode, config: ActionConfig, message: Message): Promise<Intent> {
		const again = isYes(await evaluated(red, node, config.again, message));
		const own = textOf(await evaluated(red, node, config.key, message)).trim();
		const { quelle } = kit.pack;
		if (own) return { key: [quelle, config.action, own].join(':'), again };
		return { key: [quelle, message._msgid, node.id].join(':'), again, guarded: true };
	}

	function actionOf(id: string): Manifest {
		const { actions } = kit.pack;
		const action = Object.hasOwn(actions, id) ? actions[id] : undefined;
		if (action) return action;
		throw problem(say, 'input', 'action_unknown', { id }, { field: 'action', outcome: 'not_sent' });
	}

	function shown(action: Manifest, output: Message): string {
		const { items } = output;
		if (action.output?.list && Array.isArray(items)) return say('node_red_count', { count: items.length });
		return (action.writes && summaryOf(action, output, kit.pack.lang)) || say('node_red_done');
	}

	return function (this: RedNode, config: ActionConfig): void {
		red.nodes.createNode(this, config);
		let underWay = 0;
		this.on('input', (message, send, done) => {
			underWay += 1;
			showStatus(this, 'blue', say('node_red_running'));
			run(this, config, message, send)
				.then(() => done())
				.catch((error: unknown) => {
					const told = errorTold(error);
					showStatus(this, 'red', told.message, 'ring');
					done(told);
				})
				.finally(() => {
					underWay -= 1;
					if (underWay) showStatus(this, 'blue', say('node_red_running'));
				});
		});
	};
}

