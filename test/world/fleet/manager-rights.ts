import { type CustomKind, CustomResourceDefinition, Lease, Namespace, Secret } from "@capstan/api";
import { createApiServer } from "@capstan/apiserver";
import { Scheduler, VirtualProcess } from "@capstan/env";
import { type Client, createClient, silentLogger } from "@capstan/runtime";
import type { Call } from "@capstan/sim";
import { refuseOtherProviders } from "../../../packages/cli/src/cluster/other-providers.ts";
import {
  WEBHOOK_CONFIGURATION,
  webhookConfigurationKinds,
} from "../../../packages/manager/src/certificates/ca-bundle.ts";
import { CertificateKeeper } from "../../../packages/manager/src/certificates/certificate-keeper.ts";
import {
  HOSTS,
  LIFE_MS,
  START_MS,
  Stock,
} from "../../../packages/manager/src/certificates/issuer.fixture.ts";
import { DefinitionKeeper } from "../../../packages/manager/src/stored-versions/definition-keeper.ts";
import { installedKinds } from "../../../packages/cli/src/install/names.ts";
import { kubeCall } from "../../../packages/sim/src/world/call.ts";
import { definitionStoring, plain } from "../../upgrade/flip.ts";

const namespace = "capstan-system";
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
// A certificate is replaced when a third of its life is left.
const RENEWAL_MS = (LIFE_MS * 2) / 3 + DAY_MS;

/**
 * What `capstan manager` asks the management cluster for beside its controllers: it looks for other providers before it starts,
 * makes the certificate of the webhooks, has kube-apiserver trust it, renews it, and migrates stored objects.
 */
export async function callsBesideControllers(): Promise<readonly Call[]> {
  const scheduler = new Scheduler({ seed: "1" });
  const kinds = [Namespace, Secret, Lease, ...webhookConfigurationKinds];
  const rules = installedKinds.map(plain);
  const server = createApiServer({ env: new VirtualProcess(scheduler, "apiserver"), kinds, rules }).handle;
  const run = async <R>(promise: Promise<R>): Promise<R> => {
    let isSettled = false;
    const done = promise.finally(() => (isSettled = true));
    await scheduler.run({ until: () => isSettled });
    return done;
  };
  const user = new VirtualProcess(scheduler, "user");
  const admin = createClient({ transport: user.connect(server), env: user, fieldManager: "user" });
  await run(install(admin));

  const calls: Call[] = [];
  const manager = new VirtualProcess(scheduler, "manager");
  const transport = manager.connect(server, {
    fate: (request) => {
      calls.push(kubeCall(request, { process: "manager", by: "manager", server: "management" }));
      return "deliver";
    },
  });
  const client = createClient({ transport, env: manager, fieldManager: "manager" });
  await run(refuseOtherProviders({ client, clock: manager.clock }, [], ""));
  const stock = new Stock();
  await stock.add(START_MS, 1);
  await stock.add(START_MS + RENEWAL_MS, 1);
  const keeper = new CertificateKeeper({
    env: manager,
    log: silentLogger,
    client,
    namespace,
    hosts: HOSTS,
    issue: () => stock.take(manager.clock.now()),
    assertMayWrite: () => undefined,
    onServing: () => undefined,
  });
  keeper.run(new AbortController().signal).catch((error: unknown) => scheduler.fail(error));
  const definitions = new DefinitionKeeper({
    env: manager,
    log: silentLogger,
    client,
    assertMayWrite: () => undefined,
    bundle: () => keeper.bundle,
    service: { name: "capstan-webhooks", namespace },
  });
  definitions.run(new AbortController().signal).catch((error: unknown) => scheduler.fail(error));
  await scheduler.advance(2 * MINUTE_MS);
  manager.jumpWallClock(RENEWAL_MS);
  await scheduler.advance(2 * MINUTE_MS);
  return calls;
}

/** What `capstan init` installs, as far as the manager writes to it. */
async function install(admin: Client): Promise<void> {
  await admin.create(Namespace, { metadata: { name: namespace } });
  const webhooks = [{ name: "a.capstan", clientConfig: {} }];
  for (const kind of webhookConfigurationKinds)
    await admin.create(kind, { metadata: { name: WEBHOOK_CONFIGURATION }, webhooks });
  for (const kind of installedKinds) await storeAnotherVersion(admin, kind);
}

/** A kind with an object whose stored version has changed since. */
async function storeAnotherVersion(admin: Client, kind: CustomKind): Promise<void> {
  const [other] = kind.converted;
  if (!other) return;
  const storing = (version: string): CustomResourceDefinition => {
    const { metadata, spec } = definitionStoring(kind, version);
    const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    // Any object will do.
    const versions = spec.versions.map((one) => ({ ...one, schema: { openAPIV3Schema } }));
    return {
      apiVersion: CustomResourceDefinition.apiVersion,
      kind: "CustomResourceDefinition",
      metadata,
      spec: { ...spec, versions },
    };
  };
  const { metadata } = await admin.create(CustomResourceDefinition, storing(other.version));
  await admin.create(kind, { metadata: { name: "a", ...(kind.namespaced && { namespace }) } });
  const { resourceVersion } = await admin.get(CustomResourceDefinition, metadata).then((one) => one.metadata);
  const next = storing(kind.version);
  await admin.update(CustomResourceDefinition, {
    ...next,
    metadata: { ...next.metadata, ...(resourceVersion !== undefined && { resourceVersion }) },
  });
}
