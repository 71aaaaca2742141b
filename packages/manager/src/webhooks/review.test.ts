import {
  AzureCluster,
  AzureMachine,
  AzureMachinePool,
  Cluster,
  type Kind,
  type KubernetesObject,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";
import { azureCluster, azureMachine, azureMachinePool, cluster } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { ReviewError, type ReviewRequest } from "./admission-review.ts";
import { patched, patchOf } from "./patched.fixture.ts";
import { review, reviewedKinds } from "./review.ts";

const UID = "705ab4f5-6393-11e8-b7cc-42010a800002";

function question({ group, version, kind }: Kind, rest: Partial<ReviewRequest> | object): object {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: { uid: UID, kind: { group, version, kind }, operation: "CREATE", ...rest },
  };
}

const nameless = (object: KubernetesObject, metadata: object): object => ({
  ...object,
  metadata: { namespace: "default", ...metadata },
});

test("all kinds are reviewed except those of Azure Service Operator", () => {
  expect(reviewedKinds).toHaveLength(21);
  expect(new Set(reviewedKinds.map(({ group }) => group.split(".").slice(-2).join(".")))).toEqual(
    new Set(["x-k8s.io"]),
  );
});

describe("a mutation", () => {
  test("adds the defaults and touches nothing else", () => {
    const object = azureCluster();
    const answer = review("mutate", question(AzureCluster, { object }));
    expect(answer).toMatchObject({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: UID, allowed: true, patchType: "JSONPatch" },
    });
    expect(patchOf(answer).map(({ op }) => op)).not.toContain("remove");
    expect(patched(object, patchOf(answer))).toMatchObject({
      ...object,
      spec: { ...object.spec, resourceGroup: "cluster", networkSpec: { vnet: { name: "cluster-vnet" } } },
    });
  });

  test("of an object that has its defaults is empty", () => {
    const object = azureCluster();
    const whole = patched(object, patchOf(review("mutate", question(AzureCluster, { object }))));
    expect(review("mutate", question(AzureCluster, { object: whole })).response).toEqual({
      uid: UID,
      allowed: true,
    });
  });

  test("gives an object its generated name, because its defaults depend on it", () => {
    const object = nameless(azureCluster(), { generateName: "prod-" });
    const answer = review("mutate", question(AzureCluster, { object }));
    const { metadata, spec } = patched(object, patchOf(answer)) as AzureCluster;
    expect(metadata.name).toMatch(/^prod-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(spec.resourceGroup).toBe(metadata.name);
    const again = question(AzureCluster, { object, uid: "another" });
    expect((patched(object, patchOf(review("mutate", again))) as AzureCluster).metadata.name).not.toBe(
      metadata.name,
    );
  });

  test("leaves an object without any name to kube-apiserver, which refuses it", () => {
    const object = nameless(azureCluster(), {});
    expect(patchOf(review("mutate", question(AzureCluster, { object })))).toEqual([]);
  });
});

describe("a validation", () => {
  test("allows a valid object", () => {
    expect(review("validate", question(Cluster, { object: cluster() })).response).toEqual({
      uid: UID,
      allowed: true,
    });
  });

  test("denies with field, value and expectation, as a Status", () => {
    const object = azureMachinePool({ spec: { template: { osDisk: { diskSizeGB: -1 } } } });
    const { response } = review("validate", question(AzureMachinePool, { object }));
    expect(response).toMatchObject({
      uid: UID,
      allowed: false,
      status: {
        status: "Failure",
        code: 422,
        reason: "Invalid",
        details: {
          name: "pool",
          group: "infrastructure.cluster.x-k8s.io",
          kind: "AzureMachinePool",
        },
      },
    });
    const causes = response?.status?.details?.causes ?? [];
    expect(causes.map(({ field }) => field)).toContain("spec.template.osDisk.diskSizeGB");
    expect(response?.status?.message).toMatch(
      /^AzureMachinePool\.infrastructure\.cluster\.x-k8s\.io "pool" is invalid: /,
    );
  });

  test("compares an update with the stored object, and a creation with nothing", () => {
    const oldObject = azureCluster({ spec: { location: "westeurope" } });
    const object = azureCluster({ spec: { location: "northeurope" } });
    const update = question(AzureCluster, { object, oldObject, operation: "UPDATE" });
    expect(review("validate", update).response?.status?.message).toContain("spec.location");
    const creation = question(AzureCluster, { object, oldObject: null });
    expect(review("validate", creation).response?.status?.message ?? "").not.toContain("spec.location");
  });
});

describe("both", () => {
  const bad = azureCluster({ spec: { location: undefined } });

  test.each([
    ["deletions", { operation: "DELETE", object: null, oldObject: bad }],
    ["connections", { operation: "CONNECT", object: {} }],
    ["writes to a subresource", { operation: "UPDATE", subResource: "status", object: bad, oldObject: bad }],
  ])("allow %s", (_, rest) => {
    for (const verb of ["mutate", "validate"] as const)
      expect(review(verb, question(AzureCluster, rest)).response).toEqual({ uid: UID, allowed: true });
  });

  test("answer a dry run like any other write", () => {
    const object = azureCluster();
    for (const verb of ["mutate", "validate"] as const)
      expect(review(verb, question(AzureCluster, { object, dryRun: true }))).toEqual(
        review(verb, question(AzureCluster, { object })),
      );
  });

  test.each([
    ["", "v1", "Pod"],
    ["cluster.x-k8s.io", "v1beta1", "Cluster"],
    ["containerservice.azure.com", "v1api20231001", "ManagedCluster"],
  ])("refuse %s/%s %s, which is not reviewed", (group, version, kind) => {
    for (const verb of ["mutate", "validate"] as const)
      expect(review(verb, question({ ...Cluster, group, version, kind }, { object: {} })).response).toEqual({
        uid: UID,
        allowed: false,
        status: {
          status: "Failure",
          code: 400,
          reason: "BadRequest",
          message: `${kind} of ${group}/${version} is not a kind that this version of capstan reviews`,
        },
      });
  });

  test.each([undefined, null, "x", 1, [], {}, { metadata: "x" }])("refuse %j for an object", (object) => {
    for (const verb of ["mutate", "validate"] as const)
      expect(review(verb, question(Cluster, { object })).response).toMatchObject({
        allowed: false,
        status: { code: 400, message: "request.object: expected an object with metadata" },
      });
  });

  const whole = question(Cluster, {}) as { request: object };
  test.each<[unknown, string]>([
    [null, "not an AdmissionReview"],
    [[], "not an AdmissionReview"],
    [{}, "expected an AdmissionReview of admission.k8s.io/v1"],
    [{ ...whole, apiVersion: "admission.k8s.io/v1beta1" }, "admission.k8s.io/v1beta1"],
    [{ ...whole, kind: "Pod" }, '"Pod"'],
    [{ ...whole, request: null }, "request: expected an object"],
    [{ ...whole, request: { ...whole.request, uid: 1 } }, "request.uid: expected a string"],
    [
      { ...whole, request: { ...whole.request, operation: undefined } },
      "request.operation: expected a string",
    ],
    [{ ...whole, request: { ...whole.request, kind: "Cluster" } }, "request.kind: expected an object"],
    [{ ...whole, request: { ...whole.request, kind: {} } }, "request.kind.group: expected a string"],
  ])("cannot answer %j", (body, words) => {
    for (const verb of ["mutate", "validate"] as const) {
      expect(() => review(verb, body)).toThrow(ReviewError);
      expect(() => review(verb, body)).toThrow(words);
    }
  });
});

describe("an immutable field of an AzureMachine", () => {
  const managerUser = "system:serviceaccount:capstan-system:capstan";
  const annotations = { [UPDATE_IN_PROGRESS_ANNOTATION]: "" };
  const oldObject = azureMachine();
  const object = azureMachine({ metadata: { annotations }, spec: { enableIPForwarding: true } });
  const changed = { operation: "UPDATE", object, oldObject };

  test.each<[string, object, boolean]>([
    ["is changed by the manager during an update in place", { userInfo: { username: managerUser } }, true],
    ["is not changed by another user with the same annotation", { userInfo: { username: "eve" } }, false],
    ["is not changed by a request without a user", {}, false],
    ["is changed by a dry run, which stores nothing", { userInfo: { username: "eve" }, dryRun: true }, true],
    [
      "is changed by the field manager of an owner in Cluster API during an update in place",
      { userInfo: { username: "capi" }, options: { fieldManager: "capi-kubeadmcontrolplane" } },
      true,
    ],
    [
      "is changed by a dry run of an owner before the update begins",
      {
        userInfo: { username: "capi" },
        options: { fieldManager: "capi-machineset" },
        dryRun: true,
        object: azureMachine({ spec: { enableIPForwarding: true } }),
      },
      true,
    ],
    [
      "is not changed by an owner without an update",
      {
        options: { fieldManager: "capi-machineset" },
        object: azureMachine({ spec: { enableIPForwarding: true } }),
      },
      false,
    ],
    ["is not changed by another field manager", { options: { fieldManager: "kubectl" } }, false],
    [
      "is not changed by the manager without an update",
      { userInfo: { username: managerUser }, object: azureMachine({ spec: { enableIPForwarding: true } }) },
      false,
    ],
  ])("%s", (_, rest, allowed) => {
    const asked = question(AzureMachine, { ...changed, ...rest });
    expect(review("validate", asked, { managerUser }).response?.allowed).toBe(allowed);
  });

  test("is not changed while the user of the manager is not known", () => {
    const asked = question(AzureMachine, { ...changed, userInfo: { username: managerUser } });
    expect(review("validate", asked).response?.allowed).toBe(false);
  });
});
