/** The connection that a step was given, at work. */

import type { Access, Credential, Package } from '../../node/adapter/access.ts';
import { accessOf, checkCredential, testAccess } from '../../node/adapter/access.ts';
import { writeMemory } from '../../node/adapter/write_memory.ts';
import type { State } from '../../node/core/platform.ts';
import { isObject, textOf } from '../../node/core/values/value_kinds.ts';
import type { StepContext } from './framework.ts';
import { keptWrites } from './kept_writes.ts';
import { errorTold } from './told.ts';

/** The values of a connection stand in its `props`, and did not always; a secret may come as a text of its own. */
export function credentialOf(auth: unknown): Partial<Credential> {
	const { props, ...bare } = isObject(auth) ? auth : {};
	const values = isObject(props) ? props : bare;
	const text = (name: string): string => {
		const value = values[name];
		return textOf(isObject(value) ? value.secret_text : value).trim();
	};
	const agentsMayPay = text('agents_may_pay') === 'true';
	return { baseUrl: text('base_url'), apiKey: text('api_key'), hostToken: text('host_token'), agentsMayPay };
}

export function accessWith(kit: Package, auth: unknown, state?: State): Access {
	return accessOf(kit, checkCredential(kit, credentialOf(auth)), state);
}

/** For a step, which remembers its writes. */
export function accessOfStep(kit: Package, { auth, store, project }: StepContext): Access {
	return accessWith(kit, auth, writeMemory(`activepieces/${project.id}`, keptWrites(store)));
}

/** Whether a connection is good, told before it is saved. */
export function validator(kit: Package) {
	return async ({ auth }: { auth: unknown }): Promise<{ valid: true } | { valid: false; error: string }> => {
		try {
			await testAccess(kit, accessWith(kit, auth));
			return { valid: true };
		} catch (error) {
			return { valid: false, error: errorTold(error).message };
		}
	};
}
