import { ArmError } from "./errors.ts";

/** Checks If-Match and If-None-Match against the etag of the resource. */
export function checkPreconditions(
  headers: Readonly<Record<string, string>>,
  current: string | undefined,
): void {
  const match = headers["if-match"];
  const noneMatch = headers["if-none-match"];
  if (match !== undefined && !(match === "*" ? current !== undefined : isSame(match, current))) {
    throw failed("If-Match", match, current);
  }
  if (noneMatch !== undefined && current !== undefined && (noneMatch === "*" || isSame(noneMatch, current))) {
    throw failed("If-None-Match", noneMatch, current);
  }
}

// Callers send the value of the header back with or without the quotes that JSON put around it.
function isSame(given: string, current: string | undefined): boolean {
  return current !== undefined && bare(given) === bare(current);
}

function bare(etag: string): string {
  return etag.replace(/^W\//, "").replaceAll(/["\\]/g, "");
}

function failed(header: string, value: string, current: string | undefined): ArmError {
  return new ArmError(412, {
    code: "PreconditionFailed",
    message: `The condition set in the request headers was not met: ${header} is ${value}, the etag of the resource is ${current ?? "none, because it does not exist"}.`,
  });
}
