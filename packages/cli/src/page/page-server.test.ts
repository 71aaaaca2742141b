import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cluster, type KubernetesObject } from "@capstan/api";
import { builtInKinds } from "@capstan/apiserver";
import { cluster, machinePool } from "@capstan/runtime/testing/builders";
import { afterEach, describe, expect, test } from "vitest";
import { keptPage } from "./kept-page.ts";
import { type AnyMessage, ORIGIN, PageBed, PORT, rightsIn } from "./page.fixture.ts";

const beds: PageBed[] = [];
afterEach(() => {
  for (const bed of beds.splice(0)) bed.close();
});

function pageBed(options?: ConstructorParameters<typeof PageBed>[0]): PageBed {
  const bed = new PageBed(options);
  beds.push(bed);
  return bed;
}

/** The next message of a stream. */
async function nextOf(messages: AsyncGenerator<AnyMessage, undefined>): Promise<AnyMessage> {
  const next: IteratorResult<AnyMessage, undefined> = await messages.next();
  if (next.done === true) throw new Error("the stream has ended");
  return next.value;
}

const named = (name: string, namespace = "default"): KubernetesObject =>
  cluster({ metadata: { name, namespace } });

describe("the policy of the page", () => {
  test("lets a browser run and load nothing but its own files, on every answer", async () => {
    const bed = pageBed();
    const { path, headers } = await bed.session();
    const answers = await Promise.all([
      bed.request("/"),
      bed.request("/nowhere"),
      bed.request("/s/unknown/stream"),
      bed.request(`${path}/session`, { headers }),
      bed.request(`${path}/stream?view=fleet`, { headers }),
      bed.request("/", { headers: { host: "evil.example" } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 200, 200, 421]);
    for (const answer of answers) {
      const policy = answer.headers["content-security-policy"] ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(answer.headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      });
    }
  });

  test("has no inline script or style, and no address of another server", async () => {
    const html = await (await pageBed().request("/clusters/default/quay")).text();
    expect(html).toMatch(/<script type="module" src="\/app\.js"><\/script>/);
    expect(html).not.toMatch(/<style|style=| on[a-z]+=|https?:/);
  });
});

describe("a login", () => {
  test("is good for one use of the link", async () => {
    const bed = pageBed();
    const token = bed.page.sessions.newToken();
    const wrong = await bed.post("0".repeat(64));
    const first = await bed.post(token);
    const second = await bed.post(token);
    expect([wrong.status, first.status, second.status]).toEqual([403, 200, 403]);
    const id = await first.text();
    expect(first.headers["set-cookie"]).toMatch(
      new RegExp(`^capstan-${PORT}=[0-9a-f]{64}; Path=/s/${id}; HttpOnly; SameSite=Strict$`),
    );
    expect(await second.text()).toContain("capstan page prints a new one");
  });

  test("admits a browser to its own session alone", async () => {
    const bed = pageBed();
    const [one, other] = [await bed.session(), await bed.session()];
    const tried = [
      bed.request(`${one.path}/session`, { headers: one.headers }),
      bed.request(`${one.path}/session`),
      bed.request(`${one.path}/session`, { headers: other.headers }),
      bed.request(`${one.path}/stream?view=fleet`, { headers: { cookie: `capstan-${PORT}=` } }),
    ];
    expect((await Promise.all(tried)).map(({ status }) => status)).toEqual([200, 401, 401, 401]);
  });

  test.each([
    ["of another origin", { origin: "http://evil.example" }, 403],
    ["of another port of this machine", { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }, 403],
    ["that a form of another site sends", { "content-type": "application/x-www-form-urlencoded" }, 400],
  ])("%s is refused, and the link stays good", async (_, headers, status) => {
    const bed = pageBed();
    const token = bed.page.sessions.newToken();
    expect((await bed.post(token, headers)).status).toBe(status);
    expect((await bed.post(token)).status).toBe(200);
  });
});

test("a session goes on after a restart, which its data directory knows by a hash alone", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "capstan-page-"));
  const before = pageBed({ kept: keptPage(dataDir) });
  const { path, headers } = await before.session();
  const after = pageBed({ kept: keptPage(dataDir) });
  expect((await after.request(`${path}/session`, { headers })).status).toBe(200);
  const [, secret = "none"] = headers.cookie.split("=");
  expect(readFileSync(join(dataDir, "page.json"), "utf8")).not.toContain(secret);
  writeFileSync(join(dataDir, "page.json"), '{"sessions":{"a":1},"port":"x"');
  const damaged = pageBed({ kept: keptPage(dataDir) });
  expect((await damaged.request(`${path}/session`, { headers })).status).toBe(401);
  rmSync(dataDir, { recursive: true });
});

describe("another site", () => {
  test("may link to a view and read no data", async () => {
    const bed = pageBed();
    const { path, headers } = await bed.session();
    const from = { "sec-fetch-site": "cross-site" };
    const link = await bed.request("/clusters/default/quay", {
      headers: { ...from, "sec-fetch-mode": "navigate" },
    });
    const data = await bed.request(`${path}/stream?view=fleet`, {
      headers: { ...from, ...headers, "sec-fetch-mode": "navigate" },
    });
    const script = await bed.request("/app.js", { headers: { ...from, "sec-fetch-mode": "no-cors" } });
    expect([link.status, data.status, script.status]).toEqual([200, 403, 403]);
  });

  test("that rebinds its name to this machine gets no answer", async () => {
    const answer = await pageBed().request("/", {
      headers: { host: `rebound.example:${PORT}`, origin: ORIGIN },
    });
    expect(answer.status).toBe(421);
  });
});

describe("the stream of the fleet", () => {
  test("is a snapshot, then only what has changed", async () => {
    const bed = pageBed();
    await bed.store(named("pier"), named("quay"));
    const messages = bed.messages("view=fleet");
    const first = await nextOf(messages);
    expect(first).toMatchObject({
      type: "snapshot",
      head: { scope: "all namespaces", notes: [] },
      rows: [{ key: "default/pier" }, { key: "default/quay" }],
    });
    await bed.store(
      machinePool({
        metadata: { name: "workers" },
        spec: { clusterName: "quay", replicas: 3, template: { spec: { clusterName: "quay" } } },
      }),
    );
    expect(await nextOf(messages)).toMatchObject({
      type: "change",
      rows: [{ key: "default/quay", workers: { ready: 0, desired: 3 }, rollouts: [{ name: "workers" }] }],
      gone: [],
    });
    await bed.client.delete(Cluster, { name: "pier", namespace: "default" });
    expect(await nextOf(messages)).toMatchObject({ type: "change", rows: [], gone: ["default/pier"] });
  });

  test("shows a user the namespaces of that user, and nothing of others", async () => {
    const bed = pageBed({ user: "jo" });
    await bed.store(
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } },
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "secret" } },
      ...rightsIn("team"),
      named("mine", "team"),
      named("theirs", "secret"),
    );
    const first = await nextOf(bed.messages("view=fleet"));
    expect(first).toMatchObject({
      head: { scope: "namespace team" },
      rows: [{ key: "team/mine" }],
    });
    const foreign = await nextOf(bed.messages("view=cluster&namespace=secret&name=theirs"));
    expect(foreign.type).toBe("problem");
    expect(JSON.stringify(foreign)).not.toContain("Provision");
  });

  test("forgets what a user may not see any more, and ends the streams that showed it", async () => {
    const bed = pageBed({ user: "jo" });
    const team = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } };
    await bed.store(team, ...rightsIn("team"), named("mine", "team"));
    const messages = bed.messages("view=fleet");
    expect(await nextOf(messages)).toMatchObject({ rows: [{ key: "team/mine" }] });
    await bed.page.confirmRights();
    const other = bed.messages("view=cluster&namespace=team&name=mine");
    expect(await nextOf(other)).toMatchObject({ type: "snapshot" });
    const binding = builtInKinds.find(({ kind }) => kind === "RoleBinding") ?? Cluster;
    await bed.client.delete(binding, { name: "jo", namespace: "team" });
    await bed.page.confirmRights();
    expect(await messages.next()).toMatchObject({ done: true });
    expect(await other.next()).toMatchObject({ done: true });
    expect(await nextOf(bed.messages("view=fleet"))).toMatchObject({ rows: [] });
    const denied = await nextOf(bed.messages("view=cluster&namespace=team&name=mine"));
    expect(denied).toMatchObject({ type: "problem", isFirst: true });
  });

  test("makes characters visible that hide or turn a text", async () => {
    const bed = pageBed();
    const message = "<img src=x onerror=alert(1)> \u001B[2J \u202Egnp.exe";
    const condition = {
      type: "Available",
      status: "False",
      reason: "Bad",
      message,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    await bed.store(cluster({ metadata: { name: "quay" }, status: { conditions: [condition] } } as never));
    const first = await nextOf(bed.messages("view=fleet"));
    expect(first).toMatchObject({
      rows: [{ needs: String.raw`<img src=x onerror=alert(1)> \u001b[2J \u202egnp.exe` }],
    });
  });
});

describe("a request for too much", () => {
  test("is refused by a limit that names itself", async () => {
    const bed = pageBed();
    const { path, headers } = await bed.session();
    const open = async (): Promise<number> => {
      const answer = await bed.request(`${path}/stream?view=fleet`, { headers });
      // A stream counts once it is read.
      void answer.chunks?.()[Symbol.asyncIterator]().next();
      return answer.status;
    };
    const opened: number[] = [];
    for (let window = 0; window < 33; window++) opened.push(await open());
    expect([opened.slice(0, 32).every((status) => status === 200), opened[32]]).toEqual([true, 429]);
    expect((await bed.request(`/${"a".repeat(3000)}`)).status).toBe(414);
    expect((await bed.post("a".repeat(2000))).status).toBe(400);
    expect((await bed.request("/", { method: "DELETE" })).status).toBe(405);
  });
});

describe("an object", () => {
  test.each([
    [
      "view=object&apiVersion=v1&kind=Secret&namespace=default&name=x",
      "only those of Cluster API and of Azure",
    ],
    ["view=object&apiVersion=cluster.x-k8s.io.evil/v1&kind=A&namespace=a&name=x", "are not shown"],
    ["view=object&kind=Cluster", "an object has an apiVersion"],
    ["view=rollout&kind=Secret&namespace=a&name=b", "has no rollout"],
    ["view=rollout&kind=MachinePool&namespace=a", "a rollout has a namespace and a name"],
    ["view=nothing", "there is no view"],
  ])("that %s asks for is refused: %s", async (query, why) => {
    const bed = pageBed();
    const { path, headers } = await bed.session();
    const answer = await bed.request(`${path}/session?${query}`, { headers });
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining(why)]);
  });

  test("is shown with its conditions and lines of kubectl, without who owns which field", async () => {
    const bed = pageBed();
    await bed.store(named("quay"));
    const query = "view=object&apiVersion=cluster.x-k8s.io/v1beta2&kind=Cluster&namespace=default&name=quay";
    const first = await nextOf(bed.messages(query));
    expect(first).toMatchObject({
      type: "snapshot",
      head: {
        yaml: expect.stringMatching(
          /^apiVersion: cluster.x-k8s.io\/v1beta2\nkind: Cluster\nmetadata:\n/,
        ) as unknown,
        commands: [
          "kubectl get clusters.cluster.x-k8s.io quay -n default -o yaml",
          "kubectl describe clusters.cluster.x-k8s.io quay -n default",
        ],
      },
    });
    expect(JSON.stringify(first)).not.toContain("managedFields");
  });
});
