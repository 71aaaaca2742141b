import type { HttpResponse, Transport } from "@capstan/env";
import { expect, test } from "vitest";
import { refuseUnsuitable } from "./unsuitable-cluster.ts";

function serverOf(gitVersion: string): Transport {
  const body = JSON.stringify({ gitVersion });
  const answer = { status: 200, headers: {}, text: () => Promise.resolve(body) } as unknown as HttpResponse;
  return { request: () => Promise.resolve(answer), close: () => Promise.resolve() };
}

test.each(["v1.30.0", "v1.35.4", "v1.33.5-eks-1234", "v2.0.0"])(
  "Kubernetes %s is accepted",
  async (version) => {
    await expect(refuseUnsuitable(serverOf(version), "capstan init")).resolves.toBeUndefined();
  },
);

test.each(["v1.29.14", "v1.9.1", "v1.29.4-gke.1043002"])(
  "Kubernetes %s is refused by name",
  async (version) => {
    await expect(refuseUnsuitable(serverOf(version), "capstan init")).rejects.toThrow(
      `the cluster runs Kubernetes "${version}"; capstan init needs 1.30 or newer: upgrade the cluster`,
    );
  },
);

test("a cluster of capstan up is refused", async () => {
  await expect(refuseUnsuitable(serverOf("v1.35.4+capstan"), "capstan init")).rejects.toThrow(
    "this cluster belongs to capstan up",
  );
});
