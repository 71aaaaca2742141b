import type { CapstanUp } from "./capstan-up.ts";
import { waitFor } from "./wait.ts";

const LIMIT_MS = 60_000;
// The label of the kinds that clusterctl moves.
const MOVED = "clusterctl.cluster.x-k8s.io";

/**
 * Removes the objects that clusterctl has saved as it does itself in a cluster that they leave: Clusters are paused, and no
 * finalizer deletes anything in Azure. Returns the objects that stayed.
 */
export async function forgetMoved({ kubectl, objects }: CapstanUp): Promise<readonly string[]> {
  const pause = JSON.stringify({ spec: { paused: true } });
  await kubectl("patch", ...(await namesOf("clusters")), "--type=merge", "-p", pause);
  const paused = await waitFor(LIMIT_MS, async () => {
    const clusters = await objects("clusters");
    return clusters.every((one) =>
      /"type":"Paused","status":"True"|"status":"True","type":"Paused"/.test(JSON.stringify(one)),
    )
      ? true
      : undefined;
  });
  if (!paused) return ["Clusters that are not paused"];
  const definitions = await kubectl("get", "crd", "-l", MOVED, "-o", "name");
  const kinds = lines(definitions.out).map((line) => line.split("/")[1] ?? "");
  const all = (): Promise<readonly string[]> => namesOf(kinds.join());
  await kubectl("delete", ...(await all()), "--wait=false", "--cascade=orphan");
  const finalizers = JSON.stringify({ metadata: { finalizers: null } });
  const left = await all();
  if (left.length > 0) await kubectl("patch", ...left, "--type=merge", "-p", finalizers);
  await kubectl("delete", "secrets,configmaps", "-l", "cluster.x-k8s.io/cluster-name");
  return await all();

  async function namesOf(some: string): Promise<readonly string[]> {
    return lines((await kubectl("get", some, "-o", "name")).out);
  }
}

function lines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}
