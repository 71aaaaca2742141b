import { expect, test } from "vitest";
import type { Resource } from "../core/resources.ts";
import { filterOf, pageSizeOf } from "./filter.ts";

const one = {
  id: "/subscriptions/s/resourceGroups/Quay/providers/Microsoft.Network/virtualNetworks/quay-vnet",
  name: "quay-vnet",
  type: "Microsoft.Network/virtualNetworks",
  location: "westeurope",
  body: { tags: { Owner: "O'Brien", stage: "test and prod" } },
} as unknown as Resource;

const query = (name: string, value: string) => new URLSearchParams({ [name]: value });

test.each([
  ["resourceType eq 'microsoft.network/virtualnetworks'", true],
  ["resourceType ne 'Microsoft.Network/virtualNetworks'", false],
  ["name eq 'quay-vnet' and location eq 'westeurope'", true],
  ["name eq 'quay-vnet' and location eq 'mars'", false],
  ["resourceGroup eq 'quay'", true],
  ["substringof('VNET', name)", true],
  ["substringof('lb', name)", false],
  ["tagName eq 'owner'", true],
  ["tagName eq 'owner' and tagValue eq 'O''Brien'", true],
  ["tagName eq 'owner' and tagValue eq 'another'", false],
  ["tagName eq 'stage' and tagValue eq 'test and prod'", true],
  ["  ", true],
])("%s is %s", (filter, expected) => {
  expect(filterOf(query("$filter", filter))(one)).toBe(expected);
});

test.each([
  "createdTime gt '2020-01-01'",
  "name eq quay",
  "name eq 'a' or name eq 'b'",
  "tagName eq 'a' and name eq 'b'",
  "identity/principalId eq 'x'",
  `name eq '${"x".repeat(3_000)}'`,
])("%s is refused, and never ignored", (filter) => {
  expect(() => filterOf(query("$filter", filter))).toThrow(/Invalid \$filter/);
});

test("a page has $top items at most", () => {
  expect(pageSizeOf(new URLSearchParams(), 1000)).toBe(1000);
  expect(pageSizeOf(query("$top", "3"), 1000)).toBe(3);
  expect(pageSizeOf(query("$top", "5000"), 1000)).toBe(1000);
  for (const top of ["0", "-1", "many", "1.5"])
    expect(() => pageSizeOf(query("$top", top), 1000)).toThrow(`$top '${top}'`);
});
