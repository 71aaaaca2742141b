import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { JsonObject } from "@capstan/api";
import { killAll } from "../../journeys/capstan.ts";
import { freePort } from "../../kube/free-port.ts";
import { type CapstanUp, startCapstanUp } from "../capstan-up.ts";
import { extensionConfig, identitiesOf } from "../in-place-updates.ts";
import { interopProgram } from "../programs.ts";
import { writeServerCertificates } from "../server-certificates.ts";
import type { Table } from "../table.ts";
import { waitFor } from "../wait.ts";

const WAIT_MS = 5 * 60_000;
const LARGE = "Standard_D4s_v3";

/** Machines with one owner. */
interface Group {
  readonly kind: string;
  readonly owner: string;
  readonly machines: readonly string[];
  /** A patch with another infrastructure template. */
  readonly refersTo: (template: string) => JsonObject;
}

const GROUPS: readonly Group[] = [
  {
    kind: "machinedeployments",
    owner: "jetty-workers",
    machines: ["-n", "default", "-l", "cluster.x-k8s.io/deployment-name=jetty-workers"],
    refersTo: (name) => ({ spec: { template: { spec: { infrastructureRef: { name } } } } }),
  },
  {
    kind: "kubeadmcontrolplanes",
    owner: "jetty-control-plane",
    machines: ["-n", "default", "-l", "cluster.x-k8s.io/control-plane-name=jetty-control-plane"],
    refersTo: (name) => ({ spec: { machineTemplate: { spec: { infrastructureRef: { name } } } } }),
  },
];

/** A runtime extension on Cluster API's own server, called by our controllers. */
export const extension: Table = {
  name: "extension",
  about: "a Go extension on Cluster API's runtime server, with capstan up",
  inputs: [
    "packages/{api,manager,plan,runtime,env}/src/**/*.ts",
    "examples/in-place/*",
    "test/interop/extension/*",
    "test/interop/tables/extension.ts",
  ],
  run: async ({ say }) => {
    const program = interopProgram("extension", say);
    const up = await startCapstanUp(say, ["--feature-gates", "InPlaceUpdates=true"]);
    const extensions: ChildProcess[] = [];
    try {
      await up.kubectl("apply", "-f", "examples/in-place/cluster.yaml");
      for (const file of ["control-plane", "workers"])
        await up.kubectl("apply", "-f", `examples/in-place/${file}.yaml`);
      const problems = await started(up, program, extensions);
      for (const group of GROUPS)
        if (problems.length === 0) problems.push(...(await resizedInPlace(up, group)));
      return {
        summary:
          "three workers and three machines of a control plane get another size, and keep their names, UIDs and virtual machines",
        problems,
      };
    } finally {
      for (const child of extensions) child.kill("SIGKILL");
      await up.stop();
      killAll();
    }
  },
};

/** Starts the extension, and registers it. */
async function started(up: CapstanUp, program: string, extensions: ChildProcess[]): Promise<string[]> {
  const folder = join(up.folder, "extension");
  const authority = await writeServerCertificates(folder, "localhost");
  const port = await freePort();
  const child = spawn(program, ["-port", String(port), "-certificates", folder], { stdio: "inherit" });
  extensions.push(child);
  await once(child, "spawn");
  const manifest = extensionConfig({ name: "resizer", port, authority });
  await up.kubectl("apply", "-f", up.file("extension.yaml", manifest));
  const ready = ["extensionconfig/resizer", "--for=condition=UpdaterReady", "--timeout=60s"];
  const { code, err } = await up.kubectl("wait", ...ready);
  return code === 0 ? [] : [`the extension is not ready: ${err}`];
}

async function resizedInPlace(up: CapstanUp, group: Group): Promise<readonly string[]> {
  const { kind, owner, machines, refersTo } = group;
  const before = await waitFor(WAIT_MS, () => whole(up, group));
  if (!before) return [`the machines of ${owner} did not come up`];
  await up.kubectl("apply", "-f", up.file(`${owner}-large.yaml`, JSON.stringify(largerTemplate(owner))));
  const body = JSON.stringify(refersTo(`${owner}-large`));
  await up.kubectl("patch", kind, owner, "--type=merge", "-p", body);
  const resized = await waitFor(WAIT_MS, async () => {
    const sizes = (await up.objects("azuremachines", ...machines)).map(
      ({ spec }) => (spec as JsonObject)["vmSize"],
    );
    return sizes.length === 3 && sizes.every((size) => size === LARGE) ? whole(up, group) : undefined;
  });
  if (!resized) return [`not resized: ${(await up.kubectl("describe", kind, owner)).out}`];
  return resized === before ? [] : [`machines of ${owner} were replaced: ${before} became ${resized}`];
}

function largerTemplate(owner: string): JsonObject {
  const managedDisk = { storageAccountType: "Premium_LRS" };
  // A disk cannot change in place, so it is as in the example.
  const diskSizeGB = owner === "jetty-workers" ? 30 : 128;
  const osDisk = { osType: "Linux", diskSizeGB, managedDisk };
  return {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "AzureMachineTemplate",
    metadata: { name: `${owner}-large`, namespace: "default" },
    spec: { template: { spec: { vmSize: LARGE, osDisk, sshPublicKey: "" } } },
  };
}

/** The names, UIDs and virtual machines of a group, once all of them are up to date. */
async function whole(up: CapstanUp, { kind, owner, machines }: Group): Promise<string | undefined> {
  const found = await up.objects(kind, "-n", "default");
  const one = found.find(({ metadata }) => (metadata as JsonObject)["name"] === owner);
  const { replicas, availableReplicas, upToDateReplicas, observedGeneration } = (one?.["status"] ??
    {}) as JsonObject;
  const { generation } = (one?.["metadata"] ?? {}) as JsonObject;
  const counts = [replicas, availableReplicas, upToDateReplicas];
  if (observedGeneration !== generation || counts.some((count) => count !== 3)) return undefined;
  return identitiesOf(await up.objects("machines", ...machines));
}
