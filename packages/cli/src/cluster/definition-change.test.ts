import { type CustomResourceDefinition, MachineHealthCheck, toConvertedDefinition } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { needsConversion, nextDefinition, type StoredDefinition } from "./definition-change.ts";

const ours = toConvertedDefinition(MachineHealthCheck);

/** Our CRD with another version stored. */
function storingAnother(definition: CustomResourceDefinition): CustomResourceDefinition {
  const versions = definition.spec.versions.map((version) => ({ ...version, storage: !version.storage }));
  return { ...definition, spec: { ...definition.spec, versions } };
}

/** A CRD as clusterctl has installed it. */
const foreign: StoredDefinition = {
  ...ours,
  metadata: {
    ...ours.metadata,
    labels: { "cluster.x-k8s.io/provider": "cluster-api" },
    annotations: {
      "cert-manager.io/inject-ca-from": "capi-system/capi-serving-cert",
      "controller-gen.kubebuilder.io/version": "v0.18.0",
    },
  },
  spec: {
    ...ours.spec,
    conversion: {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: {
          service: { namespace: "capi-system", name: "capi-webhook-service", path: "/convert" },
          caBundle: "dGhlaXJz",
        },
      },
    },
  },
};

const bundleIn = ({ spec }: StoredDefinition): string | undefined =>
  spec.conversion?.webhook?.clientConfig.caBundle;

describe("a CRD that we take over", () => {
  test("is converted by our manager, and cert-manager writes nothing into it any more", () => {
    const next = nextDefinition(foreign, ours, "b3Vycw==");
    expect(next.spec.conversion?.webhook?.clientConfig).toEqual({
      service: { namespace: "capstan-system", name: "capstan-webhooks", path: "/convert", port: 443 },
      caBundle: "b3Vycw==",
    });
    expect(next.metadata.annotations).toEqual({ "controller-gen.kubebuilder.io/version": "v0.18.0" });
    expect(next.metadata.labels).toMatchObject({
      "cluster.x-k8s.io/provider": "cluster-api",
      "app.kubernetes.io/managed-by": "capstan",
    });
  });

  test("does not keep the authority of its former webhook", () => {
    expect(bundleIn(nextDefinition(foreign, ours))).toBeUndefined();
  });
});

test("a CRD of ours keeps the authority that the manager has written", () => {
  const stored = nextDefinition(ours, ours, "b3Vycw==");
  expect(nextDefinition(stored, ours)).toEqual(stored);
  expect(bundleIn(nextDefinition(stored, ours, "bmV3"))).toBe("bmV3");
});

describe("the manager is asked for a conversion", () => {
  test.each<[string, StoredDefinition | undefined, boolean]>([
    ["not before a new CRD", undefined, false],
    ["not before a CRD that has all versions", ours, false],
    ["before the storage version changes", storingAnother(ours), true],
    ["before it converts instead of another server", foreign, true],
    [
      "before a CRD gets its second version",
      { ...ours, spec: { ...ours.spec, versions: ours.spec.versions.slice(0, 1) } },
      true,
    ],
  ])("%s", (_, old, expected) => {
    expect(needsConversion(old, ours)).toBe(expected);
  });
});
