import { join } from "node:path";
import { readIfThere, writePrivateFile } from "@capstan/apiserver/private-file";
import { FEATURE_GATES_VARIABLE, type Features, selectFeatures } from "@capstan/api";
import type { Shell } from "../shell.ts";

/** The gates with which a data directory was last started; a flag or a variable comes before them. */
export function rememberedGates(dataDir: string): string | undefined {
  return readIfThere(gatesPath(dataDir))?.trim();
}

/** Remembers the gates of a flag for later starts. */
export function rememberGates(dataDir: string, flag: string): void {
  writePrivateFile(gatesPath(dataDir), `${flag}\n`);
}

function gatesPath(dataDir: string): string {
  return join(dataDir, "feature-gates");
}

/** The features of this process, from its flag and its environment; warnings go to stderr. */
export function featuresFor(
  { variables, err }: Pick<Shell, "variables" | "err">,
  flag: string | undefined,
  remembered = "",
): Features {
  const { features, warnings } = selectFeatures(flag, { [FEATURE_GATES_VARIABLE]: remembered, ...variables });
  for (const warning of warnings) err.write(`warning: ${warning}\n`);
  return features;
}
