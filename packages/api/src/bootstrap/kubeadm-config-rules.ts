/** Rules for a KubeadmConfigSpec of any kind. */
import type { Frozen } from "../kubernetes/meta.ts";
import { dns1123SubdomainProblems } from "../kubernetes/names.ts";
import { type FieldError, duplicate, forbidden, invalid } from "../values/field-error.ts";
import type { KubeadmConfigSpec } from "./v1beta2/spec.ts";

type Spec = Frozen<KubeadmConfigSpec>;

/** Sets the defaults of a config. */
export function defaultKubeadmConfigSpec(spec: KubeadmConfigSpec): void {
  spec.format ??= "cloud-config";
  for (const configuration of [spec.initConfiguration, spec.joinConfiguration]) {
    if (configuration?.nodeRegistration) configuration.nodeRegistration.imagePullPolicy ??= "IfNotPresent";
  }
}

/** Validates a config at the given path. */
export function kubeadmConfigSpecErrors(field: string, spec: Spec): FieldError[] {
  return [
    ...fileErrors(`${field}.files`, spec),
    ...userErrors(`${field}.users`, spec),
    ...diskErrors(`${field}.diskSetup.partitions`, spec),
    ...discoveryErrors(`${field}.joinConfiguration.discovery`, spec),
    ...etcdErrors(`${field}.clusterConfiguration.etcd`, spec),
    ...ignitionErrors(field, spec),
  ];
}

function fileErrors(field: string, { files = [] }: Spec): FieldError[] {
  const seen = new Set<string>();
  return files.flatMap((file, index) => {
    const repeated = seen.has(file.path);
    seen.add(file.path);
    const twoSources = file.content !== undefined && file.contentFrom !== undefined;
    return [
      ...(repeated ? [duplicate(`${field}[${index}].path`, file.path)] : []),
      ...(twoSources
        ? [forbidden(`${field}[${index}].contentFrom`, "set either content or contentFrom, not both")]
        : []),
      ...secretErrors(`${field}[${index}].contentFrom.secret.name`, file.contentFrom?.secret.name),
    ];
  });
}

function userErrors(field: string, { users = [] }: Spec): FieldError[] {
  return users.flatMap((user, index) => [
    ...(user.passwd !== undefined && user.passwdFrom !== undefined
      ? [forbidden(`${field}[${index}].passwdFrom`, "set either passwd or passwdFrom, not both")]
      : []),
    ...secretErrors(`${field}[${index}].passwdFrom.secret.name`, user.passwdFrom?.secret.name),
  ]);
}

function secretErrors(field: string, name: string | undefined): FieldError[] {
  return name === undefined
    ? []
    : dns1123SubdomainProblems(name).map((problem) => invalid(field, name, problem));
}

function diskErrors(field: string, { diskSetup }: Spec): FieldError[] {
  return (diskSetup?.partitions ?? []).flatMap(({ diskLayout = [] }, index) => {
    const sum = diskLayout.reduce((total, { percentage }) => total + percentage, 0);
    return sum > 100
      ? [
          invalid(
            `${field}[${index}].diskLayout`,
            sum,
            "the percentages of a disk must not add up to more than 100",
          ),
        ]
      : [];
  });
}

function discoveryErrors(field: string, { joinConfiguration }: Spec): FieldError[] {
  const user = joinConfiguration?.discovery?.file?.kubeConfig?.user;
  if (!user || (user.authProvider === undefined) !== (user.exec === undefined)) return [];
  return [invalid(`${field}.file.kubeConfig.user`, user, "set exactly one of authProvider and exec")];
}

function etcdErrors(field: string, { clusterConfiguration }: Spec): FieldError[] {
  const etcd = clusterConfiguration?.etcd;
  return etcd?.local && etcd.external
    ? [forbidden(`${field}.local`, "cannot have both external and local etcd")]
    : [];
}

/** Ignition is another format of bootstrap data, which is not supported yet. */
function ignitionErrors(field: string, spec: Spec): FieldError[] {
  const message = "the format ignition is not supported yet; use cloud-config";
  return [
    ...(spec.format === "ignition" ? [forbidden(`${field}.format`, message)] : []),
    ...(spec.ignition ? [forbidden(`${field}.ignition`, message)] : []),
  ];
}
