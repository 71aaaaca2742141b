import {
  AzureMachinePool,
  Cluster,
  type CustomKind,
  type Frozen,
  KubeadmControlPlane,
  type KubernetesObject,
  MachineDeployment,
  MachinePool,
  MachineSet,
} from "@capstan/api";
import { expect, test } from "vitest";
import { groupsIn } from "./groups.ts";

interface Parts {
  readonly spec?: object;
  readonly status?: object;
  readonly metadata?: object;
}

const of = (kind: CustomKind, { spec, status, metadata }: Parts = {}): [CustomKind, object] => [
  kind,
  {
    kind: kind.kind,
    metadata: { namespace: "default", name: "a", generation: 2, ...metadata },
    spec: {
      clusterName: "one",
      replicas: 3,
      template: { spec: { infrastructureRef: { kind: "AzureMachinePool", name: "a" } } },
      ...spec,
    },
    ...(status && { status }),
  },
];

const groups = (...objects: readonly [CustomKind, object][]) =>
  groupsIn({
    all: <T extends KubernetesObject>(kind: CustomKind<T>) =>
      objects.flatMap(([one, object]) => (one.kind === kind.kind ? [object as Frozen<T>] : [])),
  });

const DONE = {
  observedGeneration: 2,
  replicas: 3,
  readyReplicas: 3,
  availableReplicas: 3,
  upToDateReplicas: 3,
};
const rollout = (strategy: object): Parts => ({ spec: { rollout: { strategy } } });

test.each<[string, [CustomKind, object][], number | undefined]>([
  ["a MachineDeployment surges", [of(MachineDeployment)], 0],
  [
    "a MachineDeployment may lack a third",
    [of(MachineDeployment, rollout({ rollingUpdate: { maxUnavailable: "34%" } }))],
    1,
  ],
  ["a MachineDeployment updates in place", [of(MachineDeployment, rollout({ type: "InPlace" }))], 1],
  ["a user decides, with OnDelete", [of(MachineDeployment, rollout({ type: "OnDelete" }))], undefined],
  ["a control plane surges", [of(KubeadmControlPlane)], 0],
  [
    "a control plane takes a machine away first",
    [of(KubeadmControlPlane, rollout({ rollingUpdate: { maxSurge: 0 } }))],
    1,
  ],
  ["a control plane updates in place", [of(KubeadmControlPlane, rollout({ type: "InPlace" }))], 1],
  ["a MachineSet replaces nothing", [of(MachineSet)], 0],
  [
    "a pool has limits of its own",
    [of(MachinePool), of(AzureMachinePool, { spec: { strategy: { rollingUpdate: { maxUnavailable: 2 } } } })],
    2,
  ],
  ["AKS decides", [of(MachinePool)], undefined],
])("how many machines may be away comes from the strategy: %s", (_, objects, maxUnavailable) => {
  expect(groups(...objects)[0]?.maxUnavailable).toBe(maxUnavailable);
});

test.each<[string, object | undefined, string | undefined]>([
  ["it is rolled out", DONE, undefined],
  ["no controller has looked at it", undefined, "0 of 3 machines"],
  ["its newest spec has not been looked at", { ...DONE, observedGeneration: 1 }, "3 of 3 machines"],
  ["a machine is out of date", { ...DONE, upToDateReplicas: 2 }, "2 up to date"],
  [
    "a condition says why",
    {
      ...DONE,
      readyReplicas: 1,
      conditions: [
        { type: "MachinesUpToDate", status: "False", message: "later" },
        { type: "ScalingUp", status: "True", message: "no image" },
      ],
    },
    "ScalingUp is True: no image",
  ],
  [
    "its machines say why",
    {
      ...DONE,
      readyReplicas: 1,
      conditions: [
        { type: "ScalingUp", status: "True", message: "Scaling up from 2 to 3 machines" },
        { type: "MachinesReady", status: "False", message: "* Machine b: InfrastructureReady: no quota" },
      ],
    },
    "MachinesReady is False: * Machine b: InfrastructureReady: no quota",
  ],
])("a group is unfinished unless %s", (_, status, why) => {
  const [group] = groups(of(MachineDeployment, status ? { status } : {}));
  if (why === undefined) expect(group).not.toHaveProperty("unfinished");
  else expect(group?.unfinished).toContain(why);
});

test("an unfinished pool shows what Azure refuses, not that it grows", () => {
  const growing = [{ type: "ScalingUp", status: "True", message: "Scaling up from 3 to 5 machines" }];
  const refused = [{ type: "Ready", status: "False", message: "QuotaExceeded: 8 cores of 4" }];
  const [group] = groups(
    of(MachinePool, { spec: { replicas: 5 }, status: { ...DONE, conditions: growing } }),
    of(AzureMachinePool, { status: { conditions: refused } }),
  );
  expect(group?.unfinished).toBe(
    "3 of 5 machines, 3 available, 3 up to date; Ready is False: QuotaExceeded: 8 cores of 4",
  );
});

test("a group is paused with its Cluster, and with itself", () => {
  const cluster = of(Cluster, { spec: { paused: true }, metadata: { name: "one" } });
  expect(groups(of(MachineDeployment), cluster)[0]?.isPaused).toBe(true);
  const annotations = { "cluster.x-k8s.io/paused": "" };
  expect(groups(of(MachineDeployment, { metadata: { annotations } }))[0]?.isPaused).toBe(true);
  expect(groups(of(MachineDeployment))[0]?.isPaused).toBe(false);
});
