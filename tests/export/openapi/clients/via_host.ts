/** A flow by openapi-fetch, with the types that openapi-typescript makes of a host's description. */

import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

const [url, token, key, account_id, days] = process.argv.slice(2) as [string, string, string, string, string];
const client = createClient<paths>({
	baseUrl: url,
	headers: { authorization: `Bearer ${token}`, 'x-api-key': key },
});

const accounts = await client.POST('/v1/lookups/bank_accounts', { body: {} });
const inputs = {
	account_id: accounts.data!.options[0]!.value,
	creditor_name: 'Reifen Voss KG',
	creditor_iban: 'DE02120300000000202051',
	amount: 297.5,
};
const ids = new Set<string | undefined>();
for (const key of ['17-3', '17-3']) {
	const paid = await client.POST('/v1/actions/initiate_payment/run', { body: { inputs, key } });
	if (paid.data && 'output' in paid.data) ids.add(paid.data.output.id);
}
const listed = await client.POST('/v1/actions/list_payments/run', { body: {} });
const polled = await client.POST('/v1/triggers/new_payment/poll', { body: {} });
const refused = await client.POST('/v1/actions/initiate_payment/run', { body: { inputs: { ...inputs, amount: -1 } } });
const rowsOf = async (more: { from_date?: string; sort?: 'id' }) => {
	const inputs = { account_id, ...more };
	return (await client.POST('/v1/actions/list_transactions/run', { body: { inputs } })).data!.output.items;
};
for (const from_date of days.split(',')) await rowsOf({ from_date });
const newest = (await rowsOf({ sort: 'id' })).at(-1)!;
console.log(
	JSON.stringify({
		newest: [newest.id, newest.amount, newest.made_on],
		ids: [...ids],
		listed: listed.data!.output.items.map(({ id }) => id),
		cursor: polled.data!.cursor,
		field: refused.error!.field,
		remedy: refused.error!.remedy.en,
	}),
);
