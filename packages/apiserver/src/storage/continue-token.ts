/** Where a paged list continues. */
export interface ContinuePoint {
  /** The version of the first page; undefined to continue with the newest state. */
  readonly resourceVersion: number | undefined;
  /** The key of the last object that was sent. */
  readonly after: string;
}

const FORMAT = "meta.k8s.io/v1";

// A version that no storage has: it marks a token without consistency.
const NEWEST = -1;

/** Encodes a point into an opaque token of the same form that kube-apiserver uses. */
export function encodeContinue({ resourceVersion, after }: ContinuePoint): string {
  const token = { v: FORMAT, rv: resourceVersion ?? NEWEST, start: after };
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

/** Decodes a token; throws a message if it is not one of ours. */
export function decodeContinue(token: string): ContinuePoint {
  const { v, rv, start } = parseToken(token);
  if (v !== FORMAT) throw new Error(`server does not recognize this encoded version ${String(v)}`);
  if (typeof rv !== "number" || !Number.isInteger(rv) || rv === 0 || rv < NEWEST)
    throw new Error(`incorrect encoded start resourceVersion (version ${FORMAT})`);
  if (typeof start !== "string" || start === "")
    throw new Error(`encoded start key empty (version ${FORMAT})`);
  return { resourceVersion: rv === NEWEST ? undefined : rv, after: start };
}

function parseToken(token: string): { v?: unknown; rv?: unknown; start?: unknown } {
  const value = JSON.parse(Buffer.from(token, "base64url").toString("utf8")) as unknown;
  if (typeof value !== "object" || value === null) throw new Error("not a JSON object");
  return value;
}
