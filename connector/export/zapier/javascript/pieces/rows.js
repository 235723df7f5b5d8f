// The list in an answer; an answer without one is not taken for an empty list.
const rows = (z, answer, message) => {
  const list = Array.isArray(answer) ? answer : answer?.data ?? answer?.connections;
  if (!Array.isArray(list)) throw new z.errors.Error(message, 'bad_reply', 502);
  return list;
};
