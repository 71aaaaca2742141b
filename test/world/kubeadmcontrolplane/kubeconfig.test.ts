import { Event, Secret } from "@capstan/api";
import { simulatedControllers } from "@capstan/cli";
import { createRealEnv } from "@capstan/env";
import type { CertificateIssuer } from "@capstan/manager";
import { x509Issuer } from "../../../packages/manager/src/cluster-certificates/x509-issuer.ts";
import { SIMULATED_ISSUER, type World } from "@capstan/sim";
import { expect, test } from "vitest";
import { get, MINUTE_MS, NAMESPACE } from "../kit/fleet-world.ts";
import { CLUSTER, controlPlaneWorld, endpointOf, untilReady } from "../kit/control-plane-world.ts";

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
// When worlds begin.
const BEGIN_MS = Date.parse("2026-01-01T00:00:00Z");
// A kubeconfig is renewed when half a year is left.
const RENEWAL_MS = 182.5 * DAY_MS;

/** Client certificates that are due for renewal after two hours; later ones are valid for a century. */
async function shortLived(): Promise<CertificateIssuer> {
  // Keys are made before the world begins: virtual time would not wait for them.
  const request = {
    user: "kubernetes-admin",
    groups: ["system:masters"],
    algorithm: "ECDSA-P256",
    validDays: 365,
    nowMs: BEGIN_MS + 2 * HOUR_MS + RENEWAL_MS - 365 * DAY_MS,
  } as const;
  const first = await x509Issuer(createRealEnv()).client(await SIMULATED_ISSUER.authority(), request);
  return {
    ...SIMULATED_ISSUER,
    client: (_, { nowMs }) =>
      nowMs < BEGIN_MS + 2 * HOUR_MS ? Promise.resolve(first) : SIMULATED_ISSUER.client(),
  };
}

async function kubeconfigOf(world: World): Promise<string> {
  const { data = {} } = await get(world, Secret, `${CLUSTER}-kubeconfig`);
  return Buffer.from(data["value"] ?? "", "base64").toString("utf8");
}

test("a kubeconfig is renewed when half of its year is over, and the cluster stays reachable with the new one", async () => {
  const issuer = await shortLived();
  const world = await controlPlaneWorld(
    {},
    { controllers: (connections) => simulatedControllers(connections, undefined, issuer) },
  );
  expect(await untilReady(world, 1)).toBe(true);
  const before = await kubeconfigOf(world);
  expect(before).toContain(`https://${await endpointOf(world)}`);
  await world.advance(HOUR_MS);
  expect(await kubeconfigOf(world)).toBe(before);
  await world.advance(HOUR_MS);
  const after = await kubeconfigOf(world);
  const { cert } = await SIMULATED_ISSUER.client();
  expect(after).not.toBe(before);
  expect(after).toContain(Buffer.from(cert).toString("base64"));
  const events = await world.run(world.user.list(Event, { namespace: NAMESPACE }));
  expect(events.filter(({ reason }) => reason === "KubeconfigRenewed").map(({ message }) => message)).toEqual(
    [
      expect.stringMatching(
        /^Renewed Secret demo-kubeconfig: its client certificate expires at 2026-07-02T\S+; clients must read it again$/,
      ),
    ],
  );
  const writes = world.testedWrites;
  await world.advance(HOUR_MS);
  expect(world.testedWrites).toBe(writes);
  expect(await untilReady(world, 1, 1)).toBe(true);
});
