import { type AdmissionRequest, type CustomObject, type ObjectOf, defineKind } from "../kind.ts";
import { Conditions } from "../kubernetes/condition.ts";
import { LabelSelector, labelSelectorProblem } from "../kubernetes/label-selector.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import { dns1123LabelProblems } from "../kubernetes/names.ts";
import { type Static, listOf, object, oneOf, optional, string } from "../schema/schema.ts";
import {
  type FieldError,
  errorIf,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../values/field-error.ts";
import { deepEqual } from "../values/deep-equal.ts";
import { AZURE_PROVIDER_LABELS, INFRASTRUCTURE } from "./group.ts";
import { AGE_COLUMN } from "../printer-columns.ts";
import { identityFile } from "./identity-file.ts";
import { identitySecret } from "./identity-secret.ts";
import { immutableFieldErrors } from "./immutable.ts";

const TYPES = [
  "ServicePrincipal",
  "UserAssignedMSI",
  "ManualServicePrincipal",
  "ServicePrincipalCertificate",
  "WorkloadIdentity",
  "UserAssignedIdentityCredential",
] as const;

const Spec = object("How to log in to Azure, and which namespaces may.", {
  type: oneOf("The kind of credential. Immutable.", TYPES, {
    rules: [{ rule: "self == oldSelf", message: "cannot change; create a new identity and refer to it" }],
  }),
  tenantID: string("The tenant of the identity."),
  clientID: string("The application or client id of the identity."),
  clientSecret: optional(
    object(
      "The Secret with the password (key clientSecret) or the certificate.",
      {
        name: optional(string("Its name.")),
        namespace: optional(string("Its namespace; it must be the namespace of the identity.")),
      },
      { atomic: true },
    ),
  ),
  certPath: optional(
    string(
      "The file with the certificate, instead of a Secret: under /var/run/secrets/capstan/identities/NAMESPACE/ of the manager.",
    ),
  ),
  resourceID: optional(string("Deprecated and not used: the ARM id of the identity.")),
  userAssignedIdentityCredentialsPath: optional(
    string("The file with the credentials of type UserAssignedIdentityCredential."),
  ),
  userAssignedIdentityCredentialsCloudType: optional(
    string("The cloud of type UserAssignedIdentityCredential. Only public is supported."),
  ),
  allowedNamespaces: optional(
    object("Which namespaces may use it: none if not set, all if empty.", {
      list: optional(listOf("Namespaces by name.", string("A namespace."))),
      selector: optional(LabelSelector),
    }),
  ),
});

const Status = object("The observed state of the identity.", { conditions: optional(Conditions) });

type Identity = CustomObject<Static<typeof Spec>, Static<typeof Status>>;

/** Credentials for Azure that clusters refer to. */
export const AzureClusterIdentity = defineKind({
  ...INFRASTRUCTURE,
  kind: "AzureClusterIdentity",
  plural: "azureclusteridentities",
  description: "Credentials for Azure that clusters refer to.",
  spec: Spec,
  status: Status,
  columns: [{ name: "Type", type: "string", jsonPath: ".spec.type" }, AGE_COLUMN],
  // No Cluster owns an identity: with this label `clusterctl move` takes it along, and what it owns.
  crdLabels: { ...AZURE_PROVIDER_LABELS, "clusterctl.cluster.x-k8s.io/move-hierarchy": "" },
  validate,
  warn,
});

/** Credentials for Azure that clusters refer to. */
export type AzureClusterIdentity = ObjectOf<typeof AzureClusterIdentity>;

function validate({ object: identity, old }: AdmissionRequest<Identity>): readonly FieldError[] {
  const { spec } = identity;
  return [
    ...(["tenantID", "clientID"] as const).flatMap((field) =>
      spec[field] === "" ? [required(`spec.${field}`, "must not be empty")] : [],
    ),
    ...missingFieldErrors(spec),
    ...secretErrors(identity, old),
    ...fileErrors(identity, old),
    ...misplacedFieldErrors(spec),
    ...allowedNamespaceErrors(spec.allowedNamespaces),
    ...immutableFieldErrors(identity, old, [
      {
        path: "spec.type",
        read: ({ spec: { type } }) => type,
        instead: "create a new identity and refer to it",
      },
    ]),
  ];
}

function warn({ object: { spec } }: AdmissionRequest<Identity>): readonly string[] {
  return [
    ...(spec.resourceID ? ["spec.resourceID is deprecated and not used"] : []),
    ...(spec.allowedNamespaces
      ? []
      : ["spec.allowedNamespaces is not set: no cluster may use the identity; {} allows every namespace"]),
  ];
}

/** An identity that was stored with another namespace can still be changed, and deleted; it cannot be used. */
function secretErrors(identity: Frozen<Identity>, old: Frozen<Identity> | undefined): readonly FieldError[] {
  const problem = identitySecret(identity)?.problem;
  const isKept = old !== undefined && deepEqual(old.spec.clientSecret, identity.spec.clientSecret);
  if (problem === undefined || isKept) return [];
  const { namespace } = identity.spec.clientSecret ?? {};
  return [invalid("spec.clientSecret.namespace", namespace, problem)];
}

/** The same for the file with the certificate. */
function fileErrors(identity: Frozen<Identity>, old: Frozen<Identity> | undefined): readonly FieldError[] {
  const { certPath } = identity.spec;
  const problem = identityFile(identity)?.problem;
  if (problem === undefined || (old !== undefined && old.spec.certPath === certPath)) return [];
  return [invalid("spec.certPath", certPath, problem)];
}

/** The required fields of each type of credential. */
function missingFieldErrors(spec: Frozen<Identity["spec"]>): readonly FieldError[] {
  const { type, certPath, userAssignedIdentityCredentialsPath: path } = spec;
  const secret = spec.clientSecret?.name;
  switch (type) {
    case "ServicePrincipal":
    case "ManualServicePrincipal":
      return errorIf(!secret, required("spec.clientSecret.name", `type ${type} needs it`));
    case "ServicePrincipalCertificate":
      return errorIf(
        !(secret || certPath),
        required("spec.certPath", `type ${type} needs it, or spec.clientSecret`),
      );
    case "UserAssignedIdentityCredential":
      return errorIf(!path, required("spec.userAssignedIdentityCredentialsPath", `type ${type} needs it`));
    case "WorkloadIdentity":
    case "UserAssignedMSI":
      return [];
  }
}

function misplacedFieldErrors(spec: Frozen<Identity["spec"]>): readonly FieldError[] {
  const only = (field: keyof Identity["spec"], type: (typeof TYPES)[number]): readonly FieldError[] =>
    spec[field] && spec.type !== type
      ? [forbidden(`spec.${field}`, `type must be ${type} to use it, not ${spec.type}`)]
      : [];
  const cloud = spec.userAssignedIdentityCredentialsCloudType;
  return [
    ...only("resourceID", "UserAssignedMSI"),
    ...only("userAssignedIdentityCredentialsPath", "UserAssignedIdentityCredential"),
    ...only("userAssignedIdentityCredentialsCloudType", "UserAssignedIdentityCredential"),
    ...errorIf(
      cloud && cloud.toLowerCase() !== "public",
      notSupported("spec.userAssignedIdentityCredentialsCloudType", cloud, ["public"]),
    ),
  ];
}

function allowedNamespaceErrors(
  allowed: Frozen<Identity["spec"]>["allowedNamespaces"],
): readonly FieldError[] {
  const problem = allowed?.selector && labelSelectorProblem(allowed.selector);
  return [
    ...(allowed?.list ?? []).flatMap((name, index) =>
      dns1123LabelProblems(name).map((text) => invalid(`spec.allowedNamespaces.list[${index}]`, name, text)),
    ),
    ...(problem === undefined
      ? []
      : [invalid("spec.allowedNamespaces.selector", allowed?.selector, problem)]),
  ];
}
