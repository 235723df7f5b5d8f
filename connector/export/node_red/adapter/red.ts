/** As much of Node-RED's own objects as the adapter uses. */

import type { IncomingMessage, Server } from 'node:http';

import type { Row } from '../../node/core/values/value_kinds.ts';

export interface Message extends Row {
	_msgid?: string;
	payload?: unknown;
}

export type Done = (error?: Error) => void;
export type Send = (messages: Message | Array<Message | null>) => void;

export interface Status {
	fill?: 'red' | 'green' | 'yellow' | 'blue' | 'grey';
	shape?: 'ring' | 'dot';
	text?: string;
}

/** Where Node-RED keeps what a node remembers: in memory, or in the store that its settings name. */
export interface Context {
	get(key: string, store: string | undefined, done: (error: unknown, value?: unknown) => void): void;
	set(key: string, value: unknown, store: string | undefined, done: (error: unknown) => void): void;
}

export interface RedNode {
	id: string;
	name?: string;
	type: string;
	credentials?: Record<string, string | undefined>;
	on(event: 'input', act: (message: Message, send: Send, done: Done) => void): void;
	on(event: 'close', act: (isRemoved: boolean, done: () => void) => void): void;
	send: Send;
	error(error: Error, message?: Message): void;
	warn(text: string): void;
	status(status: Status): void;
	context(): Context;
}

/** What every node's configuration has. */
export interface NodeConfig extends Row {
	id: string;
	type: string;
}

export interface Request extends IncomingMessage {
	params: Record<string, string>;
	/** Of an admin's request, parsed. */
	body?: Row;
}

export interface Response {
	status(code: number): Response;
	json(body: unknown): void;
	end(): void;
}

export type Handler = (request: Request, response: Response, next?: () => void) => void;

interface Routes {
	post(path: string, ...handlers: Handler[]): void;
}

type Constructor<C extends NodeConfig> = (this: RedNode, config: C) => void;

export interface Red {
	nodes: {
		createNode(node: RedNode, config: NodeConfig): void;
		registerType<C extends NodeConfig>(type: string, constructor: Constructor<C>, options?: Row): void;
		getNode(id: string): RedNode | null;
	};
	/** Routes of the editor, and of flows. */
	httpAdmin: Routes;
	httpNode: Routes;
	/** Behind which all of them stand. */
	server?: Server;
	auth: { needsPermission(permission: string): Handler };
	util: {
		evaluateNodeProperty(
			value: unknown,
			type: string,
			node: RedNode,
			message: Message,
			done: (error: unknown, value?: unknown) => void,
		): void;
	};
	settings: {
		lang?: string;
		httpNodeRoot?: string | false;
		contextStorage?: Record<string, unknown>;
	};
}
