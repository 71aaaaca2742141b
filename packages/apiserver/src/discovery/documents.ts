import type { HttpRequest, HttpResponse } from "@capstan/env";
import { bytesResponse, jsonResponse, textResponse } from "../http/response.ts";
import { openApiV2Json } from "../openapi/open-api-v2.ts";
import {
  OPENAPI_V2_PROTOBUF,
  OPENAPI_V2_PROTOBUF_ANSWER,
  openApiV2Protobuf,
} from "../openapi/open-api-v2-protobuf.ts";
import { openApiHash, openApiV3, openApiV3Index } from "../openapi/open-api-v3.ts";
import { noSuchResource, notAcceptable } from "../http/status.ts";
import type { PreferredVersions } from "../registry/context.ts";
import type { Registry } from "../registry/registry.ts";
import {
  AGGREGATED_TYPE,
  aggregated,
  coreVersions,
  discoveryForm,
  groupDocument,
  groupList,
  resourceList,
} from "./discovery.ts";
import { servedKinds, type ServedKind } from "./served-kinds.ts";

/** Kubernetes' answer to `/version`: clients compare it with their own version. */
const SERVER_VERSION = {
  major: "1",
  minor: "35",
  gitVersion: "v1.35.0+capstan",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "node",
  platform: "any/any",
};

// Requests for objects are far more frequent than for documents, so the path alone rules documents out.
const DOCUMENT = /^\/(?:|livez|readyz|healthz|version|api(?:\/[^/]+)?|apis(?:\/[^/]+){0,2}|openapi\/.+)\/?$/;

/**
 * Answers requests for anything but objects: probes, the version, discovery and OpenAPI; undefined for every other
 * path.
 */
export function createDocuments(
  registry: Registry,
  preferred?: PreferredVersions,
): (request: HttpRequest) => HttpResponse | undefined {
  const cached = cacheByKinds(registry, preferred);
  return (request) => {
    if (request.method !== "GET") return undefined;
    const route = request.path.split("?", 1)[0] ?? "";
    if (!DOCUMENT.test(route)) return undefined;
    const path = route.replace(/\/$/, "");
    const accept = request.headers["accept"] ?? "";
    if (path === "") return jsonResponse(200, { paths: rootPaths(cached().kinds) });
    return probe(path) ?? discovery(path, request, cached()) ?? openApi(path, accept, cached());
  };
}

/** The documents of one set of kinds; each is created on first use. */
interface Documents {
  readonly kinds: readonly ServedKind[];
  readonly once: <T>(name: string, make: () => T) => T;
}

/** CRDs add and remove kinds; documents are recreated when the set of resources changes. */
function cacheByKinds(registry: Registry, preferred?: PreferredVersions): () => Documents {
  let resources: unknown[] = [];
  let documents: Documents | undefined;
  return () => {
    const now = [...registry.all()];
    const isSame =
      now.length === resources.length && now.every((resource, index) => resource === resources[index]);
    if (documents && isSame) return documents;
    resources = now;
    const made = new Map<string, unknown>();
    documents = {
      kinds: servedKinds(now, preferred),
      once: <T>(name: string, make: () => T): T => {
        if (!made.has(name)) made.set(name, make());
        return made.get(name) as T;
      },
    };
    return documents;
  };
}

function probe(path: string): HttpResponse | undefined {
  if (path === "/version") return jsonResponse(200, SERVER_VERSION);
  return ["/livez", "/readyz", "/healthz"].includes(path) ? textResponse(200, "ok") : undefined;
}

/** All paths beside objects. */
function rootPaths(kinds: readonly ServedKind[]): string[] {
  const groups = kinds.flatMap(({ group, version }) =>
    group === "" ? [`/api/${version}`] : [`/apis/${group}`, `/apis/${group}/${version}`],
  );
  const fixed = ["/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"];
  return [...new Set([...fixed, ...groups])].sort();
}

function discovery(path: string, request: HttpRequest, documents: Documents): HttpResponse | undefined {
  const { kinds } = documents;
  const [, root, ...names] = path.split("/");
  if (root !== "api" && root !== "apis") return undefined;
  if (names.length === 0) return rootDocument(root, request, documents);
  // The core group has no name in its paths.
  const [group = "", version, ...more] = root === "api" ? ["", ...names] : names;
  if (more.length > 0) return undefined;
  const document =
    version === undefined ? groupDocument(kinds, group) : versionDocument(kinds, { group, version });
  return document && jsonResponse(200, document);
}

/** A missing version of one of Kubernetes' own groups gets the group's error; others are a plain 404 page. */
function versionDocument(
  kinds: readonly ServedKind[],
  wanted: { readonly group: string; readonly version: string },
): object | undefined {
  const document = resourceList(kinds, wanted);
  if (!document && kinds.some(({ group, isCustom }) => group === wanted.group && !isCustom))
    throw noSuchResource();
  return document;
}

function rootDocument(root: "api" | "apis", request: HttpRequest, { kinds, once }: Documents): HttpResponse {
  const form = discoveryForm(request.headers["accept"] ?? "");
  if (form === "none")
    throw notAcceptable(`only the following media types are accepted: application/json, ${AGGREGATED_TYPE}`);
  if (form === "aggregated") {
    const { document, etag } = once(`aggregated ${root}`, () => {
      const made = aggregated(kinds, root);
      return { document: made, etag: `"${openApiHash(made)}"` };
    });
    const headers = { "content-type": AGGREGATED_TYPE, etag };
    return request.headers["if-none-match"] === etag
      ? { ...textResponse(304, ""), headers: { etag } }
      : jsonResponse(200, document, headers);
  }
  return jsonResponse(
    200,
    root === "api" ? coreVersions("") : groupList(kinds.filter(({ group }) => group !== "")),
  );
}

function openApi(path: string, accept: string, { kinds, once }: Documents): HttpResponse | undefined {
  if (path === "/openapi/v3")
    return jsonResponse(
      200,
      once("v3", () => openApiV3Index(kinds)),
    );
  if (path === "/openapi/v2") {
    if (!accept.includes(OPENAPI_V2_PROTOBUF))
      return jsonResponse(
        200,
        once("v2", () => openApiV2Json(kinds)),
      );
    return bytesResponse(
      once("v2 protobuf", () => openApiV2Protobuf(kinds)),
      OPENAPI_V2_PROTOBUF_ANSWER,
    );
  }
  const part = /^\/openapi\/v3\/(.+)$/.exec(path)?.[1];
  const document = part === undefined ? undefined : once(`v3 ${part}`, () => openApiV3(kinds, part));
  return document && jsonResponse(200, document, { etag: `"${openApiHash(document)}"` });
}
