import type { KubernetesObject } from "@capstan/api";
import { azureMachineTemplate, cluster, machineDeployment } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { checkManifests } from "./check-manifests.ts";
import { managementWith } from "../management.fixture.ts";
import type { GivenObject } from "./read-objects.ts";

const FLAG = { namespace: "default", isWritten: false };
const given = (object: object): GivenObject => object as GivenObject;
const foreign = (apiVersion: string, kind: string) => given({ apiVersion, kind, metadata: { name: "x" } });

async function check(
  object: GivenObject,
  flag = FLAG,
  ...stored: readonly KubernetesObject[]
): Promise<void> {
  await checkManifests(await managementWith(...stored), [object], flag);
}

describe("a plan refuses what applying refuses", () => {
  test("an unknown field", async () => {
    const deployment = machineDeployment();
    const misspelt = given({ ...deployment, spec: { ...deployment.spec, replcas: 5 } });
    const words =
      'MachineDeployment default/machines cannot be applied: strict decoding error: unknown field "spec.replcas"';
    await expect(check(misspelt)).rejects.toThrow(words);
    await expect(check(misspelt, FLAG, deployment)).rejects.toThrow(words);
  });

  test("a value of a wrong type, once and without the request", async () => {
    const deployment = machineDeployment();
    const wrong = given({ ...deployment, spec: { ...deployment.spec, replicas: "three" } });
    const [line = "", ...others] = await check(wrong, FLAG, deployment).then(
      () => [],
      (error: Error) => error.message.split("\n"),
    );
    expect(others).toEqual([]);
    expect(line).toMatch(
      /^MachineDeployment default\/machines cannot be applied: MachineDeployment\S* "machines" is invalid: \[?spec\.replicas: "three": must be of type integer\]?$/,
    );
  });

  test("a change of an immutable field", async () => {
    const template = azureMachineTemplate();
    const { name, namespace } = template.metadata;
    const changed = given({
      ...azureMachineTemplate({ spec: { template: { spec: { vmSize: "Standard_D64s_v5" } } } }),
      metadata: { name, namespace },
    });
    await expect(check(changed, FLAG, template)).rejects.toThrow(
      /cannot be applied: .*cannot change: machines were created from it/,
    );
  });

  test.each([
    ["cluster.x-k8s.io/v1beta1", "MachinePol", "kinds of this group: Cluster,"],
    ["example.com/v1", "Widget", "the server has no kind Widget in example.com/v1"],
  ])("the unknown kind %s %s", async (apiVersion, kind, words) => {
    await expect(check(foreign(apiVersion, kind))).rejects.toThrow(words);
  });

  test("another namespace than that of the command line", async () => {
    const flag = { namespace: "other", isWritten: true };
    await expect(check(given(cluster()), flag)).rejects.toThrow(
      "Cluster default/cluster cannot be applied: its namespace is default, but -n says other; leave one of them out",
    );
  });
});

test.each([
  ["a Secret", foreign("v1", "Secret")],
  ["a Deployment", foreign("apps/v1", "Deployment")],
  ["a new Cluster", given(cluster())],
])("a plan accepts %s", async (_, object) => {
  await check(object);
});
