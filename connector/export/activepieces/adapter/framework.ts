/** As much of Activepieces' own objects as the adapter uses, and the piece as `piece.json` describes it. */

import type { Row } from '../../node/core/values/value_kinds.ts';

export interface Framework {
	createPiece(piece: Row): unknown;
	createAction(action: Row): unknown;
	createTrigger(trigger: Row): unknown;
	PieceAuth: Record<'CustomAuth' | 'SecretText', (property: Row) => unknown>;
	Property: Record<string, (property: Row) => unknown>;
	TriggerStrategy: { POLLING: unknown; WEBHOOK: unknown };
}

/** Kept for a flow, or for all flows of a project. */
export interface Store {
	get(key: string, scope?: string): Promise<unknown>;
	put(key: string, value: unknown, scope?: string): Promise<unknown>;
	delete(key: string, scope?: string): Promise<void>;
}

export interface StepContext {
	auth: unknown;
	propsValue: Row;
	store: Store;
	project: { id: string };
	step: { name: string };
}

export interface ActionContext extends StepContext {
	run: { id: string };
}

export interface TriggerContext extends StepContext {
	webhookUrl: string;
	/** What came in, of a trigger that is called. */
	payload: { body?: unknown; rawBody?: unknown; headers?: Row };
	setSchedule(schedule: { cronExpression: string; timezone?: string }): void;
}

/** Where a dropdown takes the inputs of its lookup from: another field, or always the same. */
export type LookupInputs = Record<string, { from?: string; value?: unknown }>;

/** A field of a form: the kind of property, its words, and where its choices come from. */
export interface Spec extends Row {
	kind: string;
	lookup?: { id: string; inputs: LookupInputs };
	refreshers?: string[];
	properties?: Record<string, Spec>;
}

interface StepSpec extends Row {
	name: string;
	props: Record<string, Spec>;
}

export interface ActionSpec extends StepSpec {
	/** It has a key, and can be said to be meant again. */
	once?: boolean;
}

export interface TriggerSpec extends StepSpec {
	source: 'poll' | 'event';
	/** How often a poll is asked for. */
	cron?: string;
	sampleData: unknown;
}

export interface PieceSpec extends Row {
	auth: { displayName: string; description: string; props: Record<string, Spec> };
	actions: ActionSpec[];
	triggers: TriggerSpec[];
}
