import type { ListedDifference } from "../table.ts";

/** Where our conversion differs from upstream's on purpose. Lines: `KIND WAY PATH: OURS | UPSTREAM'S`. */
export const CONVERSION_DIFFERENCES: readonly ListedDifference[] = [
  {
    pattern: /^\w+ up status(\.replicas|\.deprecated)?: absent \| (?:[^1-9]|v1beta1)*$/,
    reason: "We add no empty blocks and no zeros to a status: a repeated apply would become a write.",
  },
  {
    pattern: /^Cluster up \S+: absent \| (\{\}|\{"(services|pods)":\{\}(,"pods":\{\})?\})$/,
    reason: "v1beta2 refuses empty objects; upstream's conversion keeps those behind pointers.",
  },
  {
    pattern: /^Kubeadm\w+ up \S+(\.extraEnvs: absent \| \[\]|: absent \| (\{\}|\{"extraEnvs":\[\]\}))$/,
    reason: "v1beta2 refuses empty lists and objects; upstream's conversion keeps those behind pointers.",
  },
  {
    pattern: /^Kubeadm\w+ up \S+\.diskSetup\.partitions\[\]\.layout: absent \| false$/,
    reason: "v1beta2 refuses layout beside diskLayout; upstream's conversion writes both.",
  },
  {
    pattern: /^Machine down status\.phase: "Updating" \| "Running"$/,
    reason: "The phase Updating stays: our v1beta1 has it, and updates in place are visible to its clients.",
  },
  {
    pattern: /^MachinePool (up|down) status\.(v1beta2\.)?upToDateReplicas: /,
    reason: "Our v1beta1 has status.upToDateReplicas of MachinePools at the same path as v1beta2.",
  },
  {
    pattern: /^MachinePool down status\.v1beta2: absent \| \{"upToDateReplicas":\d+\}$/,
    reason: "The same: upstream makes a block for the counter alone.",
  },
];
