if (!inputs.connection_id && !inputs.account_id) say('source_missing', {});
