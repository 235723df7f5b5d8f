/** The configuration node: a credential, and where its nodes keep what must outlive Node-RED. */

import type { Access, Credential, Package } from '../../node/adapter/access.ts';
import { accessOf, checkCredential } from '../../node/adapter/access.ts';
import { writeMemory } from '../../node/adapter/write_memory.ts';
import type { Say } from '../../node/core/messages.ts';
import { problem, sayer } from '../../node/core/messages.ts';
import { keptWrites } from './kept.ts';
import type { NodeConfig, Red, RedNode } from './red.ts';

interface AccountConfig extends NodeConfig {
	baseUrl?: string;
	/** Where this Node-RED is reached from outside; only what is called back needs it. */
	publicUrl?: string;
	replaceForeign?: boolean;
	/** The context store, as the settings name it. */
	store?: string;
}

/** A deployed account, as other nodes use it. */
export interface Account {
	readonly node: RedNode;
	readonly publicUrl: string;
	readonly apiKey: string;
	readonly store: string | undefined;
	readonly replaceForeign: boolean;
	/** Raises what the credential lacks. */
	access(): Access;
}

interface AccountNode extends RedNode {
	kontor?: Account;
}

export function accountConstructor(red: Red, kit: Package) {
	return function (this: AccountNode, config: AccountConfig): void {
		red.nodes.createNode(this, config);
		const { apiKey = '', hostToken = '' } = this.credentials ?? {};
		const [store, publicUrl] = [config.store || undefined, (config.publicUrl ?? '').trim()];
		const state = writeMemory(`node-red/${config.id}`, keptWrites(this, store));
		let access: Access | undefined;
		this.kontor = {
			node: this,
			publicUrl,
			apiKey,
			store,
			replaceForeign: config.replaceForeign === true,
			access: () => (access ??= accessOf(kit, checkCredential(kit, { ...config, apiKey, hostToken }), state)),
		};
	};
}

/** Raises that none was chosen, or that the one that was is gone. */
export function accountOf(red: Red, say: Say, id: unknown): Account {
	const node = typeof id === 'string' && id ? (red.nodes.getNode(id) as AccountNode | null) : null;
	if (node?.kontor) return node.kontor;
	const remedy = say('node_red_no_account_remedy');
	throw problem(say, 'input', 'node_red_no_account', {}, { field: 'account', remedy, outcome: 'not_sent' });
}

/** For what the editor asks before an account is deployed: with what is entered there, and nothing that is stored. */
export function enteredAccess(kit: Package, entered: Partial<Credential>): Access {
	const { baseUrl, apiKey, hostToken } = entered;
	return accessOf(kit, checkCredential(kit, { baseUrl, apiKey, hostToken }));
}

export function sayerOf({ pack }: Package): Say {
	return sayer(pack.messages);
}
