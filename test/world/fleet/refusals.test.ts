/** Impossible networks: each is rejected with path and value, or waits with a reason, without any write. */
import type { AzureCluster } from "@capstan/api";
import { expect, test } from "vitest";
import {
  azureBytes,
  askedOfAzure,
  conditionOf,
  preparedWorld,
  readiness,
  twisted,
  type Twist,
  withBody,
} from "../bad-input/numbered-world.ts";
import { createCluster, foreignIn, MINUTE_MS, plantForeign, THEIRS } from "../kit/fleet-world.ts";

type Spec = Partial<AzureCluster["spec"]>;

const subnets = (...cidrs: string[]): Spec => ({
  networkSpec: {
    vnet: { name: "demo-vnet", cidrBlocks: ["10.0.0.0/16"] },
    subnets: cidrs.map((cidr, index) => ({
      name: `subnet-${index}`,
      role: index === 0 ? "control-plane" : "node",
      cidrBlocks: [cidr],
    })),
  },
});
const tags = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag-${index}`, "x"]));

test.each<[string, Spec, RegExp]>([
  [
    "ranges that overlap",
    subnets("10.0.0.0/24", "10.0.0.128/25"),
    /spec\.networkSpec\.subnets\[1\]\.cidrBlocks\[0\].*10\.0\.0\.128\/25/,
  ],
  [
    "an invalid range",
    subnets("10.0.0.0/24", "10.0.1.0/33"),
    /spec\.networkSpec\.subnets\[1\]\.cidrBlocks\[0\].*10\.0\.1\.0\/33/,
  ],
  [
    "a subnet outside of its network",
    subnets("10.0.0.0/24", "10.1.0.0/24"),
    /spec\.networkSpec\.subnets\[1\]\.cidrBlocks\[0\].*10\.1\.0\.0\/24/,
  ],
  ["a name that Azure refuses", { resourceGroup: "demo." }, /spec\.resourceGroup.*"demo\."/],
  [
    "a network with a name that Azure refuses",
    { networkSpec: { vnet: { name: "-net" } } },
    /spec\.networkSpec\.vnet\.name.*"-net"/,
  ],
  ["more tags than Azure accepts", { additionalTags: tags(47) }, /spec\.additionalTags.*47/],
  [
    "a tag that is too long",
    { additionalTags: { team: "x".repeat(257) } },
    /spec\.additionalTags\[team\].*256 characters/,
  ],
  [
    "a tag with a name that Azure refuses",
    { additionalTags: { "a/b": "c" } },
    /spec\.additionalTags.*"a\/b"/,
  ],
])("%s: rejected with path and value", async (_, spec, expected) => {
  const world = await preparedWorld();
  await expect(createCluster(world, "demo", spec)).rejects.toThrow(expected);
});

test("Azure accepts the largest allowed number of tags, together with Capstan's", async () => {
  const world = await preparedWorld();
  await createCluster(world, "demo", { additionalTags: tags(42) });
  world.start();
  await world.settle();
  expect(await readiness(world)).toBe("True True");
  for (const [, { body }] of world.azure.core.world.resources.table.entries()) {
    expect(Object.keys(body["tags"] ?? {}).length).toBeLessThanOrEqual(50);
  }
});

test.each<[string, Spec, RegExp]>([
  [
    "an unknown region",
    { location: "mars" },
    /^False LocationUnknown: spec\.location: Invalid value: "mars"/,
  ],
  [
    "an unknown failure domain",
    { failureDomains: { "1": { controlPlane: true }, "9": { controlPlane: true } } },
    /^False FailureDomainUnknown: spec\.failureDomains: Invalid value: "9": westeurope has the zones 1, 2, 3/,
  ],
])("%s: a condition with path and value, and nothing is touched", async (_, spec, expected) => {
  const world = await preparedWorld();
  await createCluster(world, "demo", spec);
  world.start();
  await world.advance(5 * MINUTE_MS);
  expect(await conditionOf(world, "NetworkInfrastructureReady")).toMatch(expected);
  expect(azureBytes(world)).toBe("[]");
});

test("a network in a group that the identity may not see: a condition that names it, and nothing there is touched", async () => {
  const twist: { now?: Twist } = {
    now: async (request, answer) =>
      request.path.includes(`/resourceGroups/${THEIRS}/`)
        ? { ...(await withBody(answer, () => FORBIDDEN)), status: 403 }
        : answer,
  };
  const world = await preparedWorld({ controllers: twisted(twist) });
  await plantForeign(world);
  const before = foreignIn(world);
  await createCluster(world, "demo", { networkSpec: { vnet: { name: "hub", resourceGroup: THEIRS } } });
  world.start();
  await world.advance(30 * MINUTE_MS);
  expect(await conditionOf(world, "Ready")).toMatch(/^False AuthorizationFailed: .*hub/);
  expect(foreignIn(world)).toBe(before);
  expect(askedOfAzure(world).filter((call) => call.includes("/hub") && !call.startsWith("GET"))).toEqual([]);
});

const FORBIDDEN = JSON.stringify({
  error: { code: "AuthorizationFailed", message: "The client may not read virtualNetworks/hub." },
});
