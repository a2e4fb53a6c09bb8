// Holds files against schemas: node validate.mjs SCHEMA FILE [SCHEMA FILE]..
// A schema is a name of schemastore: sarif-2.1.0, github-action.  Files may be YAML.
import { readFileSync } from "node:fs";
import path from "node:path";
import { need, tools } from "./tools.mjs";

const Ajv = need("ajv").default;
const formats = need("ajv-formats").default;
const yaml = need("js-yaml");
need("schemastore/package.json");

let failed = false;
for (let i = 2; i + 1 < process.argv.length; i += 2) {
  const [name, file] = process.argv.slice(i, i + 2);
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    validateSchema: false,
    unicodeRegExp: false,
  });
  formats(ajv);
  const schema = JSON.parse(
    readFileSync(path.join(tools, "schemastore/schemas/json", `${name}.json`), "utf8"),
  );
  delete schema.$schema; // drafts that say the same where we look
  const check = ajv.compile(schema);
  const text = readFileSync(file, "utf8");
  const value = /\.ya?ml$/.test(file) ? yaml.load(text) : JSON.parse(text);
  if (check(value)) continue;
  failed = true;
  for (const error of check.errors.slice(0, 20)) {
    console.log(
      `${file}: ${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
    );
  }
}
process.exit(failed ? 1 : 0);
