import type { ListedDifference } from "../table.ts";

/** Where our CRDs differ from upstream's on purpose. Lines: `KIND VERSION PATH KEYWORD: OURS | UPSTREAM'S`. */
export const CRD_DIFFERENCES: readonly ListedDifference[] = [
  {
    pattern:
      /^\w+ \w+ \.(spec\.updaters|status\.(update|inPlace|creatingMachines?|deletingReplicas|propagatedHash)|\S+\.fallbackRollingUpdate)\b\S* .*: .* \| absent$/,
    reason: "Fields of our own: updates in place, and what controllers must remember across a crash.",
  },
  {
    pattern:
      /\.(strategy|rolloutStrategy)(\.type enum: \["ExternalUpdate","InPlace",| rule !has\(self\.fallbackRollingUpdate\))/,
    reason: "Strategies of our own: InPlace and ExternalUpdate.",
  },
  {
    pattern: /\.rollingUpdate rule !\(has\(self\.maxSurge\)&&has\(self\.maxUnavailable\).*: yes \| absent$/,
    reason:
      "A rollout that may neither add nor take away a machine never ends; upstream's webhook refuses it, too.",
  },
  {
    pattern: /\.clusterName rule self==oldSelf: yes \| absent$/,
    reason:
      "The cluster of an object never changes; upstream's webhooks refuse it, ours is a rule of the schema.",
  },
  {
    pattern: /\.conditions\[\]\.status enum: \["False","True","Unknown"\] \| absent$/,
    reason: "A condition of v1beta1 has one of these values; upstream accepts any text.",
  },
  {
    pattern: /\.conditions x-kubernetes-list-(type: "map"|map-keys: \["type"\]) \| absent$/,
    reason: "Conditions of v1beta1 are applied one by one, so that two controllers can share a status.",
  },
  {
    pattern: /\.conditions\[\]\.(message|reason) minLength: absent \| 1$/,
    reason:
      "Conditions of v1beta1 may have an empty reason or message, as those of objects that are stored already.",
  },
  {
    pattern:
      /^\w+ v1(beta1|alpha1) (\.spec|\.spec\.template|\.spec\.template\.spec) required: yes \| absent$/,
    reason: "v1beta2 requires it, and an object of the older version is stored as v1beta2 or becomes it.",
  },
  {
    pattern: /^KubeadmConfigTemplate v1beta2 \.spec required: yes \| absent$/,
    reason: "A template without a spec is of no use.",
  },
  {
    pattern: /^\w+ v1(beta1|beta2|alpha1) \.spec (default: \{\} \| absent|minProperties: absent \| 1)$/,
    reason:
      "A spec whose fields are all optional defaults to an empty object, so that readers need not check for it.",
  },
  {
    pattern:
      /^\w+ v1beta1 \.spec\.(replicas|minReadySeconds|revisionHistoryLimit|rolloutBefore\.certificatesExpiryDays) minimum: \d \| absent$/,
    reason: "Bounds that upstream has in v1beta2, or in its webhooks.",
  },
  {
    pattern: /^\w+ v1(beta1|alpha1) \.status\.v1beta2\b.*: /,
    reason:
      "The block for the next version is stored as it is in our v1beta1: controllers write v1beta2 itself.",
  },
  {
    pattern: /^\w+ v1(beta1|alpha1) columns?\b/,
    reason:
      "kubectl shows the columns of v1beta2 in the older version, too, as far as its fields exist there.",
  },
  {
    pattern: /^Machine v1beta1 \.status\.phase enum: .*"Updating"/,
    reason: "The phase Updating is visible in v1beta1, too.",
  },
  {
    pattern: /^MachinePool v1beta1 \.status\.upToDateReplicas /,
    reason: "The counter has the same path in both of our versions.",
  },
  {
    pattern: /^MachineDrainRule \w+ \.spec\.drain\.order (minimum|maximum): /,
    reason: "The bounds of a 32-bit integer, written out.",
  },
  {
    pattern: /^MachineDrainRule \w+ column Order of \.spec\.drain\.order: integer, always \| string, always$/,
    reason: "The order is a number.",
  },
  {
    pattern: /^MachineDrainRule \w+ \.metadata required: absent \| yes$/,
    reason: "Every stored object has metadata.",
  },
  {
    pattern: /\.deprecated\.v1beta1\.failureReason (minLength|maxLength): absent \| /,
    reason: "A reason of v1beta1 is stored as it is.",
  },
  {
    pattern:
      /^Cluster v1beta2 \.spec\.topology\.workers\.machineDeployments\[\]\.rollout\.strategy minProperties: absent \| 1$/,
    reason: "Its type is required, so it is never empty.",
  },
  {
    pattern:
      /^ExtensionConfig \w+ \.spec\.clientConfig rule has\(self\.url\)!=has\(self\.service\): yes \| absent$/,
    reason:
      "Exactly one of url and service: upstream's webhook refuses others, ours is a rule of the schema.",
  },
];
