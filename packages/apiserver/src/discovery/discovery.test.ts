import { describe, expect, test } from "vitest";
import {
  aggregated,
  type Discoverable,
  discoveryForm,
  groupDocument,
  groupList,
  resourceList,
} from "./discovery.ts";

const verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];
const kind = (
  group: string,
  version: string,
  name: string,
  more: Partial<Discoverable> = {},
): Discoverable => ({
  group,
  version,
  kind: name,
  plural: `${name.toLowerCase()}s`,
  singular: name.toLowerCase(),
  namespaced: true,
  shortNames: [],
  isCustom: false,
  categories: [],
  verbs,
  subresources: [],
  ...more,
});
const pods = kind("", "v1", "Pod", {
  shortNames: ["po"],
  categories: ["all"],
  subresources: [{ name: "eviction", group: "policy", version: "v1", kind: "Eviction", verbs: ["create"] }],
});
const kinds = [
  pods,
  kind("cluster.x-k8s.io", "v1alpha4", "Machine"),
  kind("cluster.x-k8s.io", "v1beta1", "Machine"),
  kind("apps", "v1", "Deployment"),
];

describe("discovery", () => {
  // What each kubectl sends, as recorded from 1.27, 1.30 and 1.33.
  test.each([
    ["application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json", "legacy"],
    [
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
      "aggregated",
    ],
    ["application/json, */*", "legacy"],
    ["", "legacy"],
  ])("answers %s in the %s form", (accept, form) => {
    expect(discoveryForm(accept)).toBe(form);
  });

  test("lists groups in order, the newest version first and preferred", () => {
    expect(groupList(kinds)).toMatchObject({
      groups: [
        { name: "", versions: [{ groupVersion: "v1", version: "v1" }] },
        { name: "apps" },
        {
          name: "cluster.x-k8s.io",
          versions: [{ version: "v1beta1" }, { version: "v1alpha4" }],
          preferredVersion: { groupVersion: "cluster.x-k8s.io/v1beta1", version: "v1beta1" },
        },
      ],
    });
    expect(groupDocument(kinds, "apps")).toMatchObject({ kind: "APIGroup", name: "apps" });
    expect(groupDocument(kinds, "nowhere")).toBeUndefined();
  });

  test("lists resources with their subresources, which may be of another group", () => {
    expect(resourceList(kinds, { group: "", version: "v1" })).toEqual({
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: "v1",
      resources: [
        {
          name: "pods",
          singularName: "pod",
          namespaced: true,
          kind: "Pod",
          verbs,
          shortNames: ["po"],
          categories: ["all"],
        },
        {
          name: "pods/eviction",
          singularName: "",
          namespaced: true,
          group: "policy",
          version: "v1",
          kind: "Eviction",
          verbs: ["create"],
        },
      ],
    });
    expect(resourceList(kinds, { group: "apps", version: "v2" })).toBeUndefined();
  });

  test("returns everything at once in the aggregated form, with the core group separate", () => {
    const named = ({ items }: { items: { metadata: { name?: string } }[] }): (string | undefined)[] =>
      items.map(({ metadata }) => metadata.name);
    expect(named(aggregated(kinds, "api") as never)).toEqual([undefined]);
    expect(named(aggregated(kinds, "apis") as never)).toEqual(["apps", "cluster.x-k8s.io"]);
    expect(aggregated(kinds, "api")).toMatchObject({
      apiVersion: "apidiscovery.k8s.io/v2",
      items: [
        {
          versions: [
            {
              version: "v1",
              freshness: "Current",
              resources: [
                {
                  resource: "pods",
                  scope: "Namespaced",
                  subresources: [
                    { subresource: "eviction", responseKind: { group: "policy", kind: "Eviction" } },
                  ],
                },
              ],
            },
          ],
        },
      ],
    });
  });
});
