// A file that Zapier hands over as an address, or its content as base64.
const file = async (z, value) => {
  const given = text(value);
  if (!given) return undefined;
  if (!/^https?:\/\//.test(given)) return Buffer.from(given.replace(/^data:[^,]*,/, ''), 'base64').toString('base64');
  const answer = await z.request({ url: given, raw: true });
  return Buffer.from(await answer.arrayBuffer()).toString('base64');
};
