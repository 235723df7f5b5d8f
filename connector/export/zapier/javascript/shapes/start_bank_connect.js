const output = single(answer);
