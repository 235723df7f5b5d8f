/** What a caller means by running an action; whatever an adapter knows of it travels in this, directly or to a host. */

import type { Manifest } from '../manifest/pack.ts';
import type { Say } from '../messages.ts';
import { Problem } from '../messages.ts';
import type { Platform } from '../platform.ts';
import type { Row } from '../values/value_kinds.ts';

/** `guarded` and `agent` only tighten. */
export interface Intent {
	/** Names it, and stays the same over the platform's own retries. */
	key?: string;
	/** A person has said that it is meant although an equal one was sent. */
	again?: boolean;
	/** The key may be a new one for what was done: an equal write that is young or under way holds it back. */
	guarded?: boolean;
	/** An agent runs it, whatever its token says. */
	agent?: boolean;
}

/** The words of an intent in the body of a run at a host, none of them dropped. */
export function wordsOf({ key, again, guarded, agent }: Intent): Row {
	const flags = { again, guarded, agent };
	const said = Object.entries(flags).filter(([, isSaid]) => isSaid);
	return { ...(key === undefined ? {} : { key }), ...Object.fromEntries(said) };
}

/** Without a host nobody asks the person behind an agent: it does not pay, unless the credential allows that. */
export function checkAgent(say: Say, { moves }: Manifest, { agent }: Intent, { agentsMayPay }: Platform): void {
	if (!agent || agentsMayPay || moves !== 'money') return;
	const [reason, remedy] = ['package_agent_pays', say('package_agent_pays_remedy')];
	throw new Problem(say(reason), { kind: 'right_missing', outcome: 'not_sent', reason, remedy });
}
