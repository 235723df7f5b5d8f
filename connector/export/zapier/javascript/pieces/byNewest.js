const byNewest = (items) => [...items].sort((one, other) => (String(one.created_at) < String(other.created_at) ? 1 : -1));
