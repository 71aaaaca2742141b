import { ArmError } from "./errors.ts";

/** The range of api-versions that providers accept. Recorded traffic and the SDKs lie well inside it. */
const VERSIONS: Readonly<Record<string, { readonly oldest: string; readonly newest: string }>> = {
  "microsoft.compute": { oldest: "2015-06-15", newest: "2026-12-31" },
  "microsoft.containerservice": { oldest: "2017-07-01", newest: "2026-12-31" },
  "microsoft.network": { oldest: "2015-06-15", newest: "2026-12-31" },
  "microsoft.resources": { oldest: "2015-01-01", newest: "2026-12-31" },
};

// Providers have a few dozen versions each; these are enough for a user to pick one from the message.
const SUPPORTED =
  "2021-04-01, 2022-08-01, 2023-09-01, 2024-03-01, 2024-07-01, 2025-04-01, 2026-01-01, 2026-04-01";

/** The api-version of a request. ARM requires it on every request. */
export function parseApiVersion(query: URLSearchParams): string {
  const version = query.get("api-version");
  if (version === null || version === "") {
    throw new ArmError(400, {
      code: "MissingApiVersionParameter",
      message: "The api-version query parameter (?api-version=) is required for all requests.",
    });
  }
  const isDate = /^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(-preview|-beta|-alpha)?$/.test(version);
  if (!isDate) {
    throw new ArmError(400, {
      code: "InvalidApiVersionParameter",
      message: `The api-version '${version}' is invalid. The supported versions are '${SUPPORTED.replaceAll(" ", "")}'.`,
    });
  }
  return version;
}

/** Refuses an api-version in which the provider did not have this type. */
export function checkVersion(
  version: string,
  provider: string,
  place: { type: string; location?: string },
): void {
  const known = VERSIONS[provider.toLowerCase()];
  const date = version.slice(0, 10);
  if (!known || (date >= known.oldest && date <= known.newest)) return;
  throw new ArmError(400, {
    code: "NoRegisteredProviderFound",
    message: `No registered resource provider found for location '${place.location ?? ""}' and API version '${version}' for type '${place.type}'. The supported api-versions are '${SUPPORTED}'.`,
  });
}

/** The error for a type that the namespace does not have. */
export function invalidResourceType(provider: string, type: string, version: string): ArmError {
  return new ArmError(404, {
    code: "InvalidResourceType",
    message: `The resource type '${type}' could not be found in the namespace '${provider}' for api version '${version}'. The supported api-versions are '${SUPPORTED.replaceAll(" ", "")}'.`,
  });
}

/** The error for a namespace that does not exist. */
export function invalidNamespace(provider: string): ArmError {
  return new ArmError(404, {
    code: "InvalidResourceNamespace",
    message: `The resource namespace '${provider}' is invalid.`,
  });
}
