// An event of the service, as the trigger gives it: with an id of its own, the same for the same event.
const hookEvent = (z, event, data, receivedAt) => {
  const id = data.payment_id && data.status ? `${data.payment_id}:${data.status}` : undefined;
  const stable = id ?? z.hash('sha256', JSON.stringify([event, data, receivedAt])).slice(0, 20);
  return { id: stable, ...data, _id: stable, _event: event };
};
