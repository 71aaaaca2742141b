/** Plans of changes that no server has stored yet: the updaters are asked, and nothing is written. */
import {
  AzureMachineTemplate,
  CONTROL_PLANE_NAME_LABEL,
  controllerReferenceTo,
  DEFAULT_FEATURES,
  DEPLOYMENT_NAME_LABEL,
  type ExtensionConfig,
  type KubernetesObject,
  MachineDeployment,
} from "@capstan/api";
import { createRealEnv, type Transport } from "@capstan/env";
import type { Client } from "@capstan/runtime";
import {
  azureMachine,
  azureMachineTemplate,
  extensionConfig,
  kubeadmConfig,
  kubeadmConfigTemplate,
  kubeadmControlPlane,
  machine,
  machineDeployment,
  machineSet,
} from "@capstan/runtime/testing/builders";
import { defineUpdater, done, isBelow } from "@capstan/updater";
import { beforeEach, describe, expect, test } from "vitest";
import { testShell } from "../../shell.fixture.ts";
import { controlPlanePlanner } from "./control-plane-planner.ts";
import { deploymentPlanner } from "./deployment-planner.ts";
import { sortObjects } from "../read/given-objects.ts";
import { isDump } from "../read/is-dump.ts";
import { emptyManagement, store } from "../management.fixture.ts";
import type { Planner } from "./planner.ts";

const FIELDS = [
  "infraMachine.spec.vmSize",
  "machine.spec.version",
  "bootstrap.spec.clusterConfiguration",
] as const;
const asked: (readonly string[])[] = [];
const resizer = defineUpdater({
  name: "resizer",
  canUpdate: ({ changes }) => {
    asked.push(changes);
    return changes.filter((path) => isBelow(path, ...FIELDS));
  },
  update: done,
});

const HANDLERS = ["CanUpdateMachine", "UpdateMachine"].map((hook) => ({
  name: hook === "UpdateMachine" ? "update" : "can-update",
  requestHook: { apiVersion: "updaters.capstan.dev/v1alpha1", hook },
}));
const REGISTERED: ExtensionConfig = {
  ...extensionConfig({ metadata: { name: "resizer" } }),
  spec: { clientConfig: { service: { namespace: "updaters", name: "resizer" } } },
  status: {
    handlers: HANDLERS,
    deprecated: {
      v1beta1: {
        conditions: [
          {
            type: "Discovered",
            status: "True",
            reason: "Discovered",
            lastTransitionTime: "2026-01-01T00:00:00Z",
          },
        ],
      },
    },
  },
};

const LARGE = azureMachineTemplate({
  metadata: { name: "large" },
  spec: { template: { spec: { vmSize: "Standard_D8s_v3" } } },
});
const HEALTHY = [
  "NodeHealthy",
  "APIServerPodHealthy",
  "ControllerManagerPodHealthy",
  "SchedulerPodHealthy",
  "EtcdPodHealthy",
  "EtcdMemberHealthy",
  "Ready",
].map((type) => ({ type, status: "True" as const, reason: "X", lastTransitionTime: "2026-01-01T00:00:00Z" }));

interface Management {
  readonly client: Client;
  readonly transport: Transport;
}

async function management(...objects: readonly KubernetesObject[]): Promise<Management> {
  const made = await emptyManagement({
    features: { ...DEFAULT_FEATURES, InPlaceUpdates: true },
    services: ({ namespace, name }) =>
      namespace === "updaters" && name === "resizer" ? resizer.handle : undefined,
  });
  for (const object of objects) await store(made.client, object);
  return made;
}

/** A machine with its infrastructure and its config, for an owner that the server has. */
async function addMachine(
  { client }: Management,
  name: string,
  owner: {
    readonly of: KubernetesObject;
    readonly labels: Record<string, string>;
    readonly template: string;
  },
): Promise<void> {
  const annotations = { "cluster.x-k8s.io/cloned-from-name": owner.template };
  await store(client, azureMachine({ metadata: { name, annotations } }));
  await store(client, kubeadmConfig({ metadata: { name } }));
  const { infrastructureRef, bootstrap } = machine().spec;
  await store(
    client,
    machine({
      metadata: { name, labels: owner.labels, ownerReferences: [controllerReferenceTo(owner.of)] },
      spec: {
        infrastructureRef: { ...infrastructureRef, name },
        bootstrap: { configRef: { ...bootstrap.configRef, name } },
      },
      status: {
        nodeRef: { name },
        deprecated: { v1beta1: { conditions: HEALTHY } },
        initialization: { infrastructureProvisioned: true, bootstrapDataSecretCreated: true },
      },
    }),
  );
}

async function planned(planner: Planner, { client, transport }: Management, ...manifests: object[]) {
  const given = sortObjects(manifests as never, "default");
  expect(isDump(given)).toBe(false);
  const report = await planner.forecast(testShell({ env: createRealEnv() }), {
    client,
    transport,
    given,
    nowMs: Date.parse("2026-01-02T00:00:00Z"),
  });
  return { ...report, text: report.print("text") };
}

beforeEach(() => void (asked.length = 0));

describe("a change of a MachineDeployment", () => {
  const strategy = { type: "InPlace" as const };
  const before = machineDeployment({ spec: { replicas: 1, rollout: { strategy } } });

  async function running(...objects: readonly KubernetesObject[]): Promise<Management> {
    const made = await management(azureMachineTemplate(), kubeadmConfigTemplate(), ...objects);
    const owner = await store(made.client, before);
    const labels = { [DEPLOYMENT_NAME_LABEL]: "machines" };
    const set = machineSet({
      metadata: { name: "machines-old", labels, ownerReferences: [controllerReferenceTo(owner)] },
      spec: { replicas: 1 },
      status: { replicas: 1, availableReplicas: 1 },
    });
    const of = await store(made.client, set);
    await addMachine(made, "machines-old-1", { of, labels, template: "machines" });
    return made;
  }

  const resized = machineDeployment({
    spec: {
      replicas: 1,
      rollout: { strategy },
      template: { spec: { infrastructureRef: { name: "large" } } },
    },
  });

  test("tells the updater, the fields and the first machine, with a template that is not applied yet", async () => {
    const made = await running(REGISTERED);
    const { json, text, isDisruptive } = await planned(deploymentPlanner, made, LARGE, resized);
    expect(asked).toEqual([["infraMachine.spec.vmSize"]]);
    expect(text).toContain(
      "in place: 1 machine of MachineSet machines-old by resizer (infraMachine.spec.vmSize)",
    );
    expect(json.actions).toMatchObject([
      { action: "CreateMachineSet" },
      { action: "ScaleMachineSet" },
      { action: "ScaleMachineSet" },
      { action: "MoveMachine", targets: ["machines-old-1"], detail: { from: "machines-old" } },
      {
        action: "UpdateMachineInPlace",
        targets: ["machines-old-1"],
        detail: { updaters: ["resizer"], paths: ["infraMachine.spec.vmSize"] },
      },
    ]);
    expect(isDisruptive).toBe(true);
    expect(await made.client.list(AzureMachineTemplate)).toHaveLength(1);
  });

  test("is blocked without an updater for it, and names the fields", async () => {
    const { json, text, isDisruptive } = await planned(deploymentPlanner, await running(), LARGE, resized);
    expect(json.actions).toEqual([]);
    expect(json.blocked).toMatchObject([{ reason: "ChangesNotCovered" }]);
    expect(text).toContain("no updater changes infraMachine.spec.vmSize (no updater is registered)");
    expect(isDisruptive).toBe(false);
  });

  test("replaces the machines with a fallback", async () => {
    const fallback = machineDeployment({
      spec: {
        ...resized.spec,
        rollout: {
          strategy: { ...strategy, fallbackRollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        },
      },
    });
    const { json, text, isDisruptive } = await planned(deploymentPlanner, await running(), LARGE, fallback);
    expect(text).toContain("replaced: 1 machine of MachineSet machines-old: no updater changes");
    expect(text).toContain('spec.template.spec.infrastructureRef.name: "machines" to "large"');
    expect(text).toMatch(
      / {2}1 machine replaced\n {2}about \dm\d+s, one run in ten takes longer than \d+m\d*s?\n {2}at least 1 available, at most 2 machines at any time\n/,
    );
    expect(text).toContain("  times are those of recorded traffic; not checked: quota and capacity of Azure");
    expect(json.actions).toMatchObject([{ action: "CreateMachineSet", detail: { replicas: 1 } }]);
    expect(isDisruptive).toBe(true);
  });

  test("is not known while an updater does not answer", async () => {
    const service = { namespace: "updaters", name: "gone" };
    const gone = { ...REGISTERED, spec: { clientConfig: { service } } };
    const { json } = await planned(deploymentPlanner, await running(gone), LARGE, resized);
    expect(json.blocked).toMatchObject([{ reason: "UpdatersNotAnswering" }]);
  });

  test("may come from a server, as kubectl patch --dry-run=server prints it", async () => {
    const made = await running(REGISTERED);
    const stored = await made.client.get(MachineDeployment, { name: "machines", namespace: "default" });
    const template = { ...stored.spec.template, spec: { ...stored.spec.template.spec, version: "v9.9.9" } };
    const printed = { ...stored, spec: { ...stored.spec, template } };
    const { text } = await planned(deploymentPlanner, made, printed);
    expect(text).toContain("by resizer (machine.spec.version)");
  });
});

describe("a change of a KubeadmControlPlane", () => {
  const before = kubeadmControlPlane({
    spec: { replicas: 3, rollout: { strategy: { type: "InPlace" } } },
    status: { initialization: { controlPlaneInitialized: true }, replicas: 3 },
  });

  async function running(...objects: readonly KubernetesObject[]): Promise<Management> {
    const template = azureMachineTemplate({ metadata: { name: "control-plane" } });
    const made = await management(template, ...objects);
    const of = await store(made.client, before);
    const labels = { [CONTROL_PLANE_NAME_LABEL]: "control-plane" };
    for (const name of ["a", "b", "c"])
      await addMachine(made, name, { of, labels, template: "control-plane" });
    return made;
  }

  const resized = kubeadmControlPlane({
    spec: { ...before.spec, machineTemplate: { spec: { infrastructureRef: { name: "large" } } } },
  });

  test("tells the updater and the fields of each machine, and the first one", async () => {
    const made = await running(REGISTERED);
    const { json, text, summary, isDisruptive } = await planned(controlPlanePlanner, made, LARGE, resized);
    expect(text).toContain("in place: Machines a, b, c by resizer (");
    expect(text).toContain(
      "  3 machines updated in place\n  how long updates in place take is not known before 5 of them have ended\n  at least 2 available, at most 3 machines at any time\n",
    );
    expect(summary).toBe("KubeadmControlPlane default/control-plane: 3 machines updated in place");
    expect(json.actions).toMatchObject([
      { action: "UpdateMachineInPlace", targets: ["a"], detail: { updaters: ["resizer"] } },
    ]);
    expect(isDisruptive).toBe(true);
  });

  test("is blocked without an updater for it, and no machine is replaced", async () => {
    const { json, isDisruptive } = await planned(controlPlanePlanner, await running(), LARGE, resized);
    expect(json.actions).toEqual([]);
    expect(json.blocked).toMatchObject([{ reason: "ChangesNotCovered" }]);
    expect(isDisruptive).toBe(false);
  });

  test("that rolls replaces each machine, and says how many and within which limits", async () => {
    const made = await running();
    const rolling = { type: "RollingUpdate" as const, rollingUpdate: { maxSurge: 1 } };
    const changed = kubeadmControlPlane({ spec: { ...resized.spec, rollout: { strategy: rolling } } });
    const { text, summary, isDisruptive } = await planned(controlPlanePlanner, made, LARGE, changed);
    expect(text).toContain(
      "  3 machines replaced\n  about 9m56s, one run in ten takes longer than 13m\n  at least 3 available, at most 4 machines at any time\n",
    );
    expect(summary).toBe("KubeadmControlPlane default/control-plane: 3 machines replaced, about 9m56s");
    expect(isDisruptive).toBe(true);
  });
});
