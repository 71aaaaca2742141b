/**
 * An embedded server has our defaults and validation built in, a real one calls the webhooks. The resulting objects must
 * be the same, and so must the refusals. The test plays kube-apiserver: it requests defaults, applies the patch, and
 * requests the validation.
 */
import { type CustomKind, deepCopy, type KubernetesObject, Namespace } from "@capstan/api";
import { createApiServer } from "@capstan/apiserver";
import { createRealEnv, type HttpResponse } from "@capstan/env";
import * as builders from "@capstan/runtime/testing/builders";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { ReviewRequest } from "./admission-review.ts";
import { patched, patchOf } from "./patched.fixture.ts";
import { review, reviewedKinds } from "./review.ts";

/** The result of a write for its caller. */
interface Told {
  readonly spec?: unknown;
  readonly labels?: unknown;
  readonly warnings?: readonly string[];
  readonly refusal?: unknown;
}

// Without its schema, a kind is validated by its own rules alone: an object that a schema refuses never reaches them.
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const open = (kind: CustomKind): CustomKind => ({
  ...kind,
  specSchema: anything,
  statusSchema: anything,
  rules: [],
  scale: undefined,
});

const server = createApiServer({ env: createRealEnv(), kinds: [Namespace, ...reviewedKinds.map(open)] });
afterAll(() => server.close());

const examples: ReadonlyMap<string, (override?: object) => KubernetesObject> = new Map(
  Object.values(builders)
    .filter((value) => typeof value === "function")
    .map((build) => [build().kind, build as (override?: object) => KubernetesObject]),
);

function exampleOf({ kind }: CustomKind): KubernetesObject {
  const build = examples.get(kind);
  if (!build) throw new Error(`no builder makes a ${kind}`);
  return build({ metadata: { namespace: "default" } });
}

function pathOf({ group, version, plural, namespaced }: CustomKind): string {
  return `/apis/${group}/${version}${namespaced ? "/namespaces/default" : ""}/${plural}`;
}

/** Writes to the embedded server as a dry run. */
async function embedded(kind: CustomKind, object: KubernetesObject): Promise<Told> {
  const answer = await server.handle({
    method: "POST",
    path: `${pathOf(kind)}?dryRun=All`,
    headers: { "content-type": "application/json" },
    body: deepCopy(object),
  });
  return toldBy(answer);
}

async function toldBy(answer: HttpResponse): Promise<Told> {
  const body = (await answer.json()) as KubernetesObject & Record<string, unknown>;
  if (answer.status < 300) {
    const warnings = [...(answer.headers["warning"] ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)];
    return {
      spec: body["spec"],
      labels: body.metadata.labels,
      warnings: warnings.map(([, text = ""]) => text.replaceAll(/\\(.)/g, "$1")),
    };
  }
  const { code, reason, message, details } = body;
  return { refusal: { status: "Failure", code, reason, message, details } };
}

/** Calls the webhooks as kube-apiserver does. */
function reviewed(kind: CustomKind, object: KubernetesObject, old?: KubernetesObject): Told {
  const { group, version } = kind;
  const request: ReviewRequest = {
    uid: "u",
    kind: { group, version, kind: kind.kind },
    operation: old ? "UPDATE" : "CREATE",
    ...(old && { oldObject: old }),
  };
  const ask = (verb: "mutate" | "validate", asked: KubernetesObject) =>
    // Through JSON, as over the wire.
    review(
      verb,
      JSON.parse(
        JSON.stringify({
          apiVersion: "admission.k8s.io/v1",
          kind: "AdmissionReview",
          request: { ...request, object: asked },
        }),
      ),
    );
  const stored = patched(object, patchOf(ask("mutate", object)));
  const { response } = ask("validate", stored);
  if (!response?.allowed) return { refusal: response?.status };
  return {
    spec: (stored as unknown as Record<string, unknown>)["spec"],
    labels: stored.metadata.labels,
    warnings: response.warnings ?? [],
  };
}

/** A server checks labels, which some defaults derive from a spec, before it runs our rules. */
function isAboutMetadata({ refusal }: Told): boolean {
  const { details } = (refusal ?? {}) as { details?: { causes: readonly { field: string }[] } };
  return details?.causes.some(({ field }) => field.startsWith("metadata.")) ?? false;
}

/** All paths inside a value. */
function placesIn(value: unknown): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => [
    [key],
    ...placesIn(field).map((path) => [key, ...path]),
  ]);
}

/** The object with another value at a path of its spec. */
function replaced(object: KubernetesObject, path: readonly string[], value: unknown): KubernetesObject {
  const draft = deepCopy<KubernetesObject>(object);
  let place = draft as unknown as Record<string, unknown>;
  for (const key of ["spec", ...path.slice(0, -1)]) place = place[key] as Record<string, unknown>;
  place[path.at(-1) ?? ""] = value;
  return draft;
}

describe.each(reviewedKinds.map((kind) => [kind.kind, kind] as const))("%s", (_, kind) => {
  const example = exampleOf(kind);
  const { spec } = example as unknown as { spec: unknown };
  const { properties = {} } = kind.specSchema as { properties?: object };
  const places = [...placesIn(spec), ...Object.keys(properties).map((name) => [name])];

  test("becomes the same", async () => {
    const reported = await embedded(kind, example);
    expect(reported.refusal).toBeUndefined();
    expect(reviewed(kind, example)).toEqual(reported);
  });

  test("is refused in the same words for any invalid field", async () => {
    const value = fc.oneof(
      fc.constantFrom("", "-", "latest", -1, 0, 5000, true, null, [], {}, "1.2.3.4/40"),
      fc.jsonValue({ maxDepth: 2 }),
    );
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), value, async (path, wrong) => {
        const object = replaced(example, path, wrong);
        const reported = await embedded(kind, object);
        fc.pre(!isAboutMetadata(reported));
        refused += reported.refusal ? 1 : 0;
        expect(reviewed(kind, object)).toEqual(reported);
      }),
      { numRuns: 60 },
    );
    // A kind without rules of its own is validated by its schema alone.
    expect(refused > 0 || kind.validate({ object: { ...example, spec: "x" } as never }).length === 0).toBe(
      true,
    );
  });
});

test("a change of an immutable field is refused in the same words", async () => {
  let refused = 0;
  for (const kind of reviewedKinds) {
    const path = pathOf(kind);
    const headers = { "content-type": "application/json" };
    const created = await server.handle({ method: "POST", path, headers, body: exampleOf(kind) });
    const old = deepCopy<KubernetesObject>((await created.json()) as KubernetesObject);
    const { spec } = old as unknown as { spec: unknown };
    for (const place of placesIn(spec)) {
      const object = replaced(old, place, "another");
      const answer = await server.handle({
        method: "PUT",
        path: `${path}/${old.metadata.name}?dryRun=All`,
        headers,
        body: deepCopy(object),
      });
      const reported = await toldBy(answer);
      refused += reported.refusal ? 1 : 0;
      expect(reviewed(kind, object, old)).toEqual(reported);
    }
  }
  expect(refused).toBeGreaterThan(50);
});
