import { createHash } from "node:crypto";
import { type DocumentedKind, groupVersionPath } from "./documented-kind.ts";
import { SCHEMAS } from "./notation.ts";
import { type Operation, operationsOf, type QueryParameter } from "./operations.ts";
import { schemasOf } from "./schemas.ts";

/**
 * `/openapi/v3`: the URLs of the documents. The hash in a URL changes with the document, so that clients can cache it.
 */
export function openApiV3Index(kinds: readonly DocumentedKind[]): object {
  const paths = [...new Set(kinds.map(groupVersionPath))].sort();
  return {
    paths: Object.fromEntries(
      paths.map((path) => {
        const hash = openApiHash(openApiV3(kinds, path) ?? {});
        return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
      }),
    ),
  };
}

/** The hash of a document, for its URL and its ETag. */
export function openApiHash(document: object): string {
  return createHash("sha256").update(JSON.stringify(document)).digest("hex").toUpperCase();
}

/** `/openapi/v3/PATH`, such as `api/v1` or `apis/apps/v1`; undefined if nothing is served there. */
export function openApiV3(kinds: readonly DocumentedKind[], path: string): object | undefined {
  const served = kinds.filter((kind) => groupVersionPath(kind) === path);
  if (served.length === 0) return undefined;
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1" },
    paths: pathItems(served.flatMap(operationsOf)),
    components: { schemas: schemasOf(served) },
  };
}

function pathItems(operations: readonly Operation[]): object {
  const byPath = Object.groupBy(operations, ({ path }) => path);
  return Object.fromEntries(
    Object.entries(byPath).map(([path, there = []]) => [
      path,
      {
        ...Object.fromEntries(there.map((operation) => [operation.method, operationObject(operation)])),
        ...(path.includes("{") && { parameters: pathParameters(path) }),
      },
    ]),
  );
}

function operationObject(operation: Operation): object {
  const { action, id, description, kind, query, body, answer } = operation;
  return {
    description,
    operationId: id,
    parameters: query.map(queryParameter),
    ...(body !== undefined && { requestBody: { content: bodyContent(operation, body) } }),
    responses: { "200": { description: "OK", content: { "application/json": reference(answer) } } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": kind,
  };
}

const PATCH_TYPES = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
];
const STRATEGIC = "application/strategic-merge-patch+json";

function bodyContent({ method, isCustom }: Operation, body: string): object {
  const patches = isCustom ? PATCH_TYPES : [...PATCH_TYPES, STRATEGIC];
  const types = method === "patch" ? patches : ["application/json"];
  return Object.fromEntries(types.map((type) => [type, reference(body)]));
}

function reference(name: string): object {
  return { schema: { $ref: `${SCHEMAS}${name}` } };
}

function queryParameter({ name, type, description }: QueryParameter): object {
  return { name, in: "query", description, schema: { type, uniqueItems: true } };
}

function pathParameters(path: string): object[] {
  return ["name", "namespace"]
    .filter((name) => path.includes(`{${name}}`))
    .map((name) => ({
      name,
      in: "path",
      required: true,
      description: `The ${name} of the object.`,
      schema: { type: "string", uniqueItems: true },
    }));
}
