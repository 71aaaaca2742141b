import { isJsonObject } from "../values/json-object.ts";
import { fieldAt, fieldPath, type Fields, putField, takeField } from "./field-path.ts";
import { kubeadmTimeouts } from "./kubeadm-timeouts.ts";
import { type FieldRule, inItems, intent, olderOnly, seconds } from "./rules.ts";

/** The rules for the configuration of kubeadm below a path: of a KubeadmConfig, a template, or a control plane. */
export function kubeadmConfigSpec(path: string): FieldRule[] {
  const [cluster, init, join] = ["cluster", "init", "join"].map((name) => `${path}.${name}Configuration`);
  const components = ["apiServer", "controllerManager", "scheduler"].map((name) => `${cluster}.${name}`);
  const bootstrapToken = `${join}.discovery.bootstrapToken`;
  const kubeConfig = `${join}.discovery.file.kubeConfig`;
  return [
    // The newer version takes these from the Cluster and the Machine.
    ...["apiVersion", "kind", "clusterName", "kubernetesVersion", "networking"].map((name) =>
      olderOnly(`${cluster}.${name}`),
    ),
    ...[init, join].flatMap((one) => [olderOnly(`${one}.apiVersion`), olderOnly(`${one}.kind`)]),
    olderOnly(`${path}.useExperimentalRetryJoin`),
    ...[...components, `${cluster}.etcd.local`].map((one) => argumentList(`${one}.extraArgs`)),
    ...[init, join].map((one) => argumentList(`${one}.nodeRegistration.kubeletExtraArgs`)),
    ...components.map((one) => intentsOf(`${one}.extraVolumes`, { key: "hostPath", field: "readOnly" })),
    intentsOf(`${path}.files`, { key: "path", field: "append" }),
    inItems({ list: `${init}.bootstrapTokens`, key: "token", rules: [seconds("ttl", "ttlSeconds")] }),
    ...[
      `${bootstrapToken}.unsafeSkipCAVerification`,
      `${kubeConfig}.cluster.insecureSkipTLSVerify`,
      `${kubeConfig}.user.exec.provideClusterInfo`,
      `${path}.ignition.containerLinuxConfig.strict`,
    ].map((field) => intent(field, field)),
    inItems({ list: `${path}.diskSetup.partitions`, key: "device", rules: [LAYOUT] }),
    kubeadmTimeouts(path),
  ];
}

function intentsOf(
  list: string,
  { key, field }: { readonly key: string; readonly field: string },
): FieldRule {
  return inItems({ list, key, rules: [intent(field, field)] });
}

/** Arguments: a map in the older version, a list in the order of the names in the newer one. */
function argumentList(field: string): FieldRule {
  const path = fieldPath(field);
  return {
    older: [field],
    newer: [field],
    up: ({ object }) => {
      const values = takeField(object, path);
      if (!isJsonObject(values)) return;
      const names = Object.keys(values).sort();
      putField(
        object,
        path,
        names.map((name) => ({ name, value: values[name] })),
      );
    },
    down: ({ object }) => {
      const list = takeField(object, path);
      if (!Array.isArray(list)) return;
      const entries = list.filter(isJsonObject).map(({ name, value }) => [String(name), value] as const);
      putField(object, path, Object.fromEntries(entries));
    },
  };
}

/** Whether a disk has one partition: the older version requires it, the newer one forbids it beside a list of partitions. */
const LAYOUT: FieldRule = {
  older: ["layout"],
  newer: ["layout"],
  up: ({ object }) => {
    if (fieldAt(object, ["diskLayout"]) !== undefined && object["layout"] === false) delete object["layout"];
  },
  down: ({ object }: { readonly object: Fields }) => {
    object["layout"] ??= false;
  },
};
