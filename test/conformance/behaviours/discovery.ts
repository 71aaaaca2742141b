import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import { expectRefusal } from "../body.ts";
import type { Answer } from "../kit.ts";

interface Resource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
}

interface Group {
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly subresources?: readonly { readonly subresource: string }[];
}

const resourcesOf = ({ body }: Answer): readonly Resource[] =>
  (body as unknown as { resources: readonly Resource[] }).resources;
const groupsOf = ({ body }: Answer): readonly Group[] =>
  (body as unknown as { groups: readonly Group[] }).groups;

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const BETA = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
const ALL_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** What a server says about what it serves. */
export const discoveryBehaviours: readonly Behaviour[] = [
  behaviour("/api names the core version", async (api) => {
    const { status, body } = await api.get("/api");
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
  }),

  behaviour("/apis lists the groups with their preferred versions", async (api) => {
    const answer = await api.get("/apis");
    expect(answer.body).toMatchObject({ kind: "APIGroupList", apiVersion: "v1" });
    for (const name of ["apps", "rbac.authorization.k8s.io", "coordination.k8s.io", "apiextensions.k8s.io"])
      expect(groupsOf(answer)).toContainEqual({
        name,
        versions: [{ groupVersion: `${name}/v1`, version: "v1" }],
        preferredVersion: { groupVersion: `${name}/v1`, version: "v1" },
      });
  }),

  behaviour("a group is described at its own path", async (api) => {
    const { body } = await api.get("/apis/apps");
    expect(body).toEqual({
      kind: "APIGroup",
      apiVersion: "v1",
      name: "apps",
      versions: [{ groupVersion: "apps/v1", version: "v1" }],
      preferredVersion: { groupVersion: "apps/v1", version: "v1" },
    });
  }),

  behaviour("a group that is not there is a page that is not found", async (api) => {
    const answer = await api.get("/apis/nothing.example.com");
    expect([answer.status, answer.text]).toEqual([404, "404 page not found\n"]);
  }),

  behaviour("a version that a built-in group lacks is a resource that is not found", async (api) => {
    expectRefusal(await api.get("/apis/apps/v9"), {
      code: 404,
      reason: "NotFound",
      message: "the server could not find the requested resource",
      details: {},
    });
  }),

  behaviour("a group version lists its resources", async (api) => {
    const answer = await api.get("/apis/coordination.k8s.io/v1");
    expect(answer.body).toMatchObject({
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: "coordination.k8s.io/v1",
    });
    expect(resourcesOf(answer).find(({ name }) => name === "leases")).toMatchObject({
      name: "leases",
      singularName: "lease",
      namespaced: true,
      kind: "Lease",
      verbs: ALL_VERBS,
    });
  }),

  behaviour("core kinds have their scopes, short names and subresources", async (api) => {
    const resources = new Map(resourcesOf(await api.get("/api/v1")).map((one) => [one.name, one]));
    expect(resources.get("configmaps")).toMatchObject({
      namespaced: true,
      kind: "ConfigMap",
      shortNames: ["cm"],
    });
    expect(resources.get("namespaces")).toMatchObject({ namespaced: false, shortNames: ["ns"] });
    expect(resources.get("namespaces")?.verbs).not.toContain("deletecollection");
    expect(resources.get("nodes")).toMatchObject({ namespaced: false, shortNames: ["no"] });
    expect(resources.get("pods/eviction")).toMatchObject({
      group: "policy",
      version: "v1",
      kind: "Eviction",
      verbs: ["create"],
    });
    expect(resources.get("pods/binding")).toMatchObject({ kind: "Binding", verbs: ["create"] });
    expect(resources.get("pods/status")).toMatchObject({ kind: "Pod", verbs: ["get", "patch", "update"] });
    expect(resources.get("serviceaccounts/token")).toMatchObject({
      group: "authentication.k8s.io",
      kind: "TokenRequest",
      verbs: ["create"],
    });
  }),

  behaviour("a deployment has a scale in autoscaling/v1", async (api) => {
    const resources = resourcesOf(await api.get("/apis/apps/v1"));
    expect(resources.find(({ name }) => name === "deployments/scale")).toMatchObject({
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
      verbs: ["get", "patch", "update"],
    });
  }),

  behaviour("reviews can only be created", async (api) => {
    const resources = resourcesOf(await api.get("/apis/authorization.k8s.io/v1"));
    expect(resources.map(({ name, verbs }) => `${name} ${verbs.join()}`).toSorted()).toEqual([
      "localsubjectaccessreviews create",
      "selfsubjectaccessreviews create",
      "selfsubjectrulesreviews create",
      "subjectaccessreviews create",
    ]);
  }),

  behaviour("a custom kind shows up in discovery with its names", async (api) => {
    const boats = await api.customKind({
      version: { subresources: { status: {} } },
      spec: {
        names: { plural: "boats", singular: "boat", kind: "Boat", shortNames: ["bt"], categories: ["all"] },
      },
    });
    await api.eventually(async () => {
      const answer = await api.get(`/apis/${boats.group}/v1`);
      expect(resourcesOf(answer).map(({ name }) => name)).toEqual(["boats", "boats/status"]);
      expect(resourcesOf(answer)[0]).toMatchObject({
        singularName: "boat",
        namespaced: true,
        kind: "Boat",
        shortNames: ["bt"],
        categories: ["all"],
      });
      expect(resourcesOf(answer)[0]?.verbs.toSorted()).toEqual(ALL_VERBS);
      expect(groupsOf(await api.get("/apis")).map(({ name }) => name)).toContain(boats.group);
    });
  }),

  behaviour("newer versions of a custom group come first", async (api) => {
    const boats = await api.customKind({ versions: ["v1alpha1", "v2", "v1beta1", "v1"] });
    await api.eventually(async () => {
      const { body } = await api.get(`/apis/${boats.group}`);
      expect((body as unknown as Group).versions.map(({ version }) => version)).toEqual([
        "v2",
        "v1",
        "v1beta1",
        "v1alpha1",
      ]);
    });
  }),

  behaviour("aggregated discovery has everything in one answer", async (api) => {
    const answer = await api.get("/apis", { headers: { accept: AGGREGATED } });
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, AGGREGATED]);
    expect(answer.body).toMatchObject({
      kind: "APIGroupDiscoveryList",
      apiVersion: "apidiscovery.k8s.io/v2",
      metadata: {},
    });
    const apps = answer.body.items.find(({ metadata }) => metadata.name === "apps") as unknown as {
      versions: { version: string; freshness: string; resources: AggregatedResource[] }[];
    };
    expect(apps.versions.map(({ version, freshness }) => [version, freshness])).toEqual([["v1", "Current"]]);
    const deployments = apps.versions[0]?.resources.find(({ resource }) => resource === "deployments");
    expect(deployments).toMatchObject({
      responseKind: { group: "", version: "", kind: "Deployment" },
      scope: "Namespaced",
      singularResource: "deployment",
      verbs: ALL_VERBS,
      shortNames: ["deploy"],
    });
    expect(deployments?.subresources?.map(({ subresource }) => subresource)).toEqual(["scale", "status"]);
  }),

  behaviour("aggregated discovery of the core group has no group name", async (api) => {
    const { body } = await api.get("/api", { headers: { accept: AGGREGATED } });
    expect(body.items.map(({ metadata }) => metadata)).toEqual([{}]);
  }),

  behaviour("a client that prefers the aggregated form but takes the old one gets the new", async (api) => {
    const { body } = await api.get("/apis", {
      headers: { accept: `${AGGREGATED},${BETA},application/json` },
    });
    expect(body.kind).toBe("APIGroupDiscoveryList");
  }),

  behaviour("a client that knows only the beta of aggregated discovery gets the old lists", async (api) => {
    const { status, body } = await api.get("/apis", { headers: { accept: `${BETA},application/json` } });
    expect([status, body.kind]).toEqual([200, "APIGroupList"]);
  }),

  behaviour("a client that takes nothing but the beta is refused", async (api) => {
    const answer = await api.get("/apis", { headers: { accept: BETA } });
    expect([answer.status, answer.body.reason]).toEqual([406, "NotAcceptable"]);
  }),

  behaviour("aggregated discovery can be asked for again by its ETag", async (api) => {
    const first = await api.get("/api", { headers: { accept: AGGREGATED } });
    const etag = first.headers["etag"] ?? "";
    expect(etag).toMatch(/^"[0-9A-F]+"$/);
    const second = await api.get("/api", { headers: { accept: AGGREGATED, "if-none-match": etag } });
    expect([second.status, second.text]).toEqual([304, ""]);
  }),

  behaviour("OpenAPI v3 has an index of documents with hashes", async (api) => {
    const { status, text } = await api.get("/openapi/v3");
    expect(status).toBe(200);
    const { paths } = JSON.parse(text) as { paths: Record<string, { serverRelativeURL: string }> };
    for (const path of ["api/v1", "apis/apps/v1", "apis/apiextensions.k8s.io/v1"])
      expect(paths[path]?.serverRelativeURL).toMatch(new RegExp(`^/openapi/v3/${path}\\?hash=[0-9A-F]+$`));
  }),

  behaviour("an OpenAPI v3 document describes kinds with their group, version and kind", async (api) => {
    const { status, body } = await api.get("/openapi/v3/apis/coordination.k8s.io/v1");
    expect(status).toBe(200);
    const { openapi, components } = body as unknown as {
      openapi: string;
      components: { schemas: Record<string, Record<string, unknown>> };
    };
    expect(openapi).toBe("3.0.0");
    expect(
      components.schemas["io.k8s.api.coordination.v1.Lease"]?.["x-kubernetes-group-version-kind"],
    ).toEqual([{ group: "coordination.k8s.io", version: "v1", kind: "Lease" }]);
  }),

  behaviour("an OpenAPI v3 document describes a custom kind with its schema", async (api) => {
    const properties = {
      spec: { type: "object", properties: { sails: { type: "integer", description: "How many." } } },
    };
    const boats = await api.customKind({ properties });
    await api.eventually(async () => {
      const { status, text } = await api.get(`/openapi/v3/apis/${boats.group}/v1`);
      expect(status).toBe(200);
      const { components } = JSON.parse(text) as { components: { schemas: Record<string, object> } };
      const [key = ""] = Object.keys(components.schemas).filter((name) => name.endsWith(".Boat"));
      expect(components.schemas[key]).toMatchObject({
        properties,
        "x-kubernetes-group-version-kind": [{ group: boats.group, version: "v1", kind: "Boat" }],
      });
    });
  }),

  behaviour("a document that OpenAPI v3 lacks is not found", async (api) => {
    expect((await api.get("/openapi/v3/apis/nothing.example.com/v1")).status).toBe(404);
  }),

  behaviour("OpenAPI v2 comes as JSON and as protobuf", async (api) => {
    const json = await api.get("/openapi/v2", { headers: { accept: "application/json" } });
    expect([json.status, json.headers["content-type"]]).toEqual([200, "application/json"]);
    const { swagger, definitions } = json.body as unknown as { swagger: string; definitions: object };
    expect(swagger).toBe("2.0");
    expect(Object.keys(definitions)).toContain("io.k8s.api.core.v1.ConfigMap");
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const protobuf = await api.get("/openapi/v2", { headers: { accept } });
    expect(protobuf.status).toBe(200);
    expect(protobuf.bytes.subarray(0, 5).toString("latin1")).toBe("\n\u00032.0");
  }),

  behaviour("the server says which version it is", async (api) => {
    const { status, body } = await api.get("/version");
    const { major, minor, gitVersion } = body as unknown as Record<string, string>;
    expect([status, major]).toEqual([200, "1"]);
    expect(minor).toMatch(/^\d+$/);
    expect(gitVersion).toMatch(/^v1\.\d+\.\d+/);
  }),

  behaviour("the server says that it lives and is ready", async (api) => {
    for (const path of ["/livez", "/readyz", "/healthz"]) {
      const { status, text } = await api.get(path);
      expect([path, status, text]).toEqual([path, 200, "ok"]);
    }
  }),

  behaviour("the root lists paths", async (api) => {
    const { body } = await api.get("/");
    const { paths } = body as unknown as { paths: string[] };
    expect(paths).toEqual(expect.arrayContaining(["/api", "/api/v1", "/apis", "/apis/apps/v1", "/version"]));
  }),
];
