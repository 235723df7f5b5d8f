/** What the editor asks the runtime: the options of a field, whether a credential is good, and to poll at once. */

import type { Access, Credential, Package } from '../../node/adapter/access.ts';
import { testAccess } from '../../node/adapter/access.ts';
import { inWordsOfForm, remedyTold, sentenceTold } from '../../node/core/messages.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import { isObject, textOf } from '../../node/core/values/value_kinds.ts';
import { accountOf, enteredAccess, sayerOf } from './account.ts';
import type { Handler, Red, Request, Response } from './red.ts';
import { pressed } from './trigger.ts';

const READ = 'kontor.read';
const WRITE = 'kontor.write';
const WRONG = 400;
const UNKNOWN = 404;

export function addAdminRoutes(red: Red, kit: Package): void {
	const say = sayerOf(kit);

	/** What is entered and not deployed yet stands for itself: a stored key is sent nowhere but to its stored address. */
	function access({ body = {} }: Request): Access {
		if (isObject(body.entered)) return enteredAccess(kit, body.entered as Partial<Credential>);
		return accountOf(red, say, body.account).access();
	}

	async function options(request: Request): Promise<Row> {
		const { lookup, inputs } = request.body ?? {};
		const { backend } = access(request);
		const offered = backend.options(textOf(lookup), isObject(inputs) ? inputs : {});
		return { options: await offered.catch((error: unknown) => Promise.reject(inWordsOfForm(say, error))) };
	}

	const test = async (request: Request): Promise<Row> => {
		const count = await testAccess(kit, access(request));
		return { message: say('node_red_tested', { count }) };
	};

	/** Whoever may only read gives no address to call. */
	const permitted: Handler = (request, response, next) => {
		const permission = isObject(request.body?.entered) ? WRITE : READ;
		red.auth.needsPermission(permission)(request, response, next);
	};

	red.httpAdmin.post('/kontor/options', permitted, answering(options));
	red.httpAdmin.post('/kontor/test', permitted, answering(test));
	red.httpAdmin.post('/kontor/poll/:id', red.auth.needsPermission(WRITE), (request, response) => {
		const press = pressed(red, request.params.id ?? '');
		if (!press) response.status(UNKNOWN).json({ message: say('node_red_not_deployed'), remedy: '' });
		else answering(async () => press().then(() => ({})))(request, response);
	});
}

function answering(act: (request: Request) => Promise<Row>): Handler {
	return (request, response: Response) => {
		act(request)
			.then((answer) => response.json(answer))
			.catch((error: unknown) => {
				response.status(WRONG).json({ message: sentenceTold(error), remedy: remedyTold(error) });
			});
	};
}
