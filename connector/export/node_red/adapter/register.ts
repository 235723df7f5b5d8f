/** Makes the nodes known to Node-RED. */

import type { Package } from '../../node/adapter/access.ts';
import type { Code } from '../../node/core/manifest/code.ts';
import type { Pack } from '../../node/core/manifest/pack.ts';
import { accountConstructor } from './account.ts';
import { actionConstructor } from './action.ts';
import { addRoute } from './events.ts';
import type { Red } from './red.ts';
import { addAdminRoutes } from './routes.ts';
import { triggerConstructor } from './trigger.ts';

export interface Kit {
	/** By the language of their messages. */
	packs: { en: Pack; de: Pack };
	/** Where Node-RED's own settings name no language. */
	lang: 'en' | 'de';
	code: Code;
	via: Package['via'];
}

export function register(red: Red, { packs, lang, code, via }: Kit): void {
	const named = red.settings.lang;
	const spoken = named ? (/^de\b/i.test(named) ? 'de' : 'en') : lang;
	const kit: Package = { pack: packs[spoken], code, via };
	red.nodes.registerType('kontor-account', accountConstructor(red, kit), {
		credentials: { apiKey: { type: 'password' }, ...(via === 'host' ? { hostToken: { type: 'password' } } : {}) },
	});
	red.nodes.registerType('kontor-action', actionConstructor(red, kit));
	red.nodes.registerType('kontor-trigger', triggerConstructor(red, kit));
	addAdminRoutes(red, kit);
	addRoute(red);
}
