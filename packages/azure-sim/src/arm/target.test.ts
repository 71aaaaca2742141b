import { expect, test } from "vitest";
import { isResource, parseTarget, resourceId } from "./target.ts";

const S = "/subscriptions/00000000-0000-0000-0000-000000000000";

test.each([
  [S, {}],
  [`${S}/resourcegroups`, { rest: ["resourcegroups"] }],
  [`${S}/RESOURCEGROUPS/g`, { group: "g" }],
  [`${S}/resourceGroups/g/resources`, { group: "g", rest: ["resources"] }],
  [`${S}/providers/Microsoft.Compute/skus`, { provider: "Microsoft.Compute", types: ["skus"] }],
  [
    `${S}/providers/Microsoft.Compute/locations/westus/usages`,
    { provider: "Microsoft.Compute", types: ["locations", "usages"], names: ["westus"] },
  ],
  [
    `${S}/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/s/`,
    { group: "g", provider: "Microsoft.Network", types: ["virtualNetworks", "subnets"], names: ["v", "s"] },
  ],
  [
    `${S}/resourceGroups/g/providers/Microsoft.Compute/disks/d/providers/Microsoft.Resources/tags/default`,
    {
      group: "g",
      provider: "Microsoft.Resources",
      types: ["tags"],
      names: ["default"],
      scopePath: `${S}/resourceGroups/g/providers/Microsoft.Compute/disks/d`,
    },
  ],
])("parses %s", (path, parts) => {
  expect(parseTarget(path)).toMatchObject(parts);
});

test.each(["/", "/elsewhere", "/subscriptions/not-a-guid", `${S}//providers`])(
  "refuses %s: it is not an ARM path",
  (path) => {
    expect(() => parseTarget(path)).toThrow(/valid Azure resource id|malformed or invalid/);
  },
);

test("formats an id in ARM's spelling", () => {
  const target = parseTarget(`${S}/RESOURCEgroups/G/PROVIDERS/Microsoft.Network/virtualnetworks/V`);
  expect(isResource(target)).toBe(true);
  expect(resourceId(target, ["virtualNetworks"])).toBe(
    `${S}/resourceGroups/G/providers/Microsoft.Network/virtualNetworks/V`,
  );
});
