// Whether an event's data passes the filters that were filled in.
const passes = (event, data, inputs) => {
  const same = (one, other) => one !== undefined && one !== null && String(one) === String(other);
  if (inputs.event && event !== inputs.event) return false;
  const plain = ['connection_id', 'provider_code', 'payment_id', 'status', 'error_class', 'refresh_type'];
  if (plain.some((name) => inputs[name] !== undefined && !same(data[name], inputs[name]))) return false;
  if (inputs.account_id !== undefined) {
    const ids = [...(data.accounts ?? []).map((account) => account?.id), data.account_id];
    if (!ids.some((id) => same(id, inputs.account_id))) return false;
  }
  const debtor = data.payment_attributes?.debtor_iban?.replace(/\s/g, '').toUpperCase();
  if (inputs.debtor_iban !== undefined && debtor !== inputs.debtor_iban) return false;
  const own = Object.entries(data.custom_fields ?? {}).filter(
    ([name]) => inputs.custom_field === undefined || name === inputs.custom_field,
  );
  if (inputs.custom_value !== undefined) return own.some(([, value]) => same(value, inputs.custom_value));
  return inputs.custom_field === undefined || own.length > 0;
};
