// The one object in an answer.
const single = (answer) => {
  const inner = answer?.data ?? answer;
  return inner && typeof inner === 'object' && !Array.isArray(inner) ? inner : { answer: inner };
};
