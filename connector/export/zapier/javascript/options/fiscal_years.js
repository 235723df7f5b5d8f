const year = Number(berlinDay(new Date()).slice(0, 4));
const options = [1, 0, -1, -2, -3, -4]
  .map((step) => year + step)
  .map((one) => ({ value: `${one}-01-01`, label: `${one} (1 Jan ${one} – 31 Dec ${one})`, hint: '' }));
