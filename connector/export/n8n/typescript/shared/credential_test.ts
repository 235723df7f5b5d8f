/** Whether a credential is good, and what to do if it is not: n8n itself would show the code of a lost connection. */

import type {
	ICredentialsDecrypted, ICredentialTestFunctions, IDataObject, INodeCredentialTestResult,
} from 'n8n-workflow';

import { inARow, Problem, remedyTold, sentenceTold } from '../core/messages';
import type { Answer, Lost, Outgoing } from '../core/platform';
import { freeCall, headersOf } from './backend';
import type { Credential, N8nAnswer } from './platform';
import { answerIn, lossIn } from './platform';
import { say } from './problem';

export async function kontorTest(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted<IDataObject>,
): Promise<INodeCredentialTestResult> {
	const credential = (data ?? {}) as Credential;
	try {
		await freeCall(credential, (request) => send(this, request, headersOf(credential)));
		return { status: 'OK', message: say('n8n_test_good') };
	} catch (error) {
		return { status: 'Error', message: told(error) };
	}
}

/** Here a wrong address is the likeliest cause of what elsewhere is a wrong ID or a service that is down. */
function told(error: unknown): string {
	const kind = error instanceof Problem ? error.kind : '';
	if (kind === 'not_found' || kind === 'bad_reply') return say('n8n_test_elsewhere');
	return inARow(sentenceTold(error), kind === 'service_down' ? say('n8n_test_unreached') : remedyTold(error));
}

/** A test has no stored credential yet, so that it sends the headers itself. */
async function send(
	{ helpers }: ICredentialTestFunctions,
	{ method, url, headers, body, timeout }: Outgoing,
	credential: Record<string, string>,
): Promise<Answer | Lost> {
	try {
		const answer = (await helpers.request({
			method,
			uri: url,
			headers: { ...headers, ...credential },
			...(body === undefined ? {} : { body }),
			timeout,
			encoding: null,
			followRedirect: false,
			resolveWithFullResponse: true,
			simple: false,
		})) as N8nAnswer;
		return answerIn(answer);
	} catch (error) {
		return lossIn(error);
	}
}
