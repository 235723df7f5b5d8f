/** A pack written by hand: an invented shop service that no manifest of Kontor knows. */

export const BASE_URL = 'https://service.example';

const text = (name, label, more = {}) => ({ name, type: 'string', label, ...more });
const money = (name, label, more = {}) => ({ name, type: 'money', label, currency_field: 'currency', ...more });

const list = (path, more = {}) => ({ method: 'GET', path, ...more });

const order = {
	kind: 'action',
	id: 'place_order',
	area: 'shop',
	title: 'Place an order',
	writes: true,
	quelle: true,
	timeout: 10,
	output: { list: false, shape: { keep: ['remarks'] } },
	request: { method: 'POST', path: '/v2/shops/{shop}/orders' },
	inputs: [
		text('shop', 'Shop', { required: true, in: 'path' }),
		text('client', 'Client', { format: 'client', in: 'query', as: 'client_id', wire: 'shop.client' }),
		money('total', 'Total', { required: true, derived: true, in: 'body' }),
		text('currency', 'Currency', { format: 'currency', default: 'EUR', in: 'body' }),
		{ name: 'day', type: 'date', label: 'Day', in: 'body' },
		{ name: 'until', type: 'date', label: 'Until', in: 'body' },
		{ name: 'at', type: 'date-time', label: 'Moment', in: 'body' },
		text('number', 'Number', { in: 'body' }),
		{ name: 'length', type: 'integer', label: 'Length', min: 1, max: 9, in: 'body' },
		text('note', 'Note', { max_length: 20, in: 'body' }),
		text('reference', 'Reference', { in: 'body' }),
		{
			name: 'way',
			type: 'enum',
			label: 'Way',
			in: 'body',
			values: [
				{ value: 'post', label: 'By post' },
				{ value: 'bike', label: 'By bike' },
			],
		},
		{ name: 'extra', type: 'object', label: 'Extra', in: 'body' },
		{
			name: 'lines',
			type: 'list',
			label: 'Lines',
			required: true,
			list_required: true,
			in: 'body',
			fields: [
				money('amount', 'Amount', { required: true }),
				{ name: 'main', type: 'boolean', label: 'Main line' },
				text('iban', 'IBAN', { format: 'iban' }),
			],
		},
		{
			name: 'files',
			type: 'list',
			label: 'Files',
			in: 'body',
			fields: [
				{ name: 'content', type: 'file', label: 'File', required: true },
				text('name', 'Name', { required: true }),
			],
		},
	],
	rules: [
		{ any_of: ['day', 'at'] },
		{ requires: { field: 'reference', needs: { way: 'post' } } },
		{ order: ['day', 'until'] },
		{ first_of_month: 'day', words: { other_day: '{given} is not {meant}' }, warn: true },
		{ not_zero: 'lines[].amount' },
		{ sum: { of: 'lines[].amount', equals: 'total', derive: true, currency: 'currency' } },
		{ range: { field: 'total', above: 0, most: 999.99 } },
		{ equals: { field: 'currency', value: 'EUR' } },
		{ charset: { fields: ['note'], ranges: ['0020-007E'], signs: '€' } },
		{ pattern: { field: 'reference', not: '//' } },
		{ digits: { field: 'number', length: 'length', longer: 1 } },
		{ at_most_one: { each: 'lines', where: 'main' } },
		{ file: { each: 'files', content: 'content', name: 'name', kinds: ['pdf', 'heic'], most_mb: 1 } },
	],
};

const reads = (id, path, output, more = {}) => ({
	kind: 'action',
	id,
	area: 'shop',
	title: id,
	writes: false,
	inputs: [],
	timeout: 10,
	output,
	request: list(path),
	...more,
});

const trigger = (id, more) => ({
	kind: 'trigger',
	id,
	area: 'shop',
	title: id,
	source: 'poll',
	timeout: 10,
	output: { list: true },
	request: list('/v2/rows', { query: { sort: 'id' } }),
	inputs: [text('after', 'After', { internal: true, in: 'query', format: 'cursor' })],
	...more,
});

const dated = { came: 'created_at', made: 'made_on' };

export const PACK = {
	lang: 'en',
	quelle: 'smoke',
	marker: { place: 'query', name: 'dropdown', value: 'true' },
	messages: {
		in_line: 'Line {line}: {text}',
		missing: "'{field}' is required.",
		unknown_input: "'{field}' is not an input of this step.",
		not_a_number: 'It must be a number.',
		too_small: 'It must be at least {least}.',
		too_many_decimals: '{amount} has more decimals than {currency} has ({decimals}).',
		iban_checksum: 'The check digits of the IBAN are wrong.',
		not_a_choice: 'It must be one of: {choices}.',
		cursor_invalid: 'The cursor does not fit: {why}.',
		'any_of.missing': 'One of these is needed: {labels}.',
		'requires.other': '{label} only if {other} is {value}, not {given}.',
		'order.reversed': '{first_label} {first} lies {days} days after {second_label} {second}.',
		'not_zero.zero': '{label} is 0.',
		'sum.differs': '{count} lines make {sum}, {label} is {total} {currency}: {difference} apart.',
		'sum.sign': '{difference} apart: is the sign of line {line} wrong?',
		'range.too_small': '{label} {value} is {difference} below {limit}.',
		'range.too_large': '{label} {value} is {difference} above {limit}.',
		'equals.other': '{label} is {given}, not {value}.',
		'charset.invisible': '{label} has {code} at {position}.',
		'charset.outside': '{label} has {sign} at {position}.',
		'pattern.misfit': '{label} does not fit.',
		'digits.first': '{label} {number} begins with 0.',
		'digits.short': '{label} {number}: {digits} digits, {difference} too few for {length} to {longest}.',
		'digits.long': '{label} {number}: {digits} digits, {difference} too many for {length} to {longest}.',
		'at_most_one.several': '{label} is set in lines {first} and {line}.',
		'file.too_large': '{file} is {excess} bytes too large.',
		'file.unknown_kind': '{file} is none of {kinds}.',
		'file.misnamed': '{file} is {kind} and should end in {endings}.',
		reply_unexpected: 'An unexpected form: {why}.',
		refused: 'Refused ({status}): {said}',
		refused_remedy: 'Correct it.',
		input_remedy: 'Correct this field.',
		wire_hint: "Set '{key}' to '{name}', not '{assumed}'.",
		rate_limited: '{limit} in {minutes} minutes, until {until}.',
	},
	formats: {
		text: { message: 'not_text' },
		client: { pattern: '[0-9]{1,12}-[0-9]{1,12}', message: 'not_a_client' },
		cursor: { pattern: '[0-9]{1,100}', message: 'not_a_cursor' },
		currency: { tidy: ['upper'], check: 'currency', message: 'not_a_currency' },
		iban: { tidy: ['compact', 'upper'], check: 'iban', message: 'not_an_iban' },
		url: { check: 'public_https_url', message: 'not_a_url' },
		vat: {
			tidy: ['plain', 'upper'],
			pattern: '[A-Z]{2}[A-Z0-9+*]{2,12}',
			check: 'vat_id',
			message: 'not_a_vat_id',
		},
	},
	tables: {
		currencies: [
			{ code: 'EUR', name: 'Euro', unit: '0.01', decimals: 2 },
			{ code: 'JPY', name: 'Yen', unit: '1', decimals: 0 },
			{ code: 'XAU', name: 'Gold', unit: null, decimals: null },
		],
		iban: { DE: { length: 22, pattern: '[0-9]{18}' } },
		countries: ['DE', 'AT'],
	},
	proofs: {
		error: 'error',
		code: 'code',
		made: ['data'],
		patterns: { api_key: 'API key' },
		rows: [
			{ status: [429], limiter: true, told: 'not_sent', proof: 'described' },
			{ status: 'any 4xx', code: 'ledger_', told: 'refused', proof: 'described' },
			{ status: [401], told: 'refused', proof: 'described' },
			{ status: [400, 402, 403], told: 'refused', proof: 'assumed' },
		],
	},
	provider: {
		in: 'ledgerAntwort',
		status: 'status',
		messages: ['meldungen'],
		type: ['typ'],
		text: ['nachricht'],
		about: ['dateiname'],
		failed: ['error'],
		usual: ['success', 'info'],
	},
	file_kinds: {
		pdf: { label: 'PDF', begins: [[{ at: 0, hex: '255044462d' }]], endings: ['.pdf'] },
		heic: {
			label: 'HEIC',
			begins: [
				[
					{ at: 4, hex: '66747970' },
					{ at: 8, hex: '68656963' },
				],
			],
			endings: ['.heic'],
		},
	},
	states: { payment: { order: ['new', 'asked', 'sent', ['paid', 'failed']], final: ['paid', 'failed'] } },
	events: {
		payment_update: { about: 'payment', id: 'payment_id' },
		payment_progress: { about: 'payment', id: 'payment_id', states: ['asked'] },
		bank_news: { about: 'bank_connection', id: 'connection_id', shown: ['name'], words: { kind: ['manual'] } },
		bank_gone: { about: 'bank_connection', id: 'connection_id', gone: true },
	},
	roles: {
		payment: 'get_one',
		bank_connection: 'get_bank',
		payment_list: 'list_payments',
		webhook_url_get: 'read_url',
		webhook_url_set: 'write_url',
	},
	actions: {
		place_order: order,
		list_things: reads('list_things', '/v2/things', { list: true }, { quelle: true }),
		list_names: reads('list_names', '/v2/names', { list: true, shape: { wrap: 'name' } }),
		list_areas: reads('list_areas', '/v2/areas', {
			list: true,
			shape: { entries: { as: 'area', named: ['title'], having: 'status' } },
		}),
		get_one: reads('get_one', '/v2/payments/{id}', { list: false }, { inputs: [text('id', 'Id', { in: 'path' })] }),
		list_payments: reads('list_payments', '/v2/payments', { list: true }, { inputs: [text('sort', 'Sort', { in: 'query' })] }),
		get_bank: reads('get_bank', '/v2/banks/{id}', { list: false }, { inputs: [text('id', 'Id', { in: 'path' })] }),
		read_url: reads('read_url', '/v2/hook', {
			list: false,
			shape: { first_of: ['hook_url', 'url'], as: 'hook_url' },
		}),
		write_url: {
			...reads('write_url', '/v2/hook', {
				list: false,
				shape: { first_of: ['hook_url'], as: 'hook_url', else_answer: true },
			}),
			writes: true,
			request: { method: 'PUT', path: '/v2/hook' },
			inputs: [text('hook_url', 'URL', { required: true, format: 'url', in: 'body' })],
		},
		call_anything: {
			...reads('call_anything', '', { list: false }),
			code: true,
			writes: true,
			request: undefined,
			messages: { body_with_get: 'GET carries no body.', query_value: '{key} is no value.' },
			inputs: [
				{ name: 'method', type: 'enum', label: 'Method', values: [{ value: 'GET' }, { value: 'POST' }] },
				text('path', 'Path', { required: true }),
				{ name: 'query', type: 'object', label: 'Query' },
				{ name: 'body', type: 'object', label: 'Body' },
			],
		},
	},
	lookups: {
		things: {
			kind: 'lookup',
			id: 'things',
			marked: true,
			inputs: [],
			request: list('/v2/things'),
			options: {
				value: 'id|code',
				label: '{name|id}[ (… {extra.iban:last(4)})]',
				hint: ['{balance:money(currency)}', '{created_at:day}'],
				sort: [{ first: { status: 'connected' } }, 'label'],
			},
		},
		banks: {
			kind: 'lookup',
			id: 'banks',
			inputs: [],
			request: list('/v2/things'),
			options: { value: 'bank', label: 'bank_name', hint: 'bank', distinct: true, sort: ['label', 'value'] },
		},
		kinds: {
			kind: 'lookup',
			id: 'kinds',
			inputs: [],
			request: list('/v2/names'),
			options: { value: 'code|name', label: 'name', wrap: 'name' },
		},
		currencies: {
			kind: 'lookup',
			id: 'currencies',
			inputs: [],
			options: { table: 'currencies', value: 'code', label: '{code} – {name}', hint: 'unit' },
		},
		years: {
			kind: 'lookup',
			id: 'years',
			inputs: [],
			options: { years: { from: 1, to: -1 }, value: 'start', label: '{year} ({start} – {end})' },
		},
	},
	triggers: {
		new_row: trigger('new_row', {
			inputs: [
				...trigger('').inputs,
				text('since', 'Since', { internal: true, in: 'query' }),
				{ name: 'early', type: 'boolean', label: 'Early', default: false },
			],
			poll: {
				by_id: {
					after: 'after',
					wait: { when: { status: 'pending' }, unless: 'early', days: 30, ...dated },
					skip: { when: { double: true } },
					late: { as: '_late', days: 2, ...dated },
					look_back: { days: 90, since: 'since' },
				},
			},
		}),
		row_progress: trigger('row_progress', {
			inputs: [...trigger('').inputs, text('only', 'Only')],
			poll: {
				progress: { after: 'after', field: 'status', states: 'payment', previous: '_before', only: 'only' },
			},
		}),
		row_changed: trigger('row_changed', {
			inputs: [
				...trigger('').inputs,
				text('since', 'Since', { internal: true, in: 'query' }),
				{ name: 'days', type: 'integer', label: 'Days', default: 14 },
			],
			poll: {
				watch: {
					after: 'after',
					since: 'since',
					days: 'days',
					...dated,
					longer: { when: { status: 'pending' }, days: 30 },
					fields: {
						status: { short: { posted: '', pending: 'p' }, tell: { posted: 'posted' } },
						double: { mark: '*' },
					},
					change: '_change',
				},
			},
		}),
		new_thing: trigger('new_thing', { poll: { seen: { order: 'created_at' } } }),
		bank_trouble: trigger('bank_trouble', {
			output: { list: false },
			request: list('/v2/banks/1'),
			inputs: [text('bank', 'Bank')],
			poll: {
				alarm: {
					when: [{ status: ['inactive', 'disabled'] }, { error: '*' }],
					clear: { status: 'active' },
					key: '{status}:{error}',
					id: '{id|$bank}:{@episode}:{@key}',
				},
			},
		}),
		consent_ends: trigger('consent_ends', {
			output: { list: false },
			request: list('/v2/banks/1'),
			inputs: [{ name: 'days', type: 'integer', label: 'Days', default: 7 }],
			poll: { alarm: { within: { date: 'ends_at', input: 'days', as: '_left' }, id: '{id}:{@key}' } },
		}),
		low: trigger('low', {
			request: undefined,
			inputs: [{ name: 'bound', type: 'number', label: 'Bound' }],
			poll: {
				alarm: {
					below: { of: ['free', 'all'], input: 'bound', as: '_bound' },
					key: 'low',
					id: 'low:{@episode}',
				},
			},
		}),
		items: trigger('items', { output: { list: false }, poll: { code: true }, code: true }),
		paid: trigger('paid', {
			source: 'event',
			poll: undefined,
			request: undefined,
			inputs: ['payment', 'iban', 'field', 'value', 'account'].map((name) => text(name, name)),
			event: {
				names: ['payment_update'],
				when: { status: 'paid' },
				confirm: 'payment',
				filters: {
					payment: ['payment_id', 'id'],
					iban: { at: 'payment_attributes.debtor_iban', compact: true },
					field: { names_of: 'custom_fields' },
					value: { values_of: 'custom_fields', named: 'field' },
					account: ['accounts[].id', 'account_id'],
				},
			},
		}),
		anything: trigger('anything', {
			source: 'event',
			poll: undefined,
			request: undefined,
			inputs: [text('event', 'Event')],
			event: { names: [], filters: { event: '@event' } },
		}),
	},
};
