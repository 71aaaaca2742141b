import type { PrintedSchema } from "@capstan/api";

const STEP = /^(?:\.([A-Za-z_][A-Za-z0-9_-]*)|\['((?:[^'\\]|\\.)*)'\])/;

/** Whether a `fieldPath` of a rule leads to a field below the schema of the rule. List items cannot be named. */
export function isFieldPath(schema: PrintedSchema, fieldPath: string): boolean {
  let rest = fieldPath;
  let current: PrintedSchema | undefined = schema;
  while (rest !== "" && current) {
    const [match = "", property, key] = STEP.exec(rest) ?? [];
    const name = property ?? key;
    if (name === undefined) return false;
    current = schemaAt(current["properties"], name) ?? schemaIn(current["additionalProperties"]);
    rest = rest.slice(match.length);
  }
  return current !== undefined && fieldPath !== "";
}

function schemaAt(properties: unknown, name: string): PrintedSchema | undefined {
  const schemas = schemaIn(properties);
  return schemas && Object.hasOwn(schemas, name) ? schemaIn(schemas[name]) : undefined;
}

function schemaIn(value: unknown): PrintedSchema | undefined {
  return typeof value === "object" && value !== null ? (value as PrintedSchema) : undefined;
}
