/** A flow by openapi-fetch, with the types that openapi-typescript makes of the service's description. */

import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

type Payment = components['schemas']['Payment'];

const [url, key, account_id, days] = process.argv.slice(2) as [string, string, string, string];
const client = createClient<paths>({ baseUrl: url, headers: { 'x-api-key': key } });

const accounts = await client.GET('/v2/banking/accounts');
const body = {
	account_id: accounts.data!.data[0]!.id!,
	creditor_name: 'Reifen Voss KG',
	creditor_iban: 'DE02120300000000202051',
	amount: 297.5,
};
const paid = await client.POST('/v2/banking/payments', { body });
const payment: Payment = 'data' in paid.data! ? (paid.data.data as Payment) : (paid.data as Payment);
const refused = await client.POST('/v2/banking/payments', { body: { ...body, amount: -1 } });
if (!refused.error) throw new Error('the service took it');
const address = await client.GET('/v2/banking/webhook-url');
const rowsOf = async (query: { from_date?: string; sort?: 'id' }) =>
	(await client.GET('/v2/banking/transactions', { params: { query: { account_id, ...query } } })).data!.data;
for (const from_date of days.split(',')) await rowsOf({ from_date });
const newest = (await rowsOf({ sort: 'id' })).at(-1)!;
console.log(
	JSON.stringify({
		newest: [newest.id, newest.amount, newest.made_on],
		ids: [payment.id],
		amount: payment.amount,
		status: address.response.status,
	}),
);
