const account = single(answer);
const output = answer?.data && 'ledgerAntwort' in answer ? { ...account, ledgerAntwort: answer.ledgerAntwort } : account;
