const amounts = lines(inputs.belegzeilen).map((line) => exact(line.betrag ?? 0));
const total = exact(inputs.betrag);
if (!amounts.length) say('no_lines', {});
if (total === 0n) say('amount_zero', {});
amounts.forEach((amount, place) => amount === 0n && say('line_zero', { line: place + 1 }));
const sum = amounts.reduce((one, other) => one + other, 0n);
const difference = sum - total;
if (difference !== 0n) {
  const turned = amounts.findIndex((amount) => amount * 2n === difference);
  const found = { count: amounts.length, sum: shown(sum), betrag: shown(total), currency: inputs.waehrung };
  found.difference = shown(difference < 0n ? -difference : difference);
  if (turned >= 0) say('sum_differs_by_sign', { ...found, line: turned + 1 });
  say('sum_differs', found);
}
const kinds = {
  PDF: [/^255044462d/, ['.pdf']],
  PNG: [/^89504e470d0a1a0a/, ['.png']],
  JPEG: [/^ffd8ff/, ['.jpg', '.jpeg']],
  TIFF: [/^(49492a00|4d4d002a)/, ['.tif', '.tiff']],
  GIF: [/^47494638(37|39)61/, ['.gif']],
};
lines(inputs.belegbilder).forEach((image, place) => {
  const bytes = Buffer.from(image.content ?? '', 'base64');
  const named = { line: place + 1, file: image.dateiname };
  const limit = 10 * 1024 * 1024;
  const excess = bytes.length - limit;
  if (excess > 0) say('image_too_large', { ...named, size: bytes.length, limit, excess });
  const begins = bytes.subarray(0, 8).toString('hex');
  const kind = Object.entries(kinds).find(([, [beginning]]) => beginning.test(begins));
  if (!kind) say('image_kind_unknown', { ...named, kinds: Object.keys(kinds).join(', ') });
  const endings = kind[1][1];
  if (!endings.some((ending) => String(image.dateiname).toLowerCase().endsWith(ending)))
    say('image_name_misfits', { ...named, kind: kind[0], endings: endings.join(', ') });
});
