import { describe, expect, test } from "vitest";
import { type Definition, keptOwners, planMigration, trustPatch } from "./plan.ts";

interface Facts {
  readonly stored?: string[];
  /** The versions; `*` marks the storage version, `-` one that is not served. */
  readonly versions: readonly string[];
  readonly service?: string;
  readonly caBundle?: string;
}

function definition({ stored, versions, service, caBundle }: Facts): Definition {
  return {
    metadata: { name: "boats.test.dev", uid: "1" },
    spec: {
      group: "test.dev",
      names: { kind: "Boat", listKind: "BoatList", plural: "boats", singular: "boat" },
      scope: "Namespaced",
      versions: versions.map((version) => ({
        name: version.replace(/[*-]$/, ""),
        served: !version.endsWith("-"),
        storage: version.endsWith("*"),
        schema: { openAPIV3Schema: {} },
      })),
      ...(service !== undefined && {
        conversion: {
          strategy: "Webhook" as const,
          webhook: {
            conversionReviewVersions: ["v1"],
            clientConfig: {
              service: { name: service, namespace: "capstan-system" },
              ...(caBundle !== undefined && { caBundle }),
            },
          },
        },
      }),
    },
    ...(stored && { status: { storedVersions: stored } }),
  };
}

describe("the plan of a migration", () => {
  test.each<[string, Facts, boolean, readonly string[]]>([
    ["nothing for one version", { stored: ["v1"], versions: ["v1*"] }, false, []],
    [
      "nothing once only the storage version is stored",
      { stored: ["v2"], versions: ["v1", "v2*"] },
      false,
      [],
    ],
    [
      "a rewrite, then the record, after a change of the storage version",
      { stored: ["v1", "v2"], versions: ["v1", "v2*"] },
      false,
      ["rewrite to v2 for v1, v2", "prune to v2"],
    ],
    [
      "the same when the storage version is not recorded yet",
      { stored: ["v1"], versions: ["v1", "v2*"] },
      false,
      ["rewrite to v2 for v1, v2", "prune to v2"],
    ],
    [
      "the same on the way back",
      { stored: ["v1", "v2"], versions: ["v1*", "v2"] },
      false,
      ["rewrite to v1 for v1, v2", "prune to v1"],
    ],
    [
      "owners of a version that is not served are removed on the way",
      { stored: ["v1", "v2"], versions: ["v1-", "v2*"] },
      false,
      ["rewrite to v2 for v2", "prune to v2"],
    ],
    [
      "a look at all owners after a version is not served any more",
      { stored: ["v2"], versions: ["v1-", "v2*"] },
      false,
      ["rewrite to v2 for v2"],
    ],
    ["no second look", { stored: ["v2"], versions: ["v1-", "v2*"] }, true, []],
    ["nothing without a status: the server has not seen the CRD", { versions: ["v1", "v2*"] }, false, []],
    ["nothing without a storage version", { stored: ["v1"], versions: ["v1"] }, false, []],
  ])("is %s", (_, facts, isChecked, expected) => {
    const steps = planMigration(definition(facts), { isChecked }).map((step) =>
      step.action === "rewrite"
        ? `rewrite to ${step.version} for ${step.servedVersions.join(", ")}`
        : `prune to ${step.storedVersions.join(", ")}`,
    );
    expect(steps).toEqual(expected);
  });

  test("says why", () => {
    expect(planMigration(definition({ stored: ["v1", "v2"], versions: ["v1", "v2*"] }))[0]?.why).toBe(
      "objects may be stored in v1 instead of v2",
    );
  });
});

describe("the trust of a CRD", () => {
  const ours = { name: "capstan-webhooks", namespace: "capstan-system" };
  const versions = ["v1", "v2*"];

  test.each<[string, Facts, number]>([
    ["is written where it is missing", { versions, service: ours.name }, 3],
    ["is written over another one", { versions, service: ours.name, caBundle: "b3RoZXI=" }, 3],
    ["is not written again", { versions, service: ours.name, caBundle: "Y2E=" }, 0],
    ["is not written where another server converts", { versions, service: "capi-webhook-service" }, 0],
    ["is not written where nothing is converted", { versions }, 0],
  ])("%s", (_, facts, operations) => {
    expect(trustPatch(definition(facts), ours, "ca")).toHaveLength(operations);
  });
});

describe("the owners of an object", () => {
  const entry = (apiVersion: string): object => ({ manager: apiVersion, apiVersion });
  const served = { group: "test.dev", version: "v2", servedVersions: ["v1", "v2"] };

  test("stay if all of their versions are served", () => {
    expect(keptOwners([entry("test.dev/v1"), entry("v1")], served)).toBeUndefined();
    expect(keptOwners(undefined, served)).toBeUndefined();
  });

  test("lose those of other versions", () => {
    expect(keptOwners([entry("test.dev/v1alpha3"), entry("test.dev/v1")], served)).toEqual([
      entry("test.dev/v1"),
    ]);
  });

  test("are never an empty list, which the server would ignore", () => {
    expect(keptOwners([entry("test.dev/v1alpha3")], served)).toMatchObject([
      { manager: "capstan-migration", apiVersion: "test.dev/v2" },
    ]);
  });
});
