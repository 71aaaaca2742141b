/** Explains a field that the installed CRD does not have. */
import { CustomResourceDefinition, type Frozen, isJsonObject, type Kind, nearestName } from "@capstan/api";
import { isStorageVersion } from "@capstan/plan";
import { type Client, Failure } from "@capstan/runtime";

// kube-apiserver's own words; it answers 500 without a reason, so only the message tells.
const NOT_DECLARED = /\.([\w.[\]"=,-]+): field not declared in schema/;

/** What to tell a user whose resource has a field that the server does not know; undefined for any other error. */
export async function unknownFieldHint(
  client: Client,
  kind: Kind,
  error: unknown,
): Promise<string | undefined> {
  if (!(error instanceof Failure)) return undefined;
  const [, path] = NOT_DECLARED.exec(error.message) ?? [];
  if (path === undefined) return undefined;
  const definition = await client.find(CustomResourceDefinition, { name: `${kind.plural}.${kind.group}` });
  return hintFor(kind, path, definition?.spec.versions ?? []);
}

type Versions = Frozen<CustomResourceDefinition>["spec"]["versions"];

function hintFor(kind: Kind, path: string, versions: Versions): string {
  const schema = versions.find(({ name }) => name === kind.version)?.schema.openAPIV3Schema;
  const near = schema && nearestField(schema, path);
  const advice = near === undefined ? "." : `; did you mean ${near}?`;
  const what = `${path} is not a field of ${kind.kind} in ${kind.apiVersion}${advice}`;
  const preview = versions.find(
    ({ name, served, schema: other }) =>
      served && !isStorageVersion(name) && hasField(other.openAPIV3Schema, path),
  );
  return preview
    ? `${what} Version ${preview.name} has it: set spec.enablePreviewFeatures of the AzureManagedControlPlane`
    : `${what} A newer Azure Service Operator may know it`;
}

function hasField(schema: unknown, path: string): boolean {
  let place: unknown = schema;
  for (const segment of segmentsOf(path)) place = below(place, segment);
  return place !== undefined;
}

/** The names on a path; indexes of lists are left out. */
function segmentsOf(path: string): string[] {
  return path.split(".").map((segment) => segment.replace(/\[.*$/, ""));
}

/** The valid field that is spelled most like the last segment of a path; undefined if none is near. */
function nearestField(schema: unknown, path: string): string | undefined {
  const segments = segmentsOf(path);
  const last = segments.pop() ?? "";
  let place: unknown = schema;
  for (const segment of segments) place = below(place, segment);
  const properties = fieldsOf(place);
  const name = nearestName(last, Object.keys(properties));
  return name === undefined ? undefined : [...segments, name].join(".");
}

function below(schema: unknown, segment: string): unknown {
  const found = fieldsOf(schema)[segment];
  return isJsonObject(found) && isJsonObject(found["items"]) ? found["items"] : found;
}

function fieldsOf(schema: unknown): Readonly<Record<string, unknown>> {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  return isJsonObject(properties) ? properties : {};
}
