import { createAuthority, issueCertificate } from "@capstan/apiserver";
import { createAzure, DEFAULT_PRINCIPAL, DEFAULT_SUBSCRIPTION, serveAzure } from "@capstan/azure-sim";
import { createRealEnv } from "@capstan/env";
import { Azure, cloudNamed, createNetwork } from "@capstan/azure";
import { expect, test } from "vitest";
import { GROUP, identity, LOCATION, secretOf } from "./client-world.ts";

test("our client logs in and works over HTTPS with an authority of its own", async () => {
  const env = createRealEnv();
  const authority = await createAuthority(env);
  const tls = await issueCertificate(env, authority, { type: "server", hosts: ["127.0.0.1"] });
  const sim = createAzure({ env, seed: "https", settings: { latencies: "none" } });
  const server = await serveAzure(sim, { tls });
  const endpoint = `https://127.0.0.1:${server.port}`;
  const network = createNetwork({ ca: authority.cert });
  const azure = new Azure({
    env,
    cloud: { ...cloudNamed(), resourceManager: endpoint, authority: endpoint },
    connect: network.connect,
    readSecret: () => Promise.resolve(secretOf(DEFAULT_PRINCIPAL.clientSecret ?? "")),
    readFile: () => Promise.reject(new Error("there are no files")),
    namespaceLabels: () => Promise.resolve({}),
  });
  try {
    const arm = await azure.armFor({ identity: identity(), namespace: "team", controller: "test" });
    await arm.put(GROUP, { location: LOCATION });
    const { items } = await arm.list(`/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups`);
    expect(items).toMatchObject([{ location: LOCATION }]);
    const { operationUrl } = await arm.delete(GROUP);
    expect(await arm.poll(operationUrl ?? "")).toMatchObject({ state: "Succeeded" });
    expect(await arm.head(GROUP)).toBe(false);
    await expect(
      arm.get(`${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/x`),
    ).rejects.toMatchObject({
      class: "Gone",
      code: "ResourceGroupNotFound",
    });
  } finally {
    await network.close();
    await server.close();
    sim.close();
  }
});
