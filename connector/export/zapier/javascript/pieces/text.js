const text = (value) => (value === undefined || value === null ? undefined : String(value).trim() || undefined);
