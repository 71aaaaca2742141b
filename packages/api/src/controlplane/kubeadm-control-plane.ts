import {
  CLUSTER_LABEL_COLUMN,
  DESIRED_COLUMN,
  AGE_COLUMN,
  conditionColumn,
  PAUSED_COLUMN,
  MACHINE_COUNT_COLUMNS,
  versionColumn,
} from "../printer-columns.ts";
import { defaultKubeadmConfigSpec } from "../bootstrap/kubeadm-config-rules.ts";
import { ONE_VERSION_PER_CONTRACT, providerLabels, SCALE_BY_SELECTOR } from "../cluster/group.ts";
import { inPlaceGateErrors } from "../cluster/in-place-strategy.ts";
import { kubeadmControlPlaneV1Beta1 } from "../conversion/kubeadm-control-plane.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import { withLeadingV } from "../values/version.ts";
import { controlPlaneErrors, controlPlaneUpdateErrors, controlPlaneWarnings } from "./rules.ts";
import { type KubeadmControlPlaneSpec, Spec, Status } from "./v1beta2/kubeadm-control-plane.ts";

/** Runs the control plane of a cluster on machines, with kubeadm. */
export const KubeadmControlPlane = defineKind({
  group: "controlplane.cluster.x-k8s.io",
  version: "v1beta2",
  kind: "KubeadmControlPlane",
  plural: "kubeadmcontrolplanes",
  shortNames: ["kcp"],
  description: "Runs the control plane of a cluster on machines, with kubeadm.",
  spec: Spec,
  status: Status,
  conditionForm: "v1beta2",
  crdLabels: providerLabels("control-plane-kubeadm", ONE_VERSION_PER_CONTRACT),
  scale: SCALE_BY_SELECTOR,
  columns: [
    CLUSTER_LABEL_COLUMN,
    conditionColumn("Available", "Available"),
    DESIRED_COLUMN,
    ...MACHINE_COUNT_COLUMNS,
    PAUSED_COLUMN,
    {
      name: "Initialized",
      type: "boolean",
      jsonPath: ".status.initialization.controlPlaneInitialized",
      description: "Whether the first machine is initialized.",
    },
    AGE_COLUMN,
    versionColumn(".spec.version"),
  ],
  converted: [kubeadmControlPlaneV1Beta1],
  defaulted: ["spec.rollout.strategy.type"],
  applyDefaults(draft) {
    const { spec } = draft;
    spec.replicas ??= 1;
    spec.version = withLeadingV(spec.version);
    defaultKubeadmConfigSpec((spec.kubeadmConfigSpec ??= {}));
    defaultStrategy(spec);
  },
  validate({ object: controlPlane, old, features }) {
    return [
      ...controlPlaneErrors(controlPlane.spec),
      ...(old ? controlPlaneUpdateErrors(controlPlane.spec, old) : []),
      ...inPlaceGateErrors("spec.rollout.strategy.type", {
        type: controlPlane.spec.rollout?.strategy?.type,
        oldType: old?.spec.rollout?.strategy?.type,
        features,
      }),
    ];
  },
  warn({ object: controlPlane }) {
    return controlPlaneWarnings(controlPlane.spec);
  },
});

/** Runs the control plane of a cluster on machines, with kubeadm. */
export type KubeadmControlPlane = ObjectOf<typeof KubeadmControlPlane>;

type Rollout = NonNullable<KubeadmControlPlaneSpec["rollout"]>;

function defaultStrategy(spec: KubeadmControlPlaneSpec): void {
  const given: Partial<NonNullable<Rollout["strategy"]>> = spec.rollout?.strategy ?? {};
  const { type = "RollingUpdate", rollingUpdate, fallbackRollingUpdate } = given;
  const strategy = {
    ...given,
    type,
    ...(type === "RollingUpdate" && { rollingUpdate: { maxSurge: 1, ...rollingUpdate } }),
    ...(fallbackRollingUpdate && { fallbackRollingUpdate: { maxSurge: 1, ...fallbackRollingUpdate } }),
  };
  spec.rollout = { ...spec.rollout, strategy };
}
