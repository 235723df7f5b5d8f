// Zapier's own schema: prints what it does not like about an app.
const schema = require('zapier-platform-schema');
const app = require(process.argv[2]);
const { errors } = schema.validateAppDefinition({ ...app, platformVersion: '19.1.0' });
process.stdout.write(JSON.stringify(errors.map((error) => error.stack)));
