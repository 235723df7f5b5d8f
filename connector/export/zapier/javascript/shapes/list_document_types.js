const output = rows(z, answer, UNREADABLE).map((item) => (typeof item === 'string' ? { bezeichnung: item } : item));
