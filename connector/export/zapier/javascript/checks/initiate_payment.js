const largest = 999999999.99;
if (inputs.amount <= 0) say('amount_not_positive', { amount: inputs.amount });
if (inputs.amount > largest) {
  const difference = shown(exact(inputs.amount) - exact(largest));
  say('amount_too_large', { amount: inputs.amount, limit: largest, difference });
}
if (inputs.currency_code !== 'EUR')
  say('currency_not_sepa', { currency: inputs.currency_code, template: inputs.template_identifier });
['creditor_name', 'description', 'reference'].forEach((name) => {
  [...(inputs[name] ?? '')].forEach((sign, place) => {
    const position = place + 1;
    if (/[\p{C}\p{Zl}\p{Zp}]/u.test(sign)) say('sign_not_printable', { input: name, position });
    const plain = sign.normalize('NFKD');
    const latin = /^[\x20-\x7e\p{M}]+$/u.test(plain) || /[ßẞÆæŒœØøŁłĐđÞþıÐð€£§°‐‑–—‘’‚“”„«»]/u.test(sign);
    if (!latin) say('sign_not_latin', { input: name, sign, position });
  });
});
const reference = inputs.end_to_end_id ?? '';
const strange = /[^A-Za-z0-9/\-?:().,'+ ]/u.exec(reference);
if (strange) say('reference_sign', { sign: strange[0], position: strange.index + 1 });
if (/^\/|\/$|\/\//.test(reference)) say('reference_slash', {});
