import type { Secret } from "@capstan/api";
import { faultsOf, type World } from "@capstan/sim";
import { expect, test } from "vitest";
import { type CanaryOptions, CANARIES, kubeconfig, runWithCanaries } from "./canaries.ts";
import { NAMESPACE } from "../kit/fleet-world.ts";

/** All secrets of a world: the planted ones, and those that the controllers created. */
function secretsIn(world: World): string[] {
  const name = { resource: "/secrets", name: "demo-workers", namespace: NAMESPACE };
  const made = world.management.storage.get(name) as Secret | undefined;
  const data = Object.values(made?.data ?? {}).map((value) => Buffer.from(value, "base64").toString());
  const tokens = data.flatMap((text) => text.match(/[a-z0-9]{6}\.([a-z0-9]{16})/g) ?? []);
  const halves = tokens.flatMap((token) => token.split(".").slice(1));
  return [...Object.values(CANARIES), ...tokens, ...halves];
}

/** In plain text, and in base64 as in a Secret or a header. */
function spellings(secret: string): string[] {
  return [secret, Buffer.from(secret).toString("base64"), encodeURIComponent(secret)];
}

test("the searched secrets exist, and the join token is among them", async () => {
  const { world, ...surfaces } = await runWithCanaries({ seed: "1" });
  const secrets = secretsIn(world);
  expect(secrets.length).toBeGreaterThan(Object.values(CANARIES).length);
  const data = JSON.stringify([...world.management.storage.list({ resource: "/secrets" })]);
  expect(data).toContain(Buffer.from(CANARIES.clientSecret).toString("base64"));
  expect(surfaces.log).toContain("azurecluster");
});

test.each<[string, CanaryOptions]>([
  ["nothing fails", { seed: "1" }],
  ["Azure does not take the secret", { seed: "1", clientSecret: `${CANARIES.clientSecret}x` }],
  [
    "the kubeconfig would run a program",
    {
      seed: "1",
      kubeconfig: kubeconfig({ exec: { command: "x", env: [{ value: CANARIES.kubeconfigKey }] } }),
    },
  ],
  [
    "the key in the kubeconfig is garbage",
    { seed: "1", kubeconfig: kubeconfig({ "client-key-data": CANARIES.kubeconfigKey }) },
  ],
  ["the kubeconfig is not YAML", { seed: "1", kubeconfig: `{ token: ${CANARIES.kubeconfigToken}: [` }],
  [
    "the kubeconfig points to another host",
    {
      seed: "1",
      kubeconfig: kubeconfig({}, { server: `https://u:${CANARIES.kubeconfigKey}@evil.example/` }),
    },
  ],
  ...[4, 7, 11].map((seed): [string, CanaryOptions] => [
    `there is a storm (${seed})`,
    { seed: String(seed), faults: faultsOf("swarm", String(seed)) },
  ]),
])("no secret is seen in logs, events, conditions, Azure, traces and metrics when %s", async (_, options) => {
  const { world, ...surfaces } = await runWithCanaries(options);
  const secrets = secretsIn(world).flatMap(spellings);
  expect(surfaces.log.length, "there is something to look through").toBeGreaterThan(100);
  expect(surfaces.metrics).toContain("reconcile");
  for (const [where, text] of Object.entries(surfaces)) {
    expect(
      secrets.filter((secret) => text.includes(secret)),
      where,
    ).toEqual([]);
  }
});
