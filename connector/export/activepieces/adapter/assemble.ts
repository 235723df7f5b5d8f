/** Puts the piece together: `piece.json` says what there is, and here is what does it. */

import type { Package } from '../../node/adapter/access.ts';
import { validator } from './access.ts';
import { functionsOf } from './action.ts';
import { eventFunctionsOf } from './event.ts';
import { propertiesOf } from './form.ts';
import type { Framework, PieceSpec } from './framework.ts';
import { pollFunctionsOf } from './poll.ts';

export function assemble(framework: Framework, spec: PieceSpec, kit: Package): unknown {
	const { auth: connection, actions, triggers, ...about } = spec;
	const auth = framework.PieceAuth.CustomAuth({
		...connection,
		required: true,
		props: propertiesOf(framework, kit, undefined, connection.props),
		validate: validator(kit),
	});
	return framework.createPiece({
		...about,
		auth,
		actions: actions.map(({ once: _, ...action }) =>
			framework.createAction({
				...action,
				auth,
				props: propertiesOf(framework, kit, auth, action.props),
				...functionsOf(kit, action),
			}),
		),
		triggers: triggers.map(({ source, cron, ...trigger }) =>
			framework.createTrigger({
				...trigger,
				auth,
				type: source === 'poll' ? framework.TriggerStrategy.POLLING : framework.TriggerStrategy.WEBHOOK,
				props: propertiesOf(framework, kit, auth, trigger.props),
				...(source === 'poll'
					? pollFunctionsOf(kit, { source, cron, ...trigger })
					: eventFunctionsOf(kit, { source, ...trigger })),
			}),
		),
	});
}
