const start = inputs.geschaeftsjahrStartDatum;
if (!start.endsWith('-01')) say('fiscal_year_start', { given: start, month_start: `${start.slice(0, 8)}01` });
