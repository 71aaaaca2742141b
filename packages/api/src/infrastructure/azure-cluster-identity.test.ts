import { describe, expect, test } from "vitest";
import { formatFieldError } from "../values/field-error.ts";
import { AzureClusterIdentity } from "./azure-cluster-identity.ts";

type Spec = AzureClusterIdentity["spec"];

const identity = (spec: Partial<Spec>): AzureClusterIdentity => ({
  apiVersion: AzureClusterIdentity.apiVersion,
  kind: AzureClusterIdentity.kind,
  metadata: { name: "id", namespace: "default" },
  spec: { type: "WorkloadIdentity", tenantID: "t", clientID: "c", allowedNamespaces: {}, ...spec },
});
const errors = (object: AzureClusterIdentity, old?: AzureClusterIdentity): string[] =>
  AzureClusterIdentity.validate({ object, ...(old && { old }) }).map(formatFieldError);

describe("an identity", () => {
  test.each<Partial<Spec>>([
    {},
    { type: "ServicePrincipal", clientSecret: { name: "s", namespace: "default" } },
    { type: "ManualServicePrincipal", clientSecret: { name: "s" } },
    { type: "ServicePrincipalCertificate", certPath: "/var/run/secrets/capstan/identities/default/cert.pem" },
    { type: "ServicePrincipalCertificate", clientSecret: { name: "s" } },
    { type: "UserAssignedMSI", resourceID: "/x" },
    {
      type: "UserAssignedIdentityCredential",
      userAssignedIdentityCredentialsPath: "/creds",
      userAssignedIdentityCredentialsCloudType: "public",
    },
    { allowedNamespaces: { list: ["a"], selector: { matchLabels: { team: "x" } } } },
  ])("is accepted: %j", (spec) => {
    expect(errors(identity(spec))).toEqual([]);
  });

  test.each<[Partial<Spec>, string]>([
    [{ tenantID: "" }, "spec.tenantID: Required value: must not be empty"],
    [{ clientID: "" }, "spec.clientID: Required value: must not be empty"],
    [{ type: "ServicePrincipal" }, "spec.clientSecret.name: Required value: type ServicePrincipal needs it"],
    [
      { type: "ServicePrincipalCertificate" },
      "spec.certPath: Required value: type ServicePrincipalCertificate needs it, or spec.clientSecret",
    ],
    [
      { type: "UserAssignedIdentityCredential" },
      "spec.userAssignedIdentityCredentialsPath: Required value: type UserAssignedIdentityCredential needs it",
    ],
    [
      { type: "ServicePrincipal", clientSecret: { name: "crown", namespace: "victim" } },
      'spec.clientSecret.namespace: Invalid value: "victim": is victim; it must be default, where the identity is',
    ],
    ...[
      "/dev/zero",
      "/var/run/secrets/capstan/identities/victim/cert.pem",
      "/var/run/secrets/capstan/identities/default/../victim/cert.pem",
      "/var/run/secrets/capstan/identities/default/",
    ].map((certPath): [Partial<Spec>, string] => [
      { type: "ServicePrincipalCertificate", certPath },
      `spec.certPath: Invalid value: "${certPath}": must be a file under /var/run/secrets/capstan/identities/default/, where the manager keeps certificates of this namespace`,
    ]),
    [
      { resourceID: "/x" },
      "spec.resourceID: Forbidden: type must be UserAssignedMSI to use it, not WorkloadIdentity",
    ],
    [
      { userAssignedIdentityCredentialsPath: "/x" },
      "spec.userAssignedIdentityCredentialsPath: Forbidden: type must be UserAssignedIdentityCredential to use it, not WorkloadIdentity",
    ],
    [
      {
        type: "UserAssignedIdentityCredential",
        userAssignedIdentityCredentialsPath: "/x",
        userAssignedIdentityCredentialsCloudType: "china",
      },
      'spec.userAssignedIdentityCredentialsCloudType: Unsupported value: "china": supported values: "public"',
    ],
  ])("is rejected: %j", (spec, message) => {
    expect(errors(identity(spec))).toEqual([message]);
  });

  test("names namespaces and labels that are invalid", () => {
    const bad = identity({ allowedNamespaces: { list: ["a", "B"], selector: { matchLabels: { "": "x" } } } });
    expect(AzureClusterIdentity.validate({ object: bad }).map((error) => error.field)).toEqual([
      "spec.allowedNamespaces.list[1]",
      "spec.allowedNamespaces.selector",
    ]);
  });

  test("keeps its type", () => {
    const changed = identity({ type: "UserAssignedMSI" });
    expect(errors(changed, identity({}))).toEqual([
      'spec.type: Forbidden: cannot change from "WorkloadIdentity" to "UserAssignedMSI": create a new identity and refer to it',
    ]);
  });

  test("warns when no other namespace may use it", () => {
    const { allowedNamespaces: _, ...spec } = identity({}).spec;
    expect(AzureClusterIdentity.warn({ object: { ...identity({}), spec } })).toEqual([
      "spec.allowedNamespaces is not set: no cluster may use the identity; {} allows every namespace",
    ]);
    expect(AzureClusterIdentity.warn({ object: identity({}) })).toEqual([]);
  });
});
