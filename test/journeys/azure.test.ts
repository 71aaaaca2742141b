import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ComputeManagementClient } from "@azure/arm-compute";
import { NetworkManagementClient } from "@azure/arm-network";
import { ResourceManagementClient } from "@azure/arm-resources";
import { ClientSecretCredential } from "@azure/identity";
import { DEFAULT_PRINCIPAL, DEFAULT_SUBSCRIPTION, openSqliteStore } from "@capstan/azure-sim";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { all, GROUP, LOCATION, scaleSet, startCloud } from "../azure/cloud.ts";
import { capstan, killAll, launch, READY, type Running } from "./capstan.ts";

const root = mkdtempSync(join(tmpdir(), "capstan-azure-journey-"));
afterEach(killAll);
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Starts `capstan up`; by default with a fast clock. */
async function up(
  folder: string,
  { azurePort = 0, speed = 500 } = {},
): Promise<Running & { azureUrl: string }> {
  const args = ["--data-dir", folder, "--azure-port", String(azurePort), "--speed", String(speed)];
  const running = launch(["up", "--port", "0", ...args]);
  const printed = await running.until(READY);
  return { ...running, azureUrl: /simulated Azure on (https:\S+):/.exec(printed)?.[1] ?? "" };
}

/** The official SDKs as a user would call them: over HTTPS, with a secret, trusting the data directory's authority. */
function sdks(endpoint: string, folder: string) {
  const tlsOptions = { ca: readFileSync(join(folder, "serving/ca.crt"), "utf8") };
  const { tenantId, clientId, clientSecret = "" } = DEFAULT_PRINCIPAL;
  const credential = new ClientSecretCredential(tenantId, clientId, clientSecret, {
    authorityHost: endpoint,
    disableInstanceDiscovery: true,
    tlsOptions,
  });
  const options = { endpoint, tlsOptions };
  return {
    compute: new ComputeManagementClient(credential, DEFAULT_SUBSCRIPTION, options),
    network: new NetworkManagementClient(credential, DEFAULT_SUBSCRIPTION, options),
    resources: new ResourceManagementClient(credential, DEFAULT_SUBSCRIPTION, options),
  };
}

const SOON = { updateIntervalInMs: 20 };

describe("capstan up with the simulated Azure", () => {
  test("keeps an operation over kill -9: it continues and ends without another request", async () => {
    const folder = join(root, "life");
    const first = await up(folder);
    expect(statSync(join(folder, "azure/token")).mode & 0o777).toBe(0o600);
    const { resources, network, compute } = sdks(first.azureUrl, folder);
    await resources.resourceGroups.createOrUpdate(GROUP, { location: LOCATION });
    await network.virtualNetworks.createOrUpdate(
      GROUP,
      "net",
      {
        location: LOCATION,
        addressSpace: { addressPrefixes: ["10.0.0.0/8"] },
        subnets: [{ name: "nodes", addressPrefix: "10.1.0.0/16" }],
      },
      SOON,
    );
    // From here on Azure's clock runs at normal speed, so that the operation is running at the kill.
    expect((await capstan("sim", "clock", "speed", "1", "--data-dir", folder)).out).toMatch(/^speed {3}1$/m);
    const poller = compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", scaleSet(3), SOON);
    await poller.submitted();
    const before = await capstan("sim", "status", "--data-dir", folder);
    expect(before.out).toMatch(/└── PUT virtualMachineScaleSets is running, \d+ s left/);
    first.child.kill("SIGKILL");
    await first.ended;

    const second = await up(folder, { azurePort: Number(new URL(first.azureUrl).port) });
    expect(await second.until(READY)).toMatch(/simulated Azure on \S+: 3 resources, seed \S+, speed 500/);
    const again = sdks(second.azureUrl, folder);
    await poller.pollUntilDone();
    const instances = await all(again.compute.virtualMachineScaleSetVMs.list(GROUP, "pool"));
    expect(instances.map(({ provisioningState }) => provisioningState)).toEqual(Array(3).fill("Succeeded"));
    expect((await again.compute.virtualMachineScaleSets.get(GROUP, "pool")).provisioningState).toBe(
      "Succeeded",
    );
    const after = await capstan("sim", "status", "--data-dir", folder);
    expect(after.out.slice(after.out.indexOf("subscription"))).toBe(
      `subscription ${DEFAULT_SUBSCRIPTION}
└── ${GROUP}  resourceGroups  Succeeded
    ├── pool  virtualMachineScaleSets  Succeeded  capacity 3  3 Succeeded  3 of 3 on model 1
    └── net  virtualNetworks  Succeeded
`,
    );

    expect(await capstan("down", "--data-dir", folder)).toMatchObject({ code: 0 });
    const journal = [...openSqliteStore(join(folder, "azure")).journal()];
    expect(journal.filter(({ operation }) => operation === "PUT virtualMachineScaleSets")).toHaveLength(1);
    expect((await capstan("down", "--purge", "--data-dir", folder)).out).toContain(`removed ${folder}`);
  });
});

describe("the commands for the simulated Azure", () => {
  test("print errors in one sentence, and have the documented exit codes", async () => {
    const folder = join(root, "nothing-here");
    const results = await Promise.all([
      capstan("sim", "status", "--data-dir", folder),
      capstan("sim", "faults", "add", "--status", "500", "--data-dir", folder),
      capstan("up", "--speed", "0", "--data-dir", folder),
      capstan("sim", "status", "--url", "https://127.0.0.1:1", "--token", "x"),
    ]);
    expect(results.map(({ code, out }) => [code, out])).toEqual([1, 2, 2, 1].map((code) => [code, ""]));
    expect(results.map(({ err }) => err.split("\n")[0])).toEqual([
      `capstan: nothing is running in ${folder}; start with: capstan up --data-dir ${folder}`,
      "error: --status needs --code, the error code that callers see, such as InternalServerError",
      "error: option '--speed <factor>' argument '0' is invalid. Expected a number above 0, such as 60.",
      expect.stringMatching(/^capstan: no server answers at https:\/\/127\.0\.0\.1:1: /),
    ]);
    expect(existsSync(folder)).toBe(false);
  });
});

describe("docs/azure-sim.md", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/azure-sim.md"), "utf8");

  test("has a program that prints the documented output, against capstan azure-sim", async () => {
    const code = /```js\n([^]*?)```/.exec(page)?.[1] ?? "";
    expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
    const folder = join(root, "alone");
    const simulator = launch(["azure-sim", "--port", "0", "--data-dir", folder, "--speed", "60"]);
    const endpoint = /^endpoint +(\S+)$/m.exec(await simulator.until(/Ctrl-C/))?.[1] ?? "";
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], {
      cwd: import.meta.dirname,
      env: { AZURE_ENDPOINT: endpoint, NODE_EXTRA_CA_CERTS: join(folder, "serving/ca.crt") },
    });
    expect(stdout).toBe("demo Succeeded\n");
    simulator.child.kill("SIGTERM");
    expect(await simulator.ended).toMatchObject({
      code: 0,
      out: expect.stringContaining(`stopped; all data is kept in ${folder}\n`) as string,
      err: "",
    });
  });

  test("names the types that are simulated, all of them and no others", async () => {
    const cloud = startCloud();
    const path = `/subscriptions/${DEFAULT_SUBSCRIPTION}/providers?api-version=2021-04-01`;
    const { value } = (await cloud.send("GET", path)).body as {
      value: { namespace: string; resourceTypes: { resourceType: string }[] }[];
    };
    const served = value.flatMap(({ namespace, resourceTypes }) =>
      resourceTypes.map(({ resourceType }) => `${namespace}/${resourceType}`),
    );
    const named = [...page.matchAll(/^\| (Microsoft\.\w+)[^|]* \| (.*) \|$/gm)].flatMap(
      ([, namespace, cell = ""]) =>
        [...cell.matchAll(/`([^`]+)`/g)].map(([, type]) => `${namespace}/${type}`),
    );
    expect(named.sort()).toEqual(served.sort());
  });

  test.each([
    ["providers/Microsoft.Web/sites/x?api-version=2024-11-01", "InvalidResourceNamespace"],
    ["providers/Microsoft.Compute/availabilitySets/x?api-version=2024-11-01", "InvalidResourceType"],
    [
      "providers/Microsoft.Compute/virtualMachineScaleSets/x?api-version=2014-01-01",
      "NoRegisteredProviderFound",
    ],
    ["providers/Microsoft.Compute/virtualMachineScaleSets/x", "MissingApiVersionParameter"],
  ])("says what ARM answers to %s", async (path, code) => {
    const group = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/none`;
    const { status, body } = await startCloud().send("GET", `${group}/${path}`);
    expect(body).toMatchObject({ error: { code } });
    expect(page).toMatch(new RegExp(`\\| ${status} \\| \`${code}\` \\|`));
  });
});
