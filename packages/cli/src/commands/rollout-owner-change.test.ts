import {
  DEFAULT_FEATURES,
  DEPLOYMENT_NAME_LABEL,
  KubeadmControlPlane,
  type KubernetesObject,
  MachineDeployment,
  MachineSet,
  REVISION_ANNOTATION,
  TEMPLATE_HASH_LABEL,
} from "@capstan/api";
import { kubeadmControlPlane, machineDeployment, machineSet } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { emptyManagement, managementWith, store } from "../plan/management.fixture.ts";
import { NOW } from "../plan/planners/pool-objects.fixture.ts";
import type { RolloutVerb } from "../rollout/rollout-verb.ts";
import { changeOwner } from "./rollout-owner-change.ts";

const reference = (uid: string) => ({
  apiVersion: "cluster.x-k8s.io/v1beta1",
  kind: "MachineDeployment",
  name: "machines",
  uid,
  controller: true,
});
const DEPLOYMENT = { kind: MachineDeployment, name: "machines" };
const CONTROL_PLANE = { kind: KubeadmControlPlane, name: "control-plane" };

/** Runs verbs on an owner; returns what each said and the owner afterwards. */
async function change(
  owner: typeof DEPLOYMENT | typeof CONTROL_PLANE,
  verbs: readonly RolloutVerb[],
  ...objects: readonly KubernetesObject[]
) {
  const { client } = await emptyManagement({ features: { ...DEFAULT_FEATURES, InPlaceUpdates: true } });
  for (const object of objects) await store(client, object);
  const said: string[] = [];
  for (const verb of verbs)
    said.push(await changeOwner(client, verb, { owner, namespace: "default", nowMs: Date.parse(NOW) }));
  const after = await client.get<
    KubernetesObject & { spec: { paused?: boolean; rollout?: { after?: string } } }
  >(owner.kind, { name: owner.name, namespace: "default" });
  return { said: said.join(""), after };
}

describe("capstan rollout", () => {
  test("pauses and resumes a MachineDeployment by its field", async () => {
    const paused = await change(DEPLOYMENT, ["pause", "pause"], machineDeployment());
    expect(paused.after.spec.paused).toBe(true);
    expect(paused.said).toBe(
      "MachineDeployment default/machines paused: it scales, but no machine is replaced or updated until it is resumed\n" +
        "MachineDeployment default/machines is paused already\n",
    );
    const resumed = await change(DEPLOYMENT, ["pause", "resume", "resume"], machineDeployment());
    expect(resumed.after.spec.paused).toBeUndefined();
    expect(resumed.said).toContain(
      "MachineDeployment default/machines resumed\nMachineDeployment default/machines was not paused\n",
    );
  });

  test("pauses and resumes a KubeadmControlPlane by the annotation", async () => {
    const { after } = await change(CONTROL_PLANE, ["pause"], kubeadmControlPlane());
    expect(after.metadata.annotations).toEqual({ "cluster.x-k8s.io/paused": "true" });
    const resumed = await change(CONTROL_PLANE, ["pause", "resume"], kubeadmControlPlane());
    expect(resumed.after.metadata.annotations ?? {}).toEqual({});
  });

  test.each([
    ["MachineDeployment", DEPLOYMENT, machineDeployment()],
    ["KubeadmControlPlane", CONTROL_PLANE, kubeadmControlPlane()],
  ] as const)("restarts a %s by rollout.after, unless it is paused", async (_, owner, object) => {
    const { after } = await change(owner, ["restart"], object);
    expect(after.spec.rollout?.after).toBe(NOW);
    await expect(change(owner, ["pause", "restart"], object)).rejects.toThrow("resume it first");
  });

  test("undoes a change of a MachineDeployment with the template of the previous revision", async () => {
    const deployment = machineDeployment({
      metadata: { uid: "md" },
      spec: { template: { spec: { version: "v1.34.1" } } },
    });
    const set = (revision: number, version: string) =>
      machineSet({
        metadata: {
          name: `set-${revision}`,
          labels: { [DEPLOYMENT_NAME_LABEL]: "machines" },
          annotations: { [REVISION_ANNOTATION]: String(revision) },
        },
        spec: {
          template: {
            metadata: { labels: { [DEPLOYMENT_NAME_LABEL]: "machines", [TEMPLATE_HASH_LABEL]: "x" } },
            spec: { version },
          },
        },
      });
    const client = await managementWith(deployment);
    const { metadata } = await client.get(MachineDeployment, { name: "machines", namespace: "default" });
    const owned = (object: ReturnType<typeof set>) => ({
      ...object,
      metadata: { ...object.metadata, ownerReferences: [reference(metadata.uid ?? "")] },
    });
    for (const object of [set(9, "v1.33.5"), set(10, "v1.34.1"), set(2, "v1.32.0")])
      await client.create(MachineSet, owned(object));
    const said = await changeOwner(client, "undo", { owner: DEPLOYMENT, namespace: "default", nowMs: 0 });
    expect(said).toBe(
      "MachineDeployment default/machines undone: it has the template of revision 9 again (v1.33.5)\n",
    );
    const { spec } = await client.get(MachineDeployment, { name: "machines", namespace: "default" });
    expect(spec.template.spec.version).toBe("v1.33.5");
    expect(spec.template.metadata?.labels ?? {}).not.toHaveProperty(TEMPLATE_HASH_LABEL);
  });

  test.each([
    ["a first revision", DEPLOYMENT, machineDeployment(), "has no earlier revision"],
    ["a control plane", CONTROL_PLANE, kubeadmControlPlane(), "keeps no earlier revisions"],
  ] as const)("does not undo %s", async (_, owner, object, words) => {
    await expect(change(owner, ["undo"], object)).rejects.toThrow(words);
  });

  test.each([
    [
      "MachineDeployment",
      DEPLOYMENT,
      machineDeployment({
        spec: {
          rollout: { strategy: { type: "InPlace", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
        },
      }),
    ],
    [
      "MachineDeployment",
      DEPLOYMENT,
      machineDeployment({
        spec: {
          rollout: {
            strategy: { type: "ExternalUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
          },
        },
      }),
    ],
    [
      "KubeadmControlPlane",
      CONTROL_PLANE,
      kubeadmControlPlane({ spec: { rollout: { strategy: { type: "InPlace" } } } }),
    ],
  ] as const)(
    "does not restart a %s that updates in place: no machine would be replaced",
    async (_, owner, object) => {
      await expect(change(owner, ["restart"], object)).rejects.toThrow(
        "cannot be restarted: it updates its machines in place and would replace none; delete them one by one, with kubectl delete machine NAME",
      );
    },
  );

  test("restarts a control plane that updates in place and may replace machines", async () => {
    const strategy = { type: "InPlace" as const, fallbackRollingUpdate: {} };
    const object = kubeadmControlPlane({ spec: { rollout: { strategy } } });
    expect(await change(CONTROL_PLANE, ["restart"], object)).toBeDefined();
  });

  test("names the existing ones when there is none of that name", async () => {
    const missing = { ...DEPLOYMENT, name: "machinse" };
    await expect(change(missing, ["pause"], machineDeployment())).rejects.toThrow(
      'there is no MachineDeployment "machinse" in namespace default; did you mean machines? existing: machines',
    );
  });
});
