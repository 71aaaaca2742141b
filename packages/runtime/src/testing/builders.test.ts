import {
  type CustomKind,
  customKinds,
  deepCopy,
  kindOf,
  type KubernetesObject,
  openApiSchema,
  validateObject,
  withDefaults,
} from "@capstan/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as builders from "./builders.ts";

type Build = (...overrides: readonly object[]) => KubernetesObject;

const BUILT_IN = ["ConfigMap", "Event", "Lease", "Namespace", "Node", "Pod", "Secret"];
const all = Object.entries(builders) as unknown as [string, Build][];
const custom = all.flatMap(([name, build]): [string, CustomKind, Build][] => {
  const { apiVersion, kind } = build();
  const known = kindOf(apiVersion, kind);
  return known ? [[name, known, build]] : [];
});

test("there is one for every custom and built-in kind, named after it", () => {
  const kinds = [...customKinds.map(({ kind }) => kind), ...BUILT_IN].sort();
  expect(all.map(([, build]) => build().kind).sort()).toEqual(kinds);
  for (const [name, build] of all) expect(name.toLowerCase()).toBe(build().kind.toLowerCase());
});

test.each(custom)("%s builds an object that its kind accepts", (_, kind, build) => {
  const object = withDefaults(kind, build());
  expect(validateObject(kind, { object }).errors).toEqual([]);
  expect(validateObject(kind, { object, old: object }).errors).toEqual([]);
  expect(withDefaults(kind, object)).toEqual(object);
});

describe.each(all)("%s", (_, build) => {
  test("shares nothing with earlier objects", () => {
    const seen = new Set(partsOf(build()));
    expect(partsOf(build()).filter((part) => seen.has(part))).toEqual([]);
  });

  test("takes overrides, the last one wins, and undefined removes a field", () => {
    const labels = { a: "1", b: "1" };
    const { metadata } = build(
      { metadata: { name: "x", labels } },
      { metadata: { labels: { a: "2", b: undefined } } },
    );
    expect(metadata).toMatchObject({ name: "x" });
    expect(metadata.labels).toEqual({ a: "2" });
    expect(labels).toEqual({ a: "1", b: "1" });
  });
});

test("overrides are typed, reach deep, and replace lists", () => {
  const pool = builders.machinePool({
    spec: { replicas: 3, template: { spec: { version: "v1.32.0" } }, failureDomains: ["1"] },
  });
  expect(pool.spec).toMatchObject({
    clusterName: "cluster",
    replicas: 3,
    failureDomains: ["1"],
    template: { spec: { version: "v1.32.0", bootstrap: { configRef: { kind: "KubeadmConfig" } } } },
  });
  const containers = [{ name: "other" }];
  expect(builders.pod({ spec: { containers } }).spec?.containers).toEqual(containers);
  // @ts-expect-error A pool has no such field.
  builders.machinePool({ spec: { replica: 3 } });
});

describe("the validation of our kinds handles objects that violate the schema", () => {
  test.each(custom)("%s with any part replaced by any value", (_, kind, build) => {
    const valid = filled(kind, withDefaults(kind, build()));
    const paths = pathsOf(valid);
    fc.assert(
      fc.property(fc.constantFrom(...paths), anything, fc.boolean(), (path, value, isOld) => {
        const odd = replaced(valid, path, value);
        const [object, old] = isOld ? [valid, odd] : [odd, valid];
        const draft = withDefaults(kind, object, old);
        for (const request of [{ object }, { object, old }, { object: draft, old }]) {
          const { errors, warnings } = validateObject(kind, request);
          for (const { field, message } of errors) expect([field, message]).not.toContain("");
          expect(warnings.every((warning) => typeof warning === "string")).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** Values that validation does not expect, and strings that break parsers. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(null, "", " ", 0, -1, 1.5, 1e21, true, [], {}, [null], { a: null }, [[]]),
  fc.constantFrom(
    "__proto__",
    "25%",
    "-",
    "v",
    "/",
    "azure://",
    "10.0.0.0/33",
    "1h",
    "{{ .random }}",
    "\0",
    "\n",
  ),
);

/** The object with a value for each field of its schema, so that every rule applies. */
function filled(kind: CustomKind, object: KubernetesObject): KubernetesObject {
  const example = exampleOf(openApiSchema(kind)) as { spec: object };
  const { spec } = object as KubernetesObject & { spec: object };
  return Object.assign({}, object, { spec: { ...example.spec, ...spec } });
}

function exampleOf(schema: Readonly<Record<string, unknown>>): unknown {
  const { type, properties, items, additionalProperties } = schema as {
    type?: string;
    properties?: Record<string, Record<string, unknown>>;
    items?: Record<string, unknown>;
    additionalProperties?: Record<string, unknown>;
  };
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  if (type === "array") return [exampleOf(items ?? {})];
  if (type === "object") {
    const fields = Object.entries(properties ?? {}).map(([name, child]) => [name, exampleOf(child)]);
    return Object.fromEntries(additionalProperties ? [["key", exampleOf(additionalProperties)]] : fields);
  }
  if (type === "integer" || type === "number") return 1;
  return type === "boolean" ? true : "text";
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const children = Array.isArray(value) ? value.entries() : Object.entries(value);
  return [path, ...[...children].flatMap(([key, child]) => pathsOf(child, [...path, key]))];
}

function replaced(object: KubernetesObject, path: Path, value: unknown): KubernetesObject {
  const copy: { root: unknown } = { root: deepCopy(object) };
  let parent = copy as unknown as Record<string | number, unknown>;
  let key: string | number = "root";
  for (const step of path) {
    parent = parent[key] as Record<string | number, unknown>;
    key = step;
  }
  parent[key] = value;
  return copy.root as KubernetesObject;
}

function partsOf(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(partsOf)];
}
