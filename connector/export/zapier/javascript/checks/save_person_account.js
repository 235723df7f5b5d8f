const { personenkontoNummer: number_, kontonummernLaenge: length, geschaeftsjahrStartDatum: start } = inputs;
if (number_.startsWith('0')) say('number_first_digit', { number: number_ });
const longer = length + 1;
const counted = { number: number_, digits: number_.length, length, longer };
if (number_.length < length) say('number_too_short', { ...counted, difference: length - number_.length });
if (number_.length > longer) say('number_too_long', { ...counted, difference: number_.length - longer });
if (!start.endsWith('-01')) say('fiscal_year_start', { given: start, month_start: `${start.slice(0, 8)}01` });
const main = lines(inputs.bankkonten).flatMap((account, place) => (account.istHauptkonto ? [place + 1] : []));
if (main.length > 1) say('two_main_accounts', { first: main[0], line: main[1] });
