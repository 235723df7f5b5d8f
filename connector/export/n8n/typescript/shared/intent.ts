/** What n8n means by running a step for an item: which run of which step it is, and whether a person wants it again. */

import type { IExecuteFunctions } from 'n8n-workflow';

import type { Intent } from '../core/writes/intent';

const TOOL = /Tool$/;

interface Held {
	/** The execution that this one is, or is a retry of. */
	kontorExecution?: string;
	/** It is a retry of one whose data are lost, so that its keys are new ones for what may have been done. */
	kontorIsLost?: boolean;
}

/**
 * The key is stable over Retry On Fail, and over a retry of the execution, which gets the data of the first one. Where
 * it is not, or where a person or an agent may simply have asked twice, equal writes are held back too.
 */
export function intentOf(context: IExecuteFunctions, item: number): Intent {
	const again = context.getNodeParameter('again', item, false) === true;
	if (isTool(context)) return { again, agent: true };
	const held = context.getContext('node') as Held;
	held.kontorIsLost ??= context.getMode() === 'retry' && held.kontorExecution === undefined;
	held.kontorExecution ??= context.getExecutionId();
	const run = context.evaluateExpression('{{ $runIndex }}', item);
	const place = [context.getWorkflow().id, held.kontorExecution, context.getNode().id, run, item];
	return { key: ['n8n', ...place].join(':'), again, guarded: held.kontorIsLost || context.getMode() === 'manual' };
}

/** An agent calls it: n8n says so of one way to call tools, and by the other runs the node under its tool's name. */
function isTool(context: IExecuteFunctions): boolean {
	return context.isToolExecution?.() === true || TOOL.test(context.getNode().type);
}
