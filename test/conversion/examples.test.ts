/** Our examples and the flavours of CAPZ, converted by `capstan convert`. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { customKinds, DEFAULT_FEATURES, isJsonObject, type JsonObject } from "@capstan/api";
import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { createRealEnv } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { convertText } from "../../packages/cli/src/convert/convert-text.ts";

const ROOT = join(import.meta.dirname, "..", "..");
// The change of a rehearsal is a patch: it lacks fields that its kinds need.
const PATCHES: readonly string[] = ["examples/rehearse/upgrade.yaml"];
const FILES = globSync(["examples/**/*.{yaml,json}", "test/world/flavours/*.yaml"], { cwd: ROOT })
  .filter((file) => !PATCHES.includes(file))
  .sort();

const { handle } = createApiServer({
  env: createRealEnv(),
  kinds: [...builtInKinds, ...customKinds],
  features: { ...DEFAULT_FEATURES, InPlaceUpdates: true },
});

/** The objects of a text whose kinds have two versions. */
function objectsIn(text: string): readonly JsonObject[] {
  return parseAllDocuments(text, { merge: true })
    .map((document) => document.toJS() as unknown)
    .filter(isJsonObject)
    .filter((object) => kindFor(object) !== undefined);
}

function kindFor({ apiVersion, kind }: JsonObject) {
  const group = String(apiVersion).split("/")[0] ?? "";
  return customKinds.find((one) => one.group === group && one.kind === kind && one.converted.length > 0);
}

/** What the embedded server says about an object, without storing it. */
async function verdictOn(object: JsonObject): Promise<unknown> {
  const kind = kindFor(object);
  const { namespace = "default" } = object["metadata"] as { readonly namespace?: string };
  const place = kind?.namespaced === true ? `/namespaces/${namespace}` : "";
  const path = `/apis/${String(object["apiVersion"])}${place}/${kind?.plural}?dryRun=All&fieldValidation=Strict`;
  const headers = { "content-type": "application/json" };
  const response = await handle({ method: "POST", path, headers, body: JSON.stringify(object) });
  const body = (await response.json()) as { readonly message?: string };
  return response.status === 201 ? "created" : body.message;
}

// What v1beta1 can write in several ways has one of them after the way back.
const SAME: Readonly<Record<string, (value: unknown) => unknown>> = {
  nodeDrainTimeout: canonicalDuration,
  nodeStartupTimeout: canonicalDuration,
  timeout: canonicalDuration,
  timeoutForControlPlane: canonicalDuration,
};

function canonicalDuration(value: unknown): unknown {
  return typeof value === "string" ? value.replace(/^(\d+)m$/, "$1m0s") : value;
}

/** An object with the namespace in its references, and without empty values, as after the way back. */
function canonical(value: unknown, namespace: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => canonical(one, namespace));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value)
    .map(([name, field]) => [name, canonical(SAME[name]?.(field) ?? field, namespace)] as const)
    .filter(([, field]) => !(typeof field === "object" && field !== null && Object.keys(field).length === 0));
  const isReference = ["apiVersion", "kind", "name"].every((name) => Object.hasOwn(value, name));
  return { ...Object.fromEntries(fields), ...(isReference && namespace !== undefined && { namespace }) };
}

describe("the files below examples/ and the flavours of CAPZ", () => {
  const sources = FILES.map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));

  test("are there", () => {
    expect(sources.flatMap(({ text }) => objectsIn(text)).length).toBeGreaterThan(40);
  });

  test.each(sources)("$file: lose nothing, and are valid in v1beta2", async ({ file, text }) => {
    const up = convertText({ origin: file, text }, "v1beta2");
    expect(up.warnings).toEqual([]);
    const before = objectsIn(text);
    const objects = objectsIn(up.text);
    expect(objects).toHaveLength(before.length);
    for (const object of objects) {
      expect(String(object["apiVersion"])).toMatch(/\/v1beta2$/);
      expect(await verdictOn(object), JSON.stringify(object)).toBe("created");
    }
    expect(convertText({ origin: file, text: up.text }, "v1beta2").text).toBe(up.text);
  });

  test.each(sources)("$file: are the same objects after the way back", ({ file, text }) => {
    const older = convertText({ origin: file, text }, "v1beta1").text;
    const up = convertText({ origin: file, text: older }, "v1beta2");
    const down = convertText({ origin: file, text: up.text }, "v1beta1");
    // A stand-in for control planes has no CRD.
    expect(down.warnings.filter((one) => !one.includes("SimulatedControlPlane"))).toEqual([]);
    const values = (one: string) =>
      objectsIn(one).map((object) =>
        canonical(object, (object["metadata"] as { readonly namespace?: string }).namespace),
      );
    expect(values(down.text)).toEqual(values(older));
    expect(convertText({ origin: file, text: down.text }, "v1beta2").text).toBe(up.text);
  });
});
