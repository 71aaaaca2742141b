/** Every CEL rule of our own definitions, with values that it accepts and refuses. */
import { customKinds, isJsonObject, type PrintedSchema, toCustomResourceDefinition } from "@capstan/api";
import type { Handler } from "@capstan/env";

/** A value of a field, and whether the rules of the field accept it; `before` is the value before an update. */
interface Verdict {
  readonly value: unknown;
  readonly before?: unknown;
  readonly isAccepted: boolean;
}

const accepted = (...values: readonly unknown[]): Verdict[] =>
  values.map((value) => ({ value, isAccepted: true }));
const refused = (...values: readonly unknown[]): Verdict[] =>
  values.map((value) => ({ value, isAccepted: false }));

/** By the beginning of the rule. */
const VERDICTS: readonly (readonly [rule: string, verdicts: readonly Verdict[]])[] = [
  [
    "!((self.maxSurge == 0 ||",
    [
      ...accepted({ maxSurge: 1, maxUnavailable: 0 }, { maxSurge: "0%", maxUnavailable: "1%" }),
      ...refused({ maxSurge: 0, maxUnavailable: 0 }, { maxSurge: "0%", maxUnavailable: 0 }),
    ],
  ],
  [
    "!(has(self.maxSurge) &&",
    [
      ...accepted(
        {},
        { maxSurge: 0 },
        { maxSurge: 0, maxUnavailable: 1 },
        { maxSurge: "0%", maxUnavailable: 0 },
      ),
      ...refused({ maxSurge: 0, maxUnavailable: 0 }),
    ],
  ],
  ["!(self in ['Ready'", [...accepted("Corroded"), ...refused("Ready", "OwnerRemediated")]],
  [
    "!has(self.fallbackRollingUpdate)",
    [
      ...accepted({ type: "InPlace", fallbackRollingUpdate: {} }, { type: "RollingUpdate" }),
      ...refused({ type: "RollingUpdate", fallbackRollingUpdate: {} }, { fallbackRollingUpdate: {} }),
    ],
  ],
  ["[has(self.id)", [...accepted({ id: "/x" }), ...refused({})]],
  ["has(self.url) !=", [...accepted({ url: "https://a.example" }), ...refused({})]],
  [
    "self == oldSelf",
    [
      { value: "a", before: "a", isAccepted: true },
      { value: "b", before: "a", isAccepted: false },
    ],
  ],
  ["self.all(zone,", [...accepted([], ["1", "3"]), ...refused(["4"], ["1", ""])]],
  [
    "self.matches('^(Linux|",
    [
      ...accepted("Linux", "0FC63DAF-8483-4772-8E79-3D69D8477DE4"),
      ...refused("linux", "0FC63DAF-8483-4772-8E79", "LinuxX"),
    ],
  ],
  [
    "self.all(x, self.exists_one(y, x == y))",
    [
      ...accepted([{ selector: { matchLabels: { a: "b" } } }, { selector: { matchLabels: { a: "c" } } }]),
      ...refused([{ selector: { matchLabels: { a: "b" } } }, { selector: { matchLabels: { a: "b" } } }]),
    ],
  ],
  [
    "self.all(x, self.exists_one(y, x.name",
    [
      ...accepted([
        { name: "v", value: "2" },
        { name: "w", value: "" },
      ]),
      ...refused([
        { name: "v", value: "2" },
        { name: "v", value: "3" },
      ]),
    ],
  ],
  [
    "[has(self.layout),has(self.diskLayout)]",
    [
      ...accepted(
        { device: "/dev/sdb", layout: true },
        { device: "/dev/sdb", diskLayout: [{ percentage: 40 }] },
      ),
      ...refused(
        { device: "/dev/sdb" },
        { device: "/dev/sdb", layout: true, diskLayout: [{ percentage: 40 }] },
      ),
    ],
  ],
];

/** A schema with rules, as it is printed into one of our definitions. */
interface Ruled {
  readonly rule: string;
  readonly schema: PrintedSchema;
}

/** The schemas of our kinds that have rules, each once. */
function ruledSchemas(): readonly Ruled[] {
  const found = new Map<string, PrintedSchema>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isJsonObject(value)) return;
    const rules = value["x-kubernetes-validations"];
    if (Array.isArray(rules)) for (const { rule } of rules as { rule: string }[]) found.set(rule, value);
    Object.values(value).forEach(visit);
  };
  for (const kind of customKinds) visit(toCustomResourceDefinition(kind));
  return [...found].map(([rule, schema]) => ({ rule, schema }));
}

/** A verdict that a server should give. */
export interface RuleCase extends Verdict {
  readonly title: string;
  readonly rule: string;
  readonly schema: PrintedSchema;
  readonly plural: string;
}

/** All cases; throws if a rule of ours has none. */
export function ruleCases(): readonly RuleCase[] {
  return ruledSchemas().flatMap(({ rule, schema }, index) => {
    const [, verdicts] = VERDICTS.find(([beginning]) => rule.startsWith(beginning)) ?? [];
    if (!verdicts) throw new Error(`no verdicts for the rule ${rule}`);
    return verdicts.map((verdict) => ({
      ...verdict,
      rule,
      schema,
      plural: `ruled${index}s`,
      title: `${rule.slice(0, 40)} ${verdict.isAccepted ? "accepts" : "refuses"} ${JSON.stringify(verdict.value)}`,
    }));
  });
}

const HEADERS = { "content-type": "application/json" };

/** Whether a server accepts the value of a case: as the spec of an object of a definition with the schema. */
export async function isAcceptedBy(send: Handler, one: RuleCase, name: string): Promise<boolean> {
  const path = `/apis/rules.test/v1/namespaces/default/${one.plural}`;
  const post = (value: unknown) =>
    send({ method: "POST", path, headers: HEADERS, body: objectOf(one, name, value) });
  if (one.before === undefined) return (await post(one.value)).status === 201;
  if ((await post(one.before)).status !== 201) throw new Error(`${one.title}: the former value is refused`);
  const headers = { "content-type": "application/merge-patch+json" };
  const body = JSON.stringify({ spec: { x: one.value } });
  return (await send({ method: "PATCH", path: `${path}/${name}`, headers, body })).status === 200;
}

function objectOf({ plural }: RuleCase, name: string, value: unknown): string {
  return JSON.stringify({
    apiVersion: "rules.test/v1",
    kind: kindOf(plural),
    metadata: { name, namespace: "default" },
    spec: { x: value },
  });
}

/** The definition for the cases of one rule. */
export function definitionFor({ plural, schema }: RuleCase): object {
  const properties = { spec: { type: "object", properties: { x: schema } } };
  const kind = kindOf(plural);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.rules.test` },
    spec: {
      group: "rules.test",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties } },
        },
      ],
    },
  };
}

function kindOf(plural: string): string {
  return `R${plural.slice(1, -1)}`;
}
