import { type Features, selectFeatures } from "@capstan/api";
import type { Shell } from "./shell.ts";

/** The features of this process, from its flag and its environment; warnings go to stderr. */
export function featuresFor({ variables, err }: Shell, flag: string | undefined): Features {
  const { features, warnings } = selectFeatures(flag, variables);
  for (const warning of warnings) err.write(`warning: ${warning}\n`);
  return features;
}
