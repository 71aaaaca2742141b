/** The certificate authority of an extension, from a Secret that an annotation names. */
import { ExtensionConfig, Secret } from "@capstan/api";
import { createWorld, SIMULATED_AUTHORITY, type World } from "@capstan/sim";
import { expect, test } from "vitest";
import { create, get, MINUTE_MS, patch } from "../../kit/cluster-world.ts";
import { prepare } from "../../kit/deployment-world.ts";
import { controllersWith, FEATURES, hostOf, serversOf, testUpdater } from "../../kit/in-place-world.ts";

const INJECT = "runtime.cluster.x-k8s.io/inject-ca-from-secret";

async function worldWith(
  clientConfig: ExtensionConfig["spec"]["clientConfig"],
  source: string,
): Promise<World> {
  const world = await createWorld({
    seed: "1",
    controllers: controllersWith(),
    features: FEATURES,
    servers: serversOf([testUpdater("resizer", [])]),
  });
  world.start();
  await prepare(world);
  const { apiVersion, kind } = ExtensionConfig;
  const metadata = { name: "resizer", annotations: { [INJECT]: source } };
  await create(world, ExtensionConfig, { apiVersion, kind, metadata, spec: { clientConfig } });
  await world.advance(MINUTE_MS);
  return world;
}

async function discovered(world: World): Promise<unknown> {
  const { status } = await get(world, ExtensionConfig, "resizer");
  return status?.conditions?.find(({ type }) => type === "Discovered");
}

const data = (text: string) => ({ "ca.crt": Buffer.from(text).toString("base64") });
const metadata = { name: "resizer-tls", namespace: "default" };

test("a missing Secret is named with the next step, and is found once it exists", async () => {
  const world = await worldWith({ url: `https://${hostOf("resizer")}` }, "default/resizer-tls");
  expect(await discovered(world)).toMatchObject({
    status: "False",
    message: `Secret default/resizer-tls does not exist; create it, or correct the annotation ${INJECT}`,
  });
  await world.run(world.user.create(Secret, { metadata, data: data("no certificate") }));
  await world.advance(2 * MINUTE_MS);
  expect(await discovered(world)).toMatchObject({
    message: expect.stringContaining("has no PEM certificate in ca.crt; add it") as string,
  });
  await patch(world, Secret, metadata.name, { data: data(SIMULATED_AUTHORITY) });
  await world.advance(2 * MINUTE_MS);
  expect(await discovered(world)).toMatchObject({ status: "True" });
  const { spec } = await get(world, ExtensionConfig, "resizer");
  expect(Buffer.from(spec.clientConfig.caBundle ?? "", "base64").toString()).toBe(SIMULATED_AUTHORITY);
});

test("only a Secret of the Service's namespace is read", async () => {
  const service = { name: "resizer", namespace: "updaters" };
  const world = await worldWith({ service }, "default/resizer-tls");
  expect(await discovered(world)).toMatchObject({
    status: "False",
    message: expect.stringContaining(
      "only Secrets of updaters, the namespace of the Service, are read",
    ) as string,
  });
});
