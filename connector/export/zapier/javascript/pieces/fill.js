const fill = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (blank, name) => String(values[name] ?? blank));
