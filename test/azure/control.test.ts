import { type AzureOptions, createAzure, DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { AdjustableClock, Scheduler, VirtualProcess } from "@capstan/env";
import { expect, test } from "vitest";
import { type Cloud, GROUP, type Received, scaleSet, startCloud, withScaleSet } from "./cloud.ts";

const SET = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/pool`;

interface Controlled extends Cloud {
  ask(method: string, path: string, body?: unknown): Promise<Received>;
}

function controlled(options: Partial<AzureOptions> = {}): Controlled {
  const cloud = startCloud({ settings: { controlToken: "open" }, ...options });
  const headers = { authorization: "Bearer open" };
  return { ...cloud, ask: (method, path, body) => cloud.send(method, `/_sim/${path}`, { body, headers }) };
}

test("the control API needs its own token, and does not exist without one", async () => {
  expect((await controlled().send("GET", "/_sim/clock")).status).toBe(401);
  expect((await startCloud().send("GET", "/_sim/clock")).status).toBe(404);
});

test("time is skipped, and the due events have happened", async () => {
  const cloud = controlled();
  await withScaleSet(cloud, 1);
  await cloud.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", scaleSet(3)).submitted();
  await cloud.ask("POST", "clock", { advanceSeconds: 3600 });
  expect((await cloud.ask("GET", "state")).body).toMatchObject({
    runningOperations: [],
    scaleSets: [{ capacity: 3, instances: { Succeeded: 3 } }],
  });
});

test("a faster cloud is done sooner, and its Retry-After is the same in its own time", async () => {
  const cloud = controlled();
  await withScaleSet(cloud, 1);
  expect((await cloud.ask("POST", "clock", { speed: 5 })).body).toMatchObject({ speed: 5 });
  const before = cloud.azure.control.nowMs;
  const answer = await cloud.send("POST", `${SET}/restart?api-version=2024-07-01`);
  expect(answer.headers["retry-after"]).toBe("10");
  await cloud.scheduler.advance(1000);
  expect(cloud.azure.control.nowMs - before).toBe(5000);
});

test("a cloud in the time of its world shows it, and refuses to change it", async () => {
  const scheduler = new Scheduler({ seed: "world" });
  const env = new VirtualProcess(scheduler, "azure");
  const azure = createAzure({ env, settings: { controlToken: "open" } });
  const ask = async (method: string, body?: object): Promise<unknown> => {
    const headers = { authorization: "Bearer open" };
    return (await azure.handle({ method, path: "/_sim/clock", headers, body })).json();
  };
  await scheduler.advance(90_000);
  expect(await ask("GET")).toEqual({ now: "2026-01-01T00:01:30.000Z", speed: 1 });
  for (const change of [{ speed: 60 }, { advanceSeconds: 1 }]) {
    expect(await ask("POST", change)).toMatchObject({
      error: {
        code: "ClockNotAdjustable",
        message: "This cloud shares the clock of its world; the control API cannot change it.",
      },
    });
  }
});

test("at a speed that does not divide evenly everything still happens by itself", async () => {
  const cloud = controlled();
  await withScaleSet(cloud, 1);
  await cloud.ask("POST", "clock", { speed: 7 });
  await cloud.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", scaleSet(20)).submitted();
  let booted = 0;
  cloud.azure.core.onMachine(({ kind }) => void (kind === "booted" && booted++));
  await cloud.scheduler.run({ untilMs: cloud.scheduler.monotonicMs + 3_600_000 / 7, maxSteps: 1000 });
  expect(booted).toBe(19);
});

test("a change of time that cannot be kept is refused with the reason", async () => {
  const env = new VirtualProcess(new Scheduler({ seed: "full" }), "azure");
  const clock = new AdjustableClock(env.clock, {
    keep: () => {
      throw new Error("the disk is full");
    },
  });
  const cloud = controlled({ env, clock });
  for (const change of [{ speed: 60 }, { advanceSeconds: 1 }]) {
    const { status, body } = await cloud.ask("POST", "clock", change);
    const message = "The time could not be changed: the disk is full";
    expect([status, body]).toMatchObject([500, { error: { message } }]);
  }
  expect((await cloud.ask("GET", "clock")).body).toEqual({ now: "2026-01-01T00:00:00.000Z", speed: 1 });
});

test("faults are switched on and off", async () => {
  const cloud = controlled();
  const rule = {
    id: "down",
    match: { method: "GET" },
    effect: { kind: "status", status: 500, code: "InternalServerError" },
  };
  expect((await cloud.ask("POST", "faults", rule)).status).toBe(201);
  expect((await cloud.ask("GET", "faults")).body).toEqual({ value: [rule] });
  const groups = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourcegroups?api-version=2024-03-01`;
  expect((await cloud.send("GET", groups)).status).toBe(500);
  expect((await cloud.ask("DELETE", "faults/down")).status).toBe(204);
  expect((await cloud.send("GET", groups)).status).toBe(200);
});

test.each([
  ["POST", "faults", { match: {}, effect: { kind: "drop" } }, "id"],
  ["POST", "faults", { id: "a", effect: { kind: "explode" } }, "effect.kind"],
  ["POST", "faults", { id: "a", effect: { kind: "delay", ms: "soon" } }, "effect.ms"],
  ["POST", "faults", { id: "a", match: { verb: "GET" }, effect: { kind: "drop" } }, "match.verb"],
  ["POST", "prohibitions", { name: "a", scope: "/", kind: "Never" }, "kind"],
  ["POST", "clock", { speed: -1 }, "speed"],
  ["POST", "clock", { speed: "fast" }, "speed"],
  ["POST", "clock", { speed: 10_001 }, "speed"],
  ["POST", "clock", { advanceSeconds: 0 }, "advanceSeconds"],
  ["POST", "clock", { advanceSeconds: 99_999_999_999 * 3600 }, "advanceSeconds"],
  ["POST", "actions/evict", { scaleSetId: SET }, "instanceId"],
  ["POST", "actions/file", { scaleSetId: SET, instanceId: "0" }, "path"],
  ["POST", "actions/file", { scaleSetId: SET, instanceId: "0", path: "/a", content: 1 }, "content"],
])("%s %s with %j is refused and names the field", async (method, path, body, target) => {
  const answer = await controlled().ask(method, path, body);
  expect([answer.status, answer.body]).toMatchObject([400, { error: { target } }]);
});

test("files of an image are read and listed by version, and are not written", async () => {
  const cloud = controlled();
  const gallery = "/CommunityGalleries/ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019";
  const file = (version: string, path: string, content?: string) =>
    cloud.ask("POST", "actions/file", {
      imageId: `${gallery}/Images/capi-ubun2-2404/versions/${version}`,
      path,
      ...(content !== undefined && { content }),
    });
  expect((await file("1.33.5", "/usr/bin/kubeadm")).body).toEqual({ content: "kubeadm v1.33.5\n" });
  expect((await file("latest", "/usr/bin/kubeadm")).body).toEqual({ content: "kubeadm v1.34.1\n" });
  const all = { content: "/etc/kubernetes-version\n/usr/bin/kubeadm\n/var/lib/dpkg/status\n" };
  expect((await file("latest", "/")).body).toEqual(all);
  const refusals = [
    await file("1.33.5", "/etc/machine-id"),
    await file("1.33.5", "/etc/ssh/"),
    await file("9.9.9", "/"),
    await file("latest", "/etc/patch", "1"),
  ];
  expect(refusals.map(({ body }) => (body as { error: { message: string } }).error.message)).toEqual([
    "The file '/etc/machine-id' does not exist in this image.",
    "The folder '/etc/ssh/' has no files in this image.",
    "The image has no version '9.9.9'; it has 1.33.5, 1.34.1.",
    "An image cannot be changed; write to a machine.",
  ]);
});

test("another client deletes a machine and changes the size of the set", async () => {
  const cloud = controlled();
  await withScaleSet(cloud, 2);
  expect(
    (await cloud.ask("POST", "actions/deleteInstance", { scaleSetId: SET, instanceId: "0" })).status,
  ).toBe(202);
  await cloud.ask("POST", "clock", { advanceSeconds: 3600 });
  expect((await cloud.ask("POST", "actions/setCapacity", { scaleSetId: SET, capacity: 4 })).status).toBe(200);
  await cloud.ask("POST", "clock", { advanceSeconds: 3600 });
  expect(cloud.azure.control.state().scaleSets).toMatchObject([{ capacity: 4, instances: { Succeeded: 4 } }]);
  const { body } = await cloud.ask("GET", "journal?since=0");
  expect(body).toMatchObject({ hash: cloud.azure.control.journalHash });
  expect(JSON.stringify(body)).toContain("simulated-operator");
});
