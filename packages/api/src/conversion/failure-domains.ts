import { isJsonObject } from "../values/json-object.ts";
import { fieldPath, type Fields, putField, takeField } from "./field-path.ts";
import type { FieldRule } from "./rules.ts";

/**
 * Failure domains: a map by name in the older version, a list in the order of the names in the newer one, which always
 * says whether a domain takes control plane machines.
 */
export function failureDomains(field: string): FieldRule {
  const path = fieldPath(field);
  return {
    older: [field],
    newer: [field],
    up: ({ object }) => {
      const domains = takeField(object, path);
      if (!isJsonObject(domains)) return;
      const names = Object.keys(domains).sort();
      const list = names.map((name) => ({ name, controlPlane: false, ...(domains[name] as Fields) }));
      putField(object, path, list);
    },
    down: ({ object }) => {
      const domains = takeField(object, path);
      if (!Array.isArray(domains)) return;
      const entries = domains
        .filter(isJsonObject)
        .map(({ name, ...domain }): [string, Fields] => [String(name), domain]);
      putField(object, path, Object.fromEntries(entries));
    },
  };
}
