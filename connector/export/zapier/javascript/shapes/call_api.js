const output = answer && typeof answer === 'object' && !Array.isArray(answer) ? answer : { data: answer };
