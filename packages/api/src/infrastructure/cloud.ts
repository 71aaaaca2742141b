import { type FieldError, notSupported } from "../values/field-error.ts";

/** The only Azure cloud that is supported. */
export const PUBLIC_CLOUD = "AzurePublicCloud";

/** Refuses unsupported clouds; sovereign clouds have other endpoints and fewer features. */
export function cloudErrors(path: string, cloud: string | undefined): readonly FieldError[] {
  return !cloud || cloud === PUBLIC_CLOUD ? [] : [notSupported(path, cloud, [PUBLIC_CLOUD])];
}
