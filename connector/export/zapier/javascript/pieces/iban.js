// An IBAN whose check digits are right.
const iban = (z, value, message) => {
  const plain = compact(value);
  if (!plain) return undefined;
  const turned = (plain.slice(4) + plain.slice(0, 4)).replace(/[A-Z]/g, (letter) => letter.charCodeAt(0) - 55);
  const right = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(plain) && BigInt(turned) % 97n === 1n;
  return right ? plain : refuse(z, message);
};
