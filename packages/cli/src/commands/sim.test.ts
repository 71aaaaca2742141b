import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_PRINCIPAL, DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { createHttpTransport, createRealEnv, serveHttp } from "@capstan/env";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { run } from "../program.ts";
import { testShell, type TestShell } from "../shell.fixture.ts";

const root = mkdtempSync(join(tmpdir(), "capstan-sim-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Resolves when a text has been written to a shell. */
function printed(shell: TestShell, text: string): Promise<void> {
  return new Promise((resolve) => {
    const write = shell.out.write.bind(shell.out);
    Object.assign(shell.out, {
      write: (more: string) => {
        write(more);
        if (shell.written.out.includes(text)) resolve();
      },
    });
  });
}

interface Served {
  readonly url: string;
  readonly shell: TestShell;
  /** Presses Ctrl-C and returns the exit code. */
  stop(): Promise<number>;
}

async function serve(...args: string[]): Promise<Served> {
  const shell = testShell();
  const ready = printed(shell, "Ctrl-C");
  const ended = run(["azure-sim", "--port", "0", ...args], shell);
  await Promise.race([ready, ended]);
  const url = /^endpoint +(\S+)$/m.exec(shell.written.out)?.[1] ?? "";
  const stop = (): Promise<number> => {
    shell.interrupt();
    return ended;
  };
  return { url, shell, stop };
}

const dataDir = join(root, "cloud");
let cloud: Served;
beforeAll(async () => {
  cloud = await serve("--data-dir", dataDir, "--seed", "tests", "--http");
});
afterAll(() => cloud.stop());

const capstan = async (...args: string[]): Promise<{ code: number; out: string; err: string }> => {
  const shell = testShell({ workingFolder: root });
  const code = await run(["sim", ...args], shell);
  return { code, ...shell.written };
};
const sim = (...args: string[]): ReturnType<typeof capstan> => capstan(...args, "--data-dir", dataDir);

/** Sends a request to ARM as the principal that exists from the start. */
async function arm(method: string, path: string, body?: object): Promise<{ status: number; json: unknown }> {
  const transport = createHttpTransport({ baseUrl: cloud.url });
  const { tenantId, clientId, clientSecret = "" } = DEFAULT_PRINCIPAL;
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  const signedIn = await transport.request({
    method: "POST",
    path: `/${tenantId}/oauth2/v2.0/token`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...form, scope: "https://management.azure.com/.default" }).toString(),
  });
  const { access_token: token } = (await signedIn.json()) as { access_token: string };
  const answer = await transport.request({
    method,
    path: `${path}?api-version=2024-11-01`,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body }),
  });
  const text = await answer.text();
  await transport.close();
  return { status: answer.status, json: text === "" ? undefined : (JSON.parse(text) as unknown) };
}

const SUBSCRIPTION = `/subscriptions/${DEFAULT_SUBSCRIPTION}`;
const group = (name: string): string => `${SUBSCRIPTION}/resourceGroups/${name}`;
const set = (rg: string, name: string): string =>
  `${group(rg)}/providers/Microsoft.Compute/virtualMachineScaleSets/${name}`;
const NETWORK = `${group("east")}/providers/Microsoft.Network/virtualNetworks/net`;

function scaleSet(capacity: number, priority: "Regular" | "Spot"): object {
  const interfaces = [
    {
      name: "nic",
      properties: {
        primary: true,
        ipConfigurations: [{ name: "ip", properties: { subnet: { id: `${NETWORK}/subnets/nodes` } } }],
      },
    },
  ];
  return {
    location: "westus",
    sku: { name: "Standard_D2s_v3", capacity },
    properties: {
      upgradePolicy: { mode: "Manual" },
      overprovision: false,
      virtualMachineProfile: {
        priority,
        osProfile: { computerNamePrefix: "vm", adminUsername: "capi", customData: "" },
        storageProfile: {
          imageReference: {
            publisher: "Canonical",
            offer: "0001-com-ubuntu-server-jammy",
            sku: "22_04-lts-gen2",
            version: "latest",
          },
        },
        networkProfile: { networkInterfaceConfigurations: interfaces },
      },
    },
  };
}

const passed = (duration: string): Promise<unknown> => sim("clock", "advance", duration);

describe("a simulated Azure with scale sets in two groups", () => {
  beforeAll(async () => {
    for (const name of ["west", "east", "east-2"]) await arm("PUT", group(name), { location: "westus" });
    const subnets = [{ name: "nodes", properties: { addressPrefix: "10.1.0.0/16" } }];
    const addressSpace = { addressPrefixes: ["10.0.0.0/8"] };
    expect(
      (await arm("PUT", NETWORK, { location: "westus", properties: { addressSpace, subnets } })).status,
    ).toBe(201);
    await passed("10m");
    for (const [rg, name, size, priority] of [
      ["east", "pool", 3, "Regular"],
      ["east", "spot", 2, "Spot"],
      ["west", "pool", 1, "Regular"],
    ] as const) {
      expect((await arm("PUT", set(rg, name), scaleSet(size, priority))).status).toBe(201);
    }
    await passed("1h");
  });

  test("is shown as a tree, and as JSON with all parts", async () => {
    const { code, out } = await sim("status");
    expect(code).toBe(0);
    expect(out).toMatch(/^seed {14}tests$/m);
    expect(out.slice(out.indexOf("subscription "))).toBe(
      `subscription ${DEFAULT_SUBSCRIPTION}
├── east  resourceGroups  Succeeded
│   ├── pool  virtualMachineScaleSets  Succeeded  capacity 3  3 Succeeded  3 of 3 on model 1
│   ├── spot  virtualMachineScaleSets  Succeeded  capacity 2  2 Succeeded  2 of 2 on model 1
│   └── net  virtualNetworks  Succeeded
├── east-2  resourceGroups  Succeeded
└── west  resourceGroups  Succeeded
    └── pool  virtualMachineScaleSets  Succeeded  capacity 1  1 Succeeded  1 of 1 on model 1
`,
    );
    const json = JSON.parse((await sim("status", "-o", "json")).out) as {
      scaleSets: unknown[];
      seed: string;
    };
    expect([json.seed, json.scaleSets]).toEqual([
      "tests",
      expect.arrayContaining([expect.objectContaining({ id: set("west", "pool"), capacity: 1 })]),
    ]);
    expect((await sim("status", "-o", "yaml")).out).toContain("seed: tests\n");
    expect((await sim("status", "-o", "wide")).out).toContain(`── ${set("west", "pool")}  `);
    const terminal = testShell({ isTerminal: true });
    await run(["sim", "status", "--data-dir", dataDir], terminal);
    expect(terminal.written.out).toContain("└── \u001B[1mwest\u001B[22m  \u001B[2mresourceGroups\u001B[22m");
  });

  test("loses instances, is evicted and resized from outside, and shows it", async () => {
    expect(await sim("delete", "east/pool", "0", "1")).toEqual({
      code: 0,
      out: "east/pool/0 is being deleted\neast/pool/1 is being deleted\n",
      err: "",
    });
    expect((await sim("evict", "spot", "0")).out).toBe("east/spot/0 is being evicted\n");
    expect((await sim("capacity", set("west", "pool"), "4")).out).toBe(
      "west/pool is resized to 4 instances\n",
    );
    const during = (await sim("status")).out;
    expect(during).toMatch(
      /└── pool .* capacity 4 {2}.*\n {8}└── PATCH virtualMachineScaleSets is running, \d+ s left\n/,
    );
    expect(during).toMatch(/├── pool .* {2}(?:2 Deleting, 1 Succeeded|1 Succeeded, 2 Deleting) {2}/);
    await passed("1h");
    const { out } = await sim("status");
    expect(out).toMatch(/west[^]*pool {2}virtualMachineScaleSets {2}Succeeded {2}capacity 4 {2}4 Succeeded/);
    expect(out).toMatch(/east[^]*pool {2}virtualMachineScaleSets {2}Succeeded {2}capacity 1 {2}1 Succeeded/);
  });

  test("has files on the disks of its instances, which can be written", async () => {
    expect((await sim("file", "west/pool", "0", "/etc/patch", "--write", "1.2.3")).out).toBe(
      "/etc/patch of west/pool/0 is written\n",
    );
    expect((await sim("file", "west/pool", "0", "/etc/patch")).out).toBe("1.2.3\n");
  });

  test.each([
    [["file", "west/pool", "1", "/etc/patch"], "The file '/etc/patch' does not exist on this machine."],
    [["file", "west/pool", "99", "/etc/patch"], "virtualMachines/99' does not exist."],
    [["delete", "pool", "0"], '"pool" matches several; choose one: east/pool, west/pool'],
    [["delete", "nowhere/vm-0"], 'there is no resource "nowhere/vm-0"; existing: '],
    [["delete", "west/pool", "99"], "there is no instance 99 in west/pool; existing: 0, 1, 2, 3"],
    [["capacity", "pol", "2"], 'there is no scale set "pol"; existing: east/pool, east/spot, west/pool'],
    [["lock", "north"], 'there is no resource or group "north"; existing: '],
    [["faults", "clear", "x"], "there is no fault x; existing: none"],
    [["evict", "west/pool", "0"], "only supported on Azure Spot Virtual Machines."],
    [["evict", "east/spot", "99"], "there is no instance 99 in east/spot; existing: 0, 1"],
    [["capacity", "west/pool", "1001"], "refuses: "],
  ])("%j is refused with a message", async (args, message) => {
    const { code, out, err } = await sim(...args);
    expect([code, out, err.split("\n").length]).toEqual([1, "", 2]);
    expect(err).toContain(message);
  });

  test("refuses writes to what is locked or denied until that is removed", async () => {
    const remove = async (): Promise<number> => (await arm("DELETE", set("east", "spot"))).status;
    expect((await sim("lock", "east/spot")).out).toBe(
      `lock-spot: CanNotDelete on ${set("east", "spot")}\nundo it with: capstan sim unlock lock-spot\n`,
    );
    expect(await remove()).toBe(409);
    expect((await sim("unlock", "lock-spot")).out).toBe("lock-spot is removed\n");
    expect(await remove()).toBe(202);
    const tagged = async (): Promise<number> =>
      (await arm("PATCH", group("west"), { tags: { of: "test" } })).status;
    await sim("lock", "west", "--read-only", "--name", "frozen");
    expect(await tagged()).toBe(409);
    await sim("unlock", "frozen");
    await sim("deny", "west", "--type", "Microsoft.Network/publicIPAddresses");
    expect(await tagged()).toBe(200);
    await sim("deny", "west");
    expect(await tagged()).toBe(403);
    await sim("unlock", "deny-west");
    expect(await tagged()).toBe(200);
  });
});

describe("faults", () => {
  const asked = (): Promise<{ status: number; json: unknown }> => arm("GET", group("nowhere"));
  afterEach(() => sim("faults", "clear"));

  test("are added, listed and cleared", async () => {
    const refuse = ["--method", "GET", "--status", "503", "--code", "ServerBusy", "--retry-after", "1500ms"];
    expect((await sim("faults", "add", ...refuse, "--times", "1")).out).toBe(
      "fault fault-1: method=GET times=1: status status=503 code=ServerBusy retryAfterSeconds=2\n",
    );
    expect((await sim("faults", "add", "other", "--drop", "--path", "/never/")).code).toBe(0);
    expect((await sim("faults", "list")).out).toBe(
      "NAME      REQUESTS             EFFECT\n" +
        "fault-1   method=GET times=1   status status=503 code=ServerBusy retryAfterSeconds=2\n" +
        "other     path=/never/         drop\n",
    );
    expect([(await asked()).status, (await asked()).status]).toEqual([503, 404]);
    expect((await sim("faults", "add", "other", "--drop")).err).toBe(
      "capstan: fault other exists already; clear it first, or give this one another name\n",
    );
    expect((await sim("faults", "clear", "other")).out).toBe("cleared other\n");
    expect(JSON.parse((await sim("faults", "list", "-o", "json")).out)).toHaveLength(1);
    expect((await sim("faults", "clear")).out).toBe("cleared fault-1\n");
    expect((await sim("faults", "list")).out).toBe("no faults\n");
  });

  test.each([
    [["--delay", "1m30s"], { kind: "delay", ms: 90_000 }],
    [["--lose-answer"], { kind: "lostResponse" }],
    [["--fail-operation", "--code", "X"], { kind: "operationFails", code: "X" }],
    [
      ["--fail-but-apply", "--code", "X", "--message", "no"],
      { kind: "failedButApplied", code: "X", message: "no" },
    ],
    [["--fail-instances", "0.2", "--code", "X"], { kind: "someInstancesFail", share: 0.2, code: "X" }],
  ])("%j mean %j", async (flags, effect) => {
    await sim("faults", "add", "one", "--resource", "/subscriptions/none", "--nth", "2", ...flags);
    expect(JSON.parse((await sim("faults", "list", "-o", "json")).out)).toEqual([
      { id: "one", match: { resource: "/subscriptions/none", nth: 2 }, effect },
    ]);
  });
});

describe("the journal", () => {
  test("lists the last requests, and continues with new ones", async () => {
    await arm("GET", group("first"));
    await arm("GET", group("second"));
    const { out } = await sim("journal", "--limit", "2", "-o", "wide");
    const lines = out.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^TIME +METHOD +OPERATION +STATUS +CODE +CHARGE +PRINCIPAL +PATH$/);
    expect(lines.slice(1).map((line) => line.split(/ {2,}/).slice(1))).toEqual(
      ["first", "second"].map((name) => [
        "GET",
        "GET resourceGroups",
        "404",
        "ResourceGroupNotFound",
        DEFAULT_PRINCIPAL.clientId,
        group(name),
      ]),
    );
    expect((await sim("journal", "--limit", "0", "-o", "json")).out).toBe("[]\n");
    const env = createRealEnv();
    const shell = testShell({
      env: { ...env, clock: { ...env.clock, sleep: (_, stop) => env.clock.sleep(1, stop) } },
    });
    const ended = run(
      ["sim", "journal", "--follow", "--limit", "1", "-o", "json", "--data-dir", dataDir],
      shell,
    );
    const seen = printed(shell, "/third");
    await arm("GET", group("third"));
    await seen;
    shell.interrupt();
    expect(await ended).toBe(0);
    const paths = shell.written.out
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { path: string }).path);
    expect(paths.at(-1)).toBe(group("third"));
    expect(new Set(paths).size).toBe(paths.length);
  });
});

describe("the page in docs", () => {
  test("has commands that work as they are written", async () => {
    await arm("PUT", group("demo"), { location: "westus" });
    expect((await arm("PUT", set("demo", "pool"), scaleSet(3, "Spot"))).status).toBe(201);
    await passed("1h");
    const page = readFileSync(join(import.meta.dirname, "../../../../docs/azure-sim.md"), "utf8");
    const lines = [...page.matchAll(/^npx capstan sim (.*?)(?: +#.*)?$/gm)].map(([, line = ""]) => line);
    expect(lines.length).toBeGreaterThan(15);
    for (const line of lines) {
      const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
      const { code, err } = await sim(...words);
      expect([line, code, err]).toEqual([line, 0, ""]);
    }
  });
});

describe("finding a simulator", () => {
  test("by its address needs its token, and accepts no other", async () => {
    const token = readFileSync(join(dataDir, "azure/token"), "utf8").trim();
    expect(await capstan("clock", "--url", cloud.url, "--token", token)).toEqual({
      code: 0,
      out: expect.stringMatching(/^time {4}\S+Z\nspeed {3}\d+\n$/) as string,
      err: "",
    });
    expect((await capstan("clock", "--url", cloud.url)).err).toMatch(/^capstan: --url needs --token;/);
    expect((await capstan("clock", "--url", cloud.url, "--token", "guess")).err).toBe(
      `capstan: ${cloud.url} does not take the token; it is in azure/token of its data directory\n`,
    );
    expect((await capstan("clock", "--url", "here", "--token", token)).err).toBe(
      "capstan: --url here is not an address; expected one such as https://127.0.0.1:8443\n",
    );
    expect((await capstan("clock", "--url", cloud.url, "--token", token, "--ca", "/none")).err).toBe(
      "capstan: there is no file /none; --ca names a certificate\n",
    );
    expect((await capstan("clock", "--url", "http://127.0.0.1:1", "--token", token)).err).toMatch(
      /^capstan: no server answers at http:\/\/127\.0\.0\.1:1: .*\n$/,
    );
  });

  test("reports how to start one where none runs", async () => {
    expect(await capstan("status", "--data-dir", "/none")).toEqual({
      code: 1,
      out: "",
      err: "capstan: nothing is running in /none; start with: capstan up --data-dir /none\n",
    });
  });
});

describe("azure-sim", () => {
  test("alone persists nothing, and deletes its folder at the end", async () => {
    const served = await serve("--speed", "50");
    const folder = /--data-dir (\S+)/.exec(served.shell.written.out)?.[1] ?? "";
    expect(served.url).toMatch(/^https:/);
    expect(served.shell.written.out).toContain(`authority (CA)   ${join(folder, "serving/ca.crt")}\n`);
    expect(statSync(join(folder, "azure/token")).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, "azure"))).toEqual(["token"]);
    expect((await capstan("clock", "--data-dir", folder)).out).toMatch(/^speed {3}50$/m);
    const token = readFileSync(join(folder, "azure/token"), "utf8").trim();
    expect((await capstan("clock", "--url", served.url, "--token", token)).err).toBe(
      `capstan: the certificate of ${served.url} is not trusted; pass its certificate authority with --ca\n`,
    );
    const ca = join(folder, "serving/ca.crt");
    expect((await capstan("clock", "--url", served.url, "--token", token, "--ca", ca)).code).toBe(0);
    expect(await served.stop()).toBe(0);
    expect([served.shell.written.out.endsWith("stopped; no data is kept\n"), existsSync(folder)]).toEqual([
      true,
      false,
    ]);
  });

  test("with a data directory resumes its state, and refuses another seed", async () => {
    const folder = join(root, "kept");
    const first = await serve("--data-dir", folder, "--seed", "one", "--speed", "7");
    expect(await first.stop()).toBe(0);
    const again = await serve("--data-dir", folder);
    expect(again.shell.written.out).toMatch(/: 0 resources, seed one, speed 7\n/);
    expect(await again.stop()).toBe(0);
    const other = testShell();
    expect(await run(["azure-sim", "--port", "0", "--data-dir", folder, "--seed", "two"], other)).toBe(1);
    expect(other.written.err).toBe(
      `capstan: ${folder} holds a simulated Azure with seed one, which --seed two cannot change; choose another directory with --data-dir\n`,
    );
  });

  test("that is killed after its speed was changed resumes at that speed, and not in the past", async () => {
    const folder = join(root, "moved");
    const timeOf = async (where: string): Promise<{ now: string; speed: number }> =>
      JSON.parse((await capstan("clock", "-o", "json", "--data-dir", where)).out) as {
        now: string;
        speed: number;
      };
    const first = await serve("--data-dir", folder);
    await capstan("clock", "speed", "60", "--data-dir", folder);
    await capstan("clock", "advance", "30d", "--data-dir", folder);
    const left = await timeOf(folder);
    expect(Date.parse(left.now)).toBeGreaterThan(createRealEnv().clock.now() + 29 * 86_400_000);
    cpSync(folder, `${folder}-copy`, { recursive: true });
    await first.stop();
    const again = await serve("--data-dir", `${folder}-copy`);
    const found = await timeOf(`${folder}-copy`);
    expect(found.speed).toBe(60);
    expect(Date.parse(found.now)).toBeGreaterThan(Date.parse(left.now));
    const status = await capstan("status", "--data-dir", `${folder}-copy`);
    expect(status.out).toMatch(new RegExp(`^time +${found.now.slice(0, 11)}.*, speed 60$`, "m"));
    await again.stop();
  });

  test("reports what to do about a damaged clock, and about an impossible speed", async () => {
    const folder = join(root, "damaged");
    await (await serve("--data-dir", folder)).stop();
    writeFileSync(join(folder, "clock.json"), "{}");
    const args = ["azure-sim", "--port", "0", "--data-dir", folder];
    const shell = testShell();
    expect(await run(args, shell)).toBe(1);
    expect(shell.written.err).toBe(
      `capstan: ${join(folder, "clock.json")} is damaged: wallMs is undefined; expected milliseconds since 1970; remove it, and the clock resumes from the state of the simulated Azure\n`,
    );
    rmSync(join(folder, "clock.json"));
    const fast = testShell();
    expect(await run([...args, "--speed", "10001"], fast)).toBe(1);
    expect(fast.written.err).toBe("capstan: --speed is 10001; expected a number above 0 and up to 10000\n");
  });

  test("that is killed before its first request resumes as the same simulated Azure", async () => {
    const folder = join(root, "killed");
    const first = await serve("--data-dir", folder, "--seed", "early");
    // The files on disk now are those that a power cut would leave.
    cpSync(folder, `${folder}-copy`, { recursive: true });
    await first.stop();
    const again = await serve("--data-dir", `${folder}-copy`);
    expect(again.shell.written.out).toMatch(/: 0 resources, seed early\n/);
    await again.stop();
  });

  test("reports that its port is in use, and leaves no files behind", async () => {
    const busy = await serveHttp(() => Promise.reject(new Error("no request is expected")));
    for (const [args, flag] of [
      [["azure-sim", "--port"], "--port"],
      [["up", "--port", "0", "--data-dir", join(root, "busy"), "--azure-port"], "--azure-port"],
    ] as const) {
      const shell = testShell();
      expect(await run([...args, String(busy.port)], shell)).toBe(1);
      expect(shell.written.err).toBe(
        `capstan: port ${busy.port} is in use; choose another, or let ${flag} 0 pick a free one\n`,
      );
    }
    await busy.close();
  });
});

describe("a command line", () => {
  test.each([
    [["sim", "clock", "speed", "0"], "'0' is invalid. Expected a number above 0, such as 60."],
    [["sim", "clock", "speed"], "clock speed needs a factor"],
    [["sim", "clock", "advance", "10"], "Expected a duration above 0, such as 250ms, 90s, 10m, 1h30m or 1d."],
    [["sim", "clock", "back", "10s"], "Allowed choices are advance, speed."],
    [["sim", "capacity", "pool", "-1"], "'-1' is invalid for argument 'instances'. Expected a whole number"],
    [["sim", "capacity", "pool", "two"], "Expected a whole number, such as 3."],
    [["sim", "evict", "pool"], "missing required argument 'instances'"],
    [["sim", "faults", "add"], "no effect is given; give one of --status, --delay, --drop,"],
    [["sim", "faults", "add", "--drop", "--delay", "1s"], "--delay and --drop cannot go together"],
    [["sim", "faults", "add", "--status", "500"], "--status needs --code, the error code that callers see"],
    [["sim", "faults", "add", "--drop", "--probability", "2"], "Expected a number above 0 and up to 1"],
    [["azure-sim", "--speed", "fast"], "Expected a number above 0, such as 60."],
    [["up", "--azure-port", "x"], "Expected a number from 0 to 65535"],
  ])("%j that is invalid ends with 2 and says why", async (args, message) => {
    const shell = testShell();
    expect([await run(args, shell), shell.written.out]).toEqual([2, ""]);
    expect(shell.written.err).toContain(message);
  });
});
