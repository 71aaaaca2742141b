import { AzureClusterIdentity, type Secret } from "@capstan/api";

/** A password that must never appear in any output. */
export const CANARY = "canary~Pa55word.that/must+never=be:seen";
/** The tenant of the identity in tests. */
export const TENANT = "11111111-1111-1111-1111-111111111111";
/** Its client. */
export const CLIENT = "22222222-2222-2222-2222-222222222222";

/** A service principal that every namespace may use. */
export function identity(spec: Partial<AzureClusterIdentity["spec"]> = {}): AzureClusterIdentity {
  return {
    apiVersion: AzureClusterIdentity.apiVersion,
    kind: AzureClusterIdentity.kind,
    metadata: { name: "robot", namespace: "default", uid: "uid-1" },
    spec: {
      type: "ServicePrincipal",
      tenantID: TENANT,
      clientID: CLIENT,
      clientSecret: { name: "robot-secret" },
      allowedNamespaces: {},
      ...spec,
    },
  };
}

export function secretWith(value: string): Secret {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "robot-secret", namespace: "default" },
    data: { clientSecret: Buffer.from(value).toString("base64") },
  };
}
