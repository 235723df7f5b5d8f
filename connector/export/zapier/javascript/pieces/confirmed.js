// An event may be forged or late: only what the service itself says of the payment counts.
const confirmed = async (z, data) => {
  const found = await orNothing(async () => {
    const { data: answer } = await z.request({ url: `/v2/banking/payments/${encodeURIComponent(data.payment_id)}` });
    return [single(answer)];
  });
  return found.length === 1 && (found[0].status === data.status || data.status === 'initiated_info_required');
};
