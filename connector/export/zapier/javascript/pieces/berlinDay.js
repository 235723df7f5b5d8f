const berlinDay = (when) => new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Berlin' }).format(when);
