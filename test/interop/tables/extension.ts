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
const WORKERS = ["-n", "default", "-l", "cluster.x-k8s.io/deployment-name=jetty-workers"];

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
      const resized = problems.length > 0 ? problems : await resizedInPlace(up);
      return {
        summary: "three workers get another size, and keep their names, UIDs and virtual machines",
        problems: resized,
      };
    } finally {
      for (const child of extensions) child.kill("SIGKILL");
      await up.stop();
      killAll();
    }
  },
};

/** Starts the extension, and registers it. */
async function started(
  up: CapstanUp,
  program: string,
  extensions: ChildProcess[],
): Promise<readonly string[]> {
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

async function resizedInPlace(up: CapstanUp): Promise<readonly string[]> {
  const before = await waitFor(WAIT_MS, () => whole(up));
  if (!before) return ["the workers did not come up"];
  await up.kubectl("apply", "-f", "examples/in-place/larger-workers.yaml");
  const infrastructureRef = { name: "jetty-workers-large" };
  const body = JSON.stringify({ spec: { template: { spec: { infrastructureRef } } } });
  await up.kubectl("patch", "machinedeployment", "jetty-workers", "--type=merge", "-p", body);
  const resized = await waitFor(WAIT_MS, async () => {
    const sizes = (await up.objects("azuremachines", ...WORKERS)).map(
      ({ spec }) => (spec as JsonObject)["vmSize"],
    );
    return sizes.length === 3 && sizes.every((size) => size === "Standard_D4s_v3") ? whole(up) : undefined;
  });
  if (!resized)
    return [`not resized: ${(await up.kubectl("describe", "machinedeployment", "jetty-workers")).out}`];
  return resized === before ? [] : [`machines were replaced: ${before} became ${resized}`];
}

/** The names, UIDs and virtual machines of the workers, once all of them are up to date. */
async function whole(up: CapstanUp): Promise<string | undefined> {
  const [deployment] = await up.objects("machinedeployments", "-n", "default");
  const { replicas, availableReplicas, upToDateReplicas, observedGeneration } = (deployment?.["status"] ??
    {}) as JsonObject;
  const { generation } = (deployment?.["metadata"] ?? {}) as JsonObject;
  const counts = [replicas, availableReplicas, upToDateReplicas];
  if (observedGeneration !== generation || counts.some((count) => count !== 3)) return undefined;
  return identitiesOf(await up.objects("machines", ...WORKERS));
}
