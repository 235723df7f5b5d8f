/** Puts the app together: `kontor-app.json` says what each function does, and here is what does it. */

import type { Option } from '../../node/core/answers/options.ts';
import { inARow, Problem } from '../../node/core/messages.ts';
import { plain } from '../../node/core/values/json.ts';
import type { Row } from '../../node/core/values/value_kinds.ts';
import type { Bundle, Step, Steps, Z } from './zapier.ts';

const KINDS = ['triggers', 'searches', 'creates'] as const;
const UNKNOWN_PAUSE = 60;
/** Steps that give what a trigger tells of. */
const TELLS = ['poll', 'receive', 'sample'];

interface App extends Row {
	authentication: Row & { test: Step };
	triggers: Record<string, { operation: Row }>;
	searches: Record<string, { operation: Row }>;
	creates: Record<string, { operation: Row }>;
}

type Perform = (z: Z, bundle: Bundle) => Promise<unknown>;

export function assemble(app: App, steps: Steps, platformVersion: string): Row {
	const operations = KINDS.map((kind): [string, Row] => {
		const ofKind = Object.entries(app[kind]).map(([key, { operation, ...one }]) => {
			return [key, { ...one, operation: working(operation) }];
		});
		return [kind, Object.fromEntries(ofKind)];
	});

	function working(operation: Row): Row {
		const parts = Object.entries(operation).map(([name, part]) => {
			return [name, name.startsWith('perform') ? perform(part as Step, operation) : part];
		});
		return Object.fromEntries(parts);
	}

	function perform(step: Step, { sample }: Row): Perform {
		return async (z, bundle) => {
			try {
				const found = await steps[step.does]!(z, bundle, step);
				const taken = plain(asZapierTakesIt(step, found));
				// A Zap is built on an example, also before anything has happened.
				return step.does === 'sample' && !(taken as Row[]).length ? [sample] : taken;
			} catch (error) {
				if (!(error instanceof Problem)) throw error;
				if (step.finds && error.kind === 'not_found') return [];
				throw asZapierTellsIt(z, error);
			}
		};
	}

	const { test, ...authentication } = app.authentication;
	return {
		...app,
		platformVersion,
		authentication: { ...authentication, test: perform(test, {}) },
		...Object.fromEntries(operations),
	};
}

/** Searches give lists, dropdowns an id and a name, triggers an id by which Zapier knows what has fired. */
function asZapierTakesIt({ does, finds }: Step, found: unknown): unknown {
	if (finds) return finds === 'many' ? (found as { items: Row[] }).items : [found];
	if (does === 'options') return (found as Option[]).map(asChoice);
	if (TELLS.includes(does)) return (found as Row[]).map((item) => ({ id: item._id, ...item }));
	return found;
}

function asChoice({ value, label, hint }: Option): Row {
	return { id: value, name: hint ? `${label} – ${hint}` : label, hint };
}

/** A refused key asks for a new sign-in, a rate limit holds the Zap back, and all else says what to do. */
function asZapierTellsIt(z: Z, { message, label, remedy, reconnectUrl, kind, status, retryAt }: Problem): Error {
	// The form does not show which field is meant.
	const named = label && !message.includes(label) ? `${label}: ${message}` : message;
	const words = inARow(named, remedy, reconnectUrl);
	if (kind === 'key_refused') return new z.errors.ExpiredAuthError(words);
	if (kind !== 'rate_limited') return new z.errors.Error(words, kind, status);
	const pause = Math.ceil((Date.parse(retryAt ?? '') - Date.now()) / 1000);
	return new z.errors.ThrottledError(words, Number.isNaN(pause) ? UNKNOWN_PAUSE : Math.max(1, pause));
}
