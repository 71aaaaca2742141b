import { type Frozen, Node } from "@capstan/api";
import { createAzure, createMemoryStore } from "@capstan/azure-sim";
import {
  type Fate,
  type HttpRequest,
  type Rng,
  Scheduler,
  TransportError,
  VirtualProcess,
} from "@capstan/env";
import { Informer, silentLogger } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import {
  createToken,
  ENDPOINT,
  JOIN_DATA,
  POOL,
  putPool,
  startGuestsAgain,
  startStory,
  type Story,
  type StoryOptions,
} from "./guests.fixture.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

async function withNodes(seed = "1", capacity = 3, options: StoryOptions = {}): Promise<Story> {
  const story = await startStory(seed, options);
  await createToken(story, 24 * HOUR_MS);
  await putPool(story, capacity);
  await story.scheduler.advance(HOUR_MS);
  return story;
}

async function nodesOf({ client, finish }: Story): Promise<Frozen<Node>[]> {
  const nodes = await finish(client.list(Node));
  return [...nodes].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
}

function readiness(node: Frozen<Node> | undefined): string | undefined {
  return node?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
}

/** What identifies a node, machine and boot. */
function identityOf(node: Frozen<Node> | undefined): Record<string, string | undefined> {
  if (!node) throw new Error("there is no node");
  const { bootID, machineID } = node.status?.nodeInfo ?? {};
  return { name: node.metadata.name, uid: node.metadata.uid, bootID, machineID };
}

/** Records the values of the first node's Ready condition from now on. */
async function followFirst({ client, env, scheduler }: Story): Promise<string[]> {
  const seen: string[] = [];
  const onBug = (error: unknown): void => scheduler.fail(error);
  const nodes = new Informer<Node>({ client, env, kind: Node, scope: {}, log: silentLogger, onBug });
  nodes.addHandler(({ type, object }) => {
    if (object.metadata.name !== "pool000000") return;
    const now = type === "deleted" ? "gone" : (readiness(object) ?? "nothing");
    if (now !== seen.at(-1)) seen.push(now);
  });
  void nodes.run(new AbortController().signal);
  await scheduler.advance(1000);
  return seen;
}

describe("machines with valid custom data", () => {
  test("become Ready nodes that the cloud provider has initialized", async () => {
    const story = await withNodes();
    const nodes = await nodesOf(story);
    expect(nodes.map(({ metadata }) => metadata.name)).toEqual(["pool000000", "pool000001", "pool000002"]);
    expect(nodes.map(readiness)).toEqual(["True", "True", "True"]);
    expect(nodes.map(({ spec }) => spec?.providerID)).toEqual(
      ["0", "1", "2"].map((id) => `azure://${POOL.replace("Story", "story")}/virtualMachines/${id}`),
    );
    const [node] = nodes;
    expect(node?.spec?.taints).toEqual([{ key: "dedicated", value: "batch", effect: "NoSchedule" }]);
    expect(node?.metadata.labels).toMatchObject({
      pool: "blue",
      "kubernetes.io/hostname": "pool000000",
      "topology.kubernetes.io/region": "westus2",
      "topology.kubernetes.io/zone": expect.stringMatching(/^westus2-[123]$/) as string,
    });
    expect(node?.status).toMatchObject({
      capacity: { cpu: "4", memory: "16Gi" },
      nodeInfo: { kubeletVersion: "v1.34.1" },
      addresses: [
        { type: "InternalIP", address: expect.stringMatching(/^10\.0\.0\./) as string },
        { type: "Hostname", address: "pool000000" },
      ],
    });
    expect(story.guests.list().map(({ stage }) => stage)).toEqual(["ready", "ready", "ready"]);
  });

  test("become nodes by five writes each, none of them refused", async () => {
    let sent = 0;
    let stored = 0;
    const fate = ({ method }: HttpRequest): Fate => {
      if (method !== "GET") sent++;
      return "deliver";
    };
    const latencyMs = (rng: Rng): number => 1 + rng.next() * 4;
    const story = await startStory("1", { link: { fate, latencyMs } });
    story.server.storage.follow((resource) => {
      if (resource === `${Node.group}/${Node.plural}`) stored++;
    });
    await createToken(story, HOUR_MS);
    await putPool(story, 20);
    await story.scheduler.advance(HOUR_MS);
    // Created, addressed, providerID set, Ready, and the taint of unready nodes removed.
    expect([sent, stored]).toEqual([100, 100]);
  });

  test("reach the same state with the same seed, and another with another seed", async () => {
    const [first, second, other] = [await withNodes("7"), await withNodes("7"), await withNodes("8")];
    expect(await nodesOf(second)).toEqual(await nodesOf(first));
    expect(second.guests.list()).toEqual(first.guests.list());
    expect(other.guests.list()).not.toEqual(first.guests.list());
  });

  test("send no requests once they are Ready", async () => {
    const story = await withNodes();
    const version = story.server.storage.resourceVersion;
    await story.scheduler.advance(12 * HOUR_MS);
    expect(story.server.storage.resourceVersion).toBe(version);
  });
});

describe("machines that cannot join", () => {
  test.each([
    ["whose token has expired", "TokenExpired", 1000, JOIN_DATA],
    ["without a kubeadm join", "NoJoin", HOUR_MS, "#cloud-config\nruncmd: [reboot]\n"],
    ["whose custom data is a script", "NotCloudInit", HOUR_MS, "#!/bin/sh\nkubeadm join\n"],
  ])("%s fail with the reason %s", async (_, reason, tokenMs, customData) => {
    const story = await startStory("1");
    await createToken(story, tokenMs);
    await putPool(story, 1, { customData });
    await story.scheduler.advance(HOUR_MS);
    expect(await nodesOf(story)).toEqual([]);
    expect(story.guests.list()).toMatchObject([{ stage: "failed", failure: { reason } }]);
    expect(
      story.azure.core.disk(`${POOL}/virtualMachines/0`)?.read("/var/log/cloud-init-output.log"),
    ).toContain(reason);
  });
});

describe("a node", () => {
  test("stays Ready for the grace period after its machine is deleted, and is then deleted", async () => {
    const story = await withNodes();
    const seen = await followFirst(story);
    await story.arm("POST", `${POOL}/delete`, { instanceIds: ["0"] });
    await story.scheduler.run({ until: () => story.guests.list().length === 2 });
    await story.scheduler.advance(39_000);
    expect((await nodesOf(story)).map(readiness)).toEqual(["True", "True", "True"]);
    await story.scheduler.advance(MINUTE_MS);
    expect(seen).toEqual(["True", "Unknown", "gone"]);
    expect((await nodesOf(story)).map(({ metadata }) => metadata.name)).toEqual(["pool000001", "pool000002"]);
  });

  test("is Unknown while its machine is stopped, and Ready with another boot id after it starts", async () => {
    const story = await withNodes();
    const before = identityOf((await nodesOf(story))[0]);
    await story.arm("POST", `${POOL}/deallocate`, { instanceIds: ["0"] });
    await story.scheduler.advance(10 * MINUTE_MS);
    expect((await nodesOf(story)).map(readiness)).toEqual(["Unknown", "True", "True"]);
    await story.arm("POST", `${POOL}/start`, { instanceIds: ["0"] });
    await story.scheduler.advance(HOUR_MS);
    const [node] = await nodesOf(story);
    const after = identityOf(node);
    expect(readiness(node)).toBe("True");
    expect(after).toEqual({ ...before, bootID: after.bootID });
    expect(after.bootID).not.toBe(before.bootID);
  });

  test.each(["1", "2", "3", "4"])(
    "of a re-imaged machine joins again, but not before the old one is silent (seed %s)",
    async (seed) => {
      const story = await withNodes(seed, 1);
      const before = identityOf((await nodesOf(story))[0]);
      const seen = await followFirst(story);
      await story.arm("POST", `${POOL}/reimage`, { instanceIds: ["0"] });
      await story.scheduler.advance(HOUR_MS);
      expect(seen).toEqual(["True", "Unknown", "False", "True"]);
      const after = identityOf((await nodesOf(story))[0]);
      expect(after.name).toBe(before.name);
      expect(after.machineID).not.toBe(before.machineID);
    },
  );
});

describe("the grace period", () => {
  test("is long enough for a quick restart: the node has another boot id and was never Unknown", async () => {
    const story = await withNodes("1", 1, { settings: { boot: { p50: 20, p90: 21 } } });
    const before = identityOf((await nodesOf(story))[0]);
    const seen = await followFirst(story);
    await story.arm("POST", `${POOL}/restart`, { instanceIds: ["0"] });
    await story.scheduler.advance(HOUR_MS);
    expect(seen).toEqual(["True", "False", "True"]);
    expect(identityOf((await nodesOf(story))[0]).bootID).not.toBe(before.bootID);
  });

  test("starts when the machine stops, also when the machine is deleted during it", async () => {
    const story = await withNodes("1", 1);
    const seen = await followFirst(story);
    await story.arm("POST", `${POOL}/poweroff`, { instanceIds: ["0"] });
    await story.scheduler.run({ until: () => story.guests.list()[0]?.stage === "stopped" });
    const stoppedMs = story.scheduler.monotonicMs;
    await story.arm("POST", `${POOL}/delete`, { instanceIds: ["0"] });
    await story.scheduler.run({ until: () => story.guests.list().length === 0 });
    expect(story.scheduler.monotonicMs - stoppedMs).toBeLessThan(40_000);
    await story.scheduler.run({ until: () => seen.at(-1) === "Unknown" });
    expect(story.scheduler.monotonicMs - stoppedMs).toBeLessThan(40_100);
  });

  test("does not start again when a machine that stopped long before is deleted", async () => {
    const story = await withNodes("1", 1);
    await story.arm("POST", `${POOL}/poweroff`, { instanceIds: ["0"] });
    await story.scheduler.advance(HOUR_MS);
    expect((await nodesOf(story)).map(readiness)).toEqual(["Unknown"]);
    await story.arm("POST", `${POOL}/delete`, { instanceIds: ["0"] });
    await story.scheduler.run({ until: () => story.guests.list().length === 0 });
    await story.scheduler.advance(1000);
    expect(await nodesOf(story)).toEqual([]);
  });
});

describe("guests", () => {
  test("retry until the API server answers", async () => {
    let isAway = true;
    const refused = new TransportError("refused", "connection refused");
    const story = await startStory("1", { link: { fate: () => (isAway ? refused : "deliver") } });
    await createToken(story, 24 * HOUR_MS);
    await putPool(story, 2);
    await story.scheduler.advance(HOUR_MS);
    expect(story.guests.list().map(({ stage }) => stage)).toEqual(["joining", "joining"]);
    isAway = false;
    await story.scheduler.advance(HOUR_MS);
    expect((await nodesOf(story)).map(readiness)).toEqual(["True", "True"]);
  });

  test("resume from their disks after a restart, without a write", async () => {
    const story = await withNodes();
    story.guests.close();
    const version = story.server.storage.resourceVersion;
    const again = startGuestsAgain(story, "guests-2");
    await story.scheduler.advance(HOUR_MS);
    expect(again.list().map(({ stage }) => stage)).toEqual(["ready", "ready", "ready"]);
    expect(story.server.storage.resourceVersion).toBe(version);
    await story.arm("POST", `${POOL}/delete`, { instanceIds: ["1"] });
    await story.scheduler.advance(HOUR_MS);
    expect((await nodesOf(story)).map(({ metadata }) => metadata.name)).toEqual(["pool000000", "pool000002"]);
  });

  test("keep the reason of a failure across a restart, and do not retry on the same disk", async () => {
    const story = await startStory("1");
    await putPool(story, 1);
    await story.scheduler.advance(HOUR_MS);
    story.guests.close();
    await createToken(story, 24 * HOUR_MS);
    const again = startGuestsAgain(story, "guests-2");
    await story.scheduler.advance(HOUR_MS);
    expect(again.list()).toMatchObject([{ stage: "failed", failure: { reason: "TokenNotFound" } }]);
    await story.arm("POST", `${POOL}/reimage`, { instanceIds: ["0"] });
    await story.scheduler.advance(HOUR_MS);
    expect(again.list()).toMatchObject([{ stage: "ready" }]);
  });

  test("that crash before or after every write still bring every machine to Ready", async () => {
    const story = await startStory("1");
    await createToken(story, 24 * HOUR_MS);
    story.guests.close();
    await putPool(story, 2);
    await story.scheduler.advance(HOUR_MS);
    let crashes = 0;
    for (let hasCrashed = true; hasCrashed;) {
      hasCrashed = false;
      const fate = ({ method }: { method: string }): Fate => {
        if (method === "GET") return "deliver";
        hasCrashed = true;
        return crashes % 2 === 0 ? "crashAfter" : "crashBefore";
      };
      startGuestsAgain(story, `guests-${crashes + 2}`, { link: { fate } });
      await story.scheduler.run({
        until: () => hasCrashed,
        untilMs: story.scheduler.monotonicMs + HOUR_MS,
      });
      if (hasCrashed) crashes++;
    }
    expect(crashes).toBeGreaterThan(10);
    const nodes = await nodesOf(story);
    expect(nodes.map(readiness)).toEqual(["True", "True"]);
    expect(nodes.map(({ spec }) => spec?.taints?.map(({ key }) => key))).toEqual([
      ["dedicated"],
      ["dedicated"],
    ]);
    expect(nodes.map(({ metadata }) => metadata.labels?.["pool"])).toEqual(["blue", "blue"]);
  });

  test("store their join durably before they register", async () => {
    const store = createMemoryStore();
    const kept: (string | undefined)[] = [];
    const fate = ({ method, path }: { method: string; path: string }): Fate => {
      if (method === "POST" && path.endsWith("/nodes")) {
        const env = new VirtualProcess(new Scheduler({ seed: "1" }), "after-a-crash");
        kept.push(
          createAzure({ env, store })
            .core.disk(`${POOL}/virtualMachines/0`)
            ?.read("/etc/kubernetes/kubelet.conf"),
        );
      }
      return "deliver";
    };
    await withNodes("1", 1, { store, link: { fate } });
    expect(kept).toEqual([expect.stringContaining("system:node:pool000000")]);
  });

  test("leave no timers or requests behind after they are closed", async () => {
    const steps: string[] = [];
    const story = await withNodes("1", 2, { onStep: (_, label) => steps.push(label) });
    // One machine is in its grace period, one boots, and one waits for a cluster that does not exist.
    await story.arm("POST", `${POOL}/delete`, { instanceIds: ["0"] });
    await story.scheduler.run({ until: () => story.guests.list().length === 1 });
    await story.arm("POST", `${POOL}/reimage`, { instanceIds: ["1"] });
    const customData = JOIN_DATA.replace(ENDPOINT, "elsewhere:6443");
    await putPool(story, 1, { customData, id: `${POOL}-2` });
    await story.scheduler.run({ until: () => story.guests.list().at(-1)?.failure !== undefined });
    story.guests.close();
    await story.scheduler.advance(1000);
    steps.length = 0;
    await story.scheduler.advance(24 * HOUR_MS);
    expect(steps.filter((label) => label.startsWith("guests"))).toEqual([]);
  });

  test("do nothing after they are closed", async () => {
    const story = await withNodes();
    await story.arm("POST", `${POOL}/delete`, { instanceIds: ["0"] });
    await story.scheduler.run({ until: () => story.guests.list().length === 2 });
    story.guests.close();
    await story.scheduler.advance(HOUR_MS);
    expect((await nodesOf(story)).map(readiness)).toEqual(["True", "True", "True"]);
  });

  test("ignore changes of their Nodes after they are closed, while the informer still runs", async () => {
    const story = await withNodes();
    const images = (): string | undefined =>
      story.azure.core.disk(`${POOL}/virtualMachines/0`)?.read("/var/lib/containerd/images.json");
    const before = images();
    story.guests.close();
    const body = { status: { images: [{ names: ["new"], sizeBytes: 1 }] } };
    const patch = { type: "merge", subresource: "status", body } as const;
    await story.finish(story.client.patch(Node, { name: "pool000000" }, patch));
    await story.scheduler.advance(MINUTE_MS);
    expect(before).toContain("kube-proxy");
    expect(images()).toBe(before);
  });
});

describe("a change of a machine while no guests run", () => {
  test("is noticed: the Nodes of deleted machines become Unknown and are deleted", async () => {
    const story = await withNodes("1", 2);
    story.guests.close();
    await story.arm("POST", `${POOL}/delete`, { instanceIds: ["0", "1"] });
    await story.scheduler.advance(HOUR_MS);
    expect((await nodesOf(story)).map(readiness)).toEqual(["True", "True"]);
    const seen = await followFirst(story);
    startGuestsAgain(story, "guests-2").attend(ENDPOINT);
    await story.scheduler.advance(39_000);
    expect(seen).toEqual(["True"]);
    await story.scheduler.advance(MINUTE_MS);
    expect(seen).toEqual(["True", "Unknown", "gone"]);
    expect(await nodesOf(story)).toEqual([]);
  });

  test("is noticed: the Node of a stopped machine becomes Unknown and stays", async () => {
    const story = await withNodes("1", 1);
    story.guests.close();
    await story.arm("POST", `${POOL}/deallocate`, { instanceIds: ["0"] });
    await story.scheduler.advance(HOUR_MS);
    startGuestsAgain(story, "guests-2");
    await story.scheduler.advance(MINUTE_MS);
    expect((await nodesOf(story)).map(readiness)).toEqual(["Unknown"]);
  });

  test("is noticed: a re-imaged machine joins again as soon as its old Node is Unknown", async () => {
    const story = await withNodes("1", 1);
    const before = identityOf((await nodesOf(story))[0]);
    story.guests.close();
    await story.arm("POST", `${POOL}/reimage`, { instanceIds: ["0"] });
    await story.scheduler.advance(HOUR_MS);
    startGuestsAgain(story, "guests-2");
    await story.scheduler.advance(HOUR_MS);
    const [node] = await nodesOf(story);
    expect(readiness(node)).toBe("True");
    expect(identityOf(node).machineID).not.toBe(before.machineID);
  });
});

describe("the taints of a node", () => {
  const taintsOf = async (story: Story): Promise<string[] | undefined> =>
    (await nodesOf(story))[0]?.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`);

  test("follow its health", async () => {
    const story = await withNodes("1", 1);
    expect(await taintsOf(story)).toEqual(["dedicated:NoSchedule"]);
    await story.arm("POST", `${POOL}/deallocate`, { instanceIds: ["0"] });
    await story.scheduler.advance(10 * MINUTE_MS);
    expect(await taintsOf(story)).toEqual([
      "dedicated:NoSchedule",
      "node.kubernetes.io/unreachable:NoSchedule",
      "node.kubernetes.io/unreachable:NoExecute",
    ]);
    await story.arm("POST", `${POOL}/start`, { instanceIds: ["0"] });
    await story.scheduler.advance(HOUR_MS);
    expect(await taintsOf(story)).toEqual(["dedicated:NoSchedule"]);
  });

  test("include not-ready until it is Ready", async () => {
    const story = await startStory("1");
    await createToken(story, 24 * HOUR_MS);
    await putPool(story, 1);
    await story.scheduler.run({ until: () => story.guests.list()[0]?.stage === "registered" });
    await story.scheduler.advance(1000);
    expect(await taintsOf(story)).toEqual([
      "dedicated:NoSchedule",
      "node.kubernetes.io/not-ready:NoSchedule",
      "node.kubernetes.io/not-ready:NoExecute",
    ]);
  });
});

test.each([
  ["restart", true],
  ["reimage", false],
])("a node has its pulled images after a %s: %s", async (action, isThere) => {
  const story = await withNodes("1", 1);
  const [node] = await nodesOf(story);
  const images = [...(node?.status?.images ?? []), { names: ["web:1"], sizeBytes: 7 }];
  const patch = { type: "merge", subresource: "status", body: { status: { images } } } as const;
  await story.finish(story.client.patch(Node, { name: "pool000000" }, patch));
  await story.scheduler.advance(1000);
  await story.arm("POST", `${POOL}/${action}`, { instanceIds: ["0"] });
  await story.scheduler.advance(HOUR_MS);
  const [after] = await nodesOf(story);
  expect(identityOf(after).bootID).not.toBe(identityOf(node).bootID);
  expect(after?.status?.images?.some(({ names }) => names?.includes("web:1"))).toBe(isThere);
});

test("a Node of an earlier boot changes nothing on the disk", async () => {
  const story = await withNodes("1", 1);
  const status = { images: [{ names: ["old:1"], sizeBytes: 7 }], nodeInfo: { bootID: "earlier" } };
  const patch = { type: "merge", subresource: "status", body: { status } } as const;
  await story.finish(story.client.patch(Node, { name: "pool000000" }, patch));
  await story.scheduler.advance(1000);
  expect(
    story.azure.core.disk(`${POOL}/virtualMachines/0`)?.read("/var/lib/containerd/images.json"),
  ).not.toContain("old:1");
});
