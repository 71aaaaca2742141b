import { Namespace, Secret } from "@capstan/api";
import { createApiServer, createMemoryStorage } from "@capstan/apiserver";
import {
  type Fate,
  type Handler,
  type HttpRequest,
  Scheduler,
  TransportError,
  VirtualProcess,
} from "@capstan/env";
import { type Client, createClient, silentLogger, transient } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { WEBHOOK_CONFIGURATION, webhookConfigurationKinds } from "./ca-bundle.ts";
import { CertificateKeeper } from "./certificate-keeper.ts";
import { CERTIFICATE_SECRET, readCertificates } from "./certificate-secret.ts";
import { type Credential, examine } from "./credential.ts";
import { HOSTS, LIFE_MS, START_MS, Stock } from "./issuer.fixture.ts";
import type { Kept } from "./rotation.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const namespace = "capstan-system";
const secretName = { namespace, name: CERTIFICATE_SECRET };
// A day after two thirds of the first certificate's lifetime.
const LATE_MS = (LIFE_MS * 2) / 3 + DAY_MS;

interface Replica {
  readonly process: VirtualProcess;
  readonly keeper: CertificateKeeper;
  readonly served: Credential[];
  readonly writes: string[];
  leads: boolean;
}

/** A management cluster with webhook configurations and replicas with a keeper, on one virtual clock. */
class Installation {
  readonly scheduler: Scheduler;
  readonly client: Client;
  readonly stock = new Stock();
  readonly replicas: Replica[] = [];
  readonly #server: Handler;

  constructor(seed = "1") {
    this.scheduler = new Scheduler({ seed });
    const kinds = [Namespace, Secret, ...webhookConfigurationKinds];
    const env = new VirtualProcess(this.scheduler, "apiserver");
    this.#server = createApiServer({
      env,
      kinds,
      storage: createMemoryStorage({ historyLimit: 100 }),
    }).handle;
    const user = new VirtualProcess(this.scheduler, "user");
    this.client = createClient({ transport: user.connect(this.#server), env: user, fieldManager: "user" });
  }

  async install(): Promise<this> {
    await this.run(this.client.create(Namespace, { metadata: { name: namespace } }));
    const webhooks = ["a.capstan", "b.capstan"].map((name) => ({ name, clientConfig: {} }));
    for (const kind of webhookConfigurationKinds)
      await this.run(this.client.create(kind, { metadata: { name: WEBHOOK_CONFIGURATION }, webhooks }));
    return this;
  }

  /** Starts a replica; `fate` decides about its writes. */
  start(
    name: string,
    { leads = false, fate }: { leads?: boolean; fate?: (request: HttpRequest) => Fate } = {},
  ): Replica {
    const process = new VirtualProcess(this.scheduler, name);
    const served: Credential[] = [];
    const writes: string[] = [];
    const transport = process.connect(this.#server, {
      fate: (request) => {
        if (request.method === "GET") return "deliver";
        writes.push(`${request.method} ${request.path.split("?")[0]}`);
        return fate?.(request) ?? "deliver";
      },
    });
    const keeper = new CertificateKeeper({
      env: process,
      log: silentLogger,
      client: createClient({ transport, env: process, fieldManager: name }),
      namespace,
      hosts: HOSTS,
      issue: () => this.stock.take(process.clock.now()),
      assertMayWrite: () => {
        if (!replica.leads) throw transient("LeaseLost", "another one leads");
      },
      onServing: (serving) => served.push(serving),
    });
    const replica: Replica = { process, keeper, served, writes, leads };
    this.replicas.push(replica);
    keeper.run(new AbortController().signal).catch((error: unknown) => this.scheduler.fail(error));
    return replica;
  }

  async run<R>(promise: Promise<R>): Promise<R> {
    let settled = false;
    const done = promise.finally(() => (settled = true));
    done.catch(() => undefined);
    await this.scheduler.run({ until: () => settled });
    return done;
  }

  /** Skips half a year without half a million polls: the wall clocks jump, then every replica polls once. */
  async pass(ms: number): Promise<void> {
    for (const { process } of this.replicas) process.jumpWallClock(ms - 2 * MINUTE_MS);
    await this.scheduler.advance(2 * MINUTE_MS);
  }

  async kept(): Promise<Kept> {
    const found = readCertificates(await this.run(this.client.get(Secret, secretName)));
    if (!found) throw new Error("there are no certificates");
    return found;
  }

  /** The caBundle of each webhook of each configuration. */
  async trusted(): Promise<string[]> {
    const bundles: string[] = [];
    for (const kind of webhookConfigurationKinds) {
      const { webhooks = [] } = await this.run(this.client.get(kind, { name: WEBHOOK_CONFIGURATION }));
      for (const { clientConfig } of webhooks)
        bundles.push(Buffer.from(clientConfig.caBundle ?? "", "base64").toString());
    }
    return bundles;
  }

  /** Whether kube-apiserver can reach every living replica now. */
  async isOpen(): Promise<boolean> {
    const bundles = await this.trusted();
    const living = this.replicas.filter(({ process }) => !process.crashed);
    return living.every(({ served }) => {
      const serving = served.at(-1);
      return (
        serving && bundles.every((bundle) => typeof examine(serving, { hosts: HOSTS, bundle }) !== "string")
      );
    });
  }
}

/** An installation with certificates for the start and for the first rotation. */
async function installation(seed?: string): Promise<Installation> {
  const installed = await new Installation(seed).install();
  await installed.stock.add(START_MS, 2);
  await installed.stock.add(START_MS + LATE_MS - DAY_MS - 60 * MINUTE_MS, 3);
  return installed;
}

describe("one replica", () => {
  test("creates certificates, stores them in a Secret and writes the caBundle", async () => {
    const installed = await installation();
    const replica = installed.start("a", { leads: true });
    expect(replica.keeper.unready()).toEqual([
      "waiting for the webhook certificates: the first check has not finished yet",
    ]);
    await installed.scheduler.advance(MINUTE_MS);
    expect(replica.keeper.unready()).toEqual([]);
    const kept = await installed.kept();
    expect(replica.served).toEqual([kept.serving]);
    expect(await installed.trusted()).toEqual([kept.bundle, kept.bundle, kept.bundle, kept.bundle]);
    expect((await installed.run(installed.client.get(Secret, secretName))).type).toBe("kubernetes.io/tls");
    expect(replica.writes).toEqual([
      "POST /api/v1/namespaces/capstan-system/secrets",
      "PATCH /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/capstan",
      "PATCH /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/capstan",
    ]);
  });

  test("writes nothing while nothing is due", async () => {
    const installed = await installation();
    const replica = installed.start("a", { leads: true });
    await installed.scheduler.advance(MINUTE_MS);
    const { length } = replica.writes;
    await installed.scheduler.advance(60 * MINUTE_MS);
    expect(replica.writes).toHaveLength(length);
  });

  test("reuses the certificates after a restart", async () => {
    const installed = await installation();
    const before = installed.start("a-1", { leads: true });
    await installed.scheduler.advance(MINUTE_MS);
    before.process.crash();
    const after = installed.start("a-2", { leads: true });
    await installed.scheduler.advance(MINUTE_MS);
    expect(after.served).toEqual(before.served);
    expect(after.writes).toEqual([]);
  });

  test("works where no webhooks are installed", async () => {
    const installed = await installation();
    for (const kind of webhookConfigurationKinds)
      await installed.run(installed.client.delete(kind, { name: WEBHOOK_CONFIGURATION }));
    const replica = installed.start("a", { leads: true });
    await installed.scheduler.advance(MINUTE_MS);
    expect(replica.keeper.unready()).toEqual([]);
    expect(replica.writes).toHaveLength(1);
  });

  test("reports why it has none, and continues as soon as it can", async () => {
    const installed = await installation();
    let refusals = 1;
    const refuse = (): Fate =>
      refusals-- > 0 ? new TransportError("refused", "no server answers") : "deliver";
    const replica = installed.start("a", { leads: true, fate: refuse });
    await installed.scheduler.advance(1_000);
    expect(replica.keeper.unready().join()).toContain("no server answers");
    await installed.scheduler.advance(MINUTE_MS);
    expect(replica.keeper.unready()).toEqual([]);
  });

  test("restores a caBundle that a user removed, within seconds", async () => {
    const installed = await installation();
    installed.start("a", { leads: true });
    await installed.scheduler.advance(MINUTE_MS);
    const [mutating] = webhookConfigurationKinds;
    if (!mutating) throw new Error("there are two kinds");
    const patch = { webhooks: [{ name: "c.capstan", clientConfig: { caBundle: "" } }] };
    await installed.run(
      installed.client.patch(mutating, { name: WEBHOOK_CONFIGURATION }, { type: "merge", body: patch }),
    );
    expect(await installed.isOpen()).toBe(false);
    await installed.scheduler.advance(11_000);
    expect(await installed.isOpen()).toBe(true);
  });

  test("creates new certificates when a user deletes the Secret", async () => {
    const installed = await installation();
    const replica = installed.start("a", { leads: true });
    await installed.scheduler.advance(MINUTE_MS);
    await installed.run(installed.client.delete(Secret, secretName));
    await installed.scheduler.advance(2 * MINUTE_MS);
    expect(replica.served).toHaveLength(2);
    expect(await installed.isOpen()).toBe(true);
  });

  test("is not ready when its certificate has expired and it cannot create another", async () => {
    const installed = await new Installation().install();
    await installed.stock.add(START_MS, 1);
    const replica = installed.start("a", { leads: true });
    await installed.scheduler.advance(MINUTE_MS);
    await installed.pass(LIFE_MS + DAY_MS);
    expect(replica.keeper.unready()).toEqual([
      "the webhook certificate has expired: the test has too few certificates in stock",
    ]);
  });
});

describe("a rotation", () => {
  test("starts when a third of the lifetime is left, in two steps, without interrupting kube-apiserver", async () => {
    const installed = await installation();
    const replica = installed.start("a", { leads: true });
    await installed.scheduler.advance(MINUTE_MS);
    const { serving: first } = await installed.kept();
    await installed.pass(LATE_MS - DAY_MS);
    const during = await installed.kept();
    expect([during.serving, during.next === undefined]).toEqual([first, false]);
    expect(await installed.trusted()).toContain(during.bundle);
    expect(replica.served).toEqual([first]);
    expect(await installed.isOpen()).toBe(true);
    await installed.pass(DAY_MS);
    const after = await installed.kept();
    expect(after).toEqual({ bundle: during.bundle, serving: during.next });
    expect(replica.served).toEqual([first, during.next]);
    expect(await installed.isOpen()).toBe(true);
  });

  const crashes = (["crashBefore", "crashAfter"] as const).flatMap((moment) =>
    // A rotation has four writes: the Secret, each configuration, and the Secret again.
    [1, 2, 3, 4].map((write) => [moment, write] as const),
  );
  test.each(crashes)("is finished by the next replica after %s of write %d", async (moment, fatal) => {
    const installed = await installation();
    const first = installed.start("a", { leads: true });
    await installed.scheduler.advance(MINUTE_MS);
    first.process.crash();
    let writes = 0;
    const second = installed.start("b", {
      leads: true,
      fate: () => (++writes === fatal ? moment : "deliver"),
    });
    await installed.pass(LATE_MS - DAY_MS);
    await installed.pass(DAY_MS);
    expect(second.process.crashed).toBe(true);
    const third = installed.start("c", { leads: true });
    third.process.jumpWallClock(LATE_MS);
    await installed.scheduler.advance(2 * MINUTE_MS);
    expect(await installed.isOpen()).toBe(true);
    third.process.jumpWallClock(2 * DAY_MS);
    await installed.scheduler.advance(2 * MINUTE_MS);
    expect(await installed.isOpen()).toBe(true);
    const { serving, next } = await installed.kept();
    expect([third.served.at(-1), next]).toEqual([serving, undefined]);
    expect(serving.cert).not.toBe(first.served.at(-1)?.cert);
  });
});

describe("two replicas", () => {
  test.each(["1", "2", "3", "4", "5", "6", "7", "8"])("agree on one certificate, seed %s", async (seed) => {
    const installed = await installation(seed);
    const a = installed.start("a");
    const b = installed.start("b", { leads: true });
    await installed.scheduler.advance(1_000);
    const { serving } = await installed.kept();
    expect([a.served, b.served]).toEqual([[serving], [serving]]);
    const creations = [...a.writes, ...b.writes].filter((write) => write.startsWith("POST"));
    expect(creations).toHaveLength(2);
    expect(await installed.isOpen()).toBe(true);
  });

  test.each(["1", "2", "3", "4"])("rotate together, seed %s", async (seed) => {
    const installed = await installation(seed);
    const a = installed.start("a");
    const b = installed.start("b", { leads: true });
    await installed.scheduler.advance(MINUTE_MS);
    await installed.pass(LATE_MS - DAY_MS);
    expect(await installed.isOpen()).toBe(true);
    await installed.pass(DAY_MS);
    expect(await installed.isOpen()).toBe(true);
    const { serving, next } = await installed.kept();
    expect(next).toBeUndefined();
    for (const { served } of [a, b]) expect([served.length, served.at(-1)]).toEqual([2, serving]);
  });

  test("leave the caBundle to the leader, which writes it within seconds", async () => {
    const installed = await installation();
    const a = installed.start("a");
    await installed.scheduler.advance(60 * MINUTE_MS);
    expect(a.writes).toEqual(["POST /api/v1/namespaces/capstan-system/secrets"]);
    expect(a.keeper.unready()).toEqual([]);
    a.leads = true;
    await installed.scheduler.advance(11_000);
    expect(await installed.isOpen()).toBe(true);
  });
});
