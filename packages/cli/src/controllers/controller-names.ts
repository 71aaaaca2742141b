import { CONTROLLER_GROUPS, CONTROLLERS, unknownControllers } from "@capstan/manager";
import { CommandError } from "../command-error.ts";

/** A misspelled controller name would silently disable a controller. */
export function refuseUnknownControllers(
  names: readonly string[] = [],
  { flag = "--controllers" }: { readonly flag?: string } = {},
): void {
  const unknown = unknownControllers(names);
  if (unknown.length === 0) return;
  const shown = unknown.map((name) => JSON.stringify(name)).join(", ");
  const known = [...Object.keys(CONTROLLER_GROUPS), ...CONTROLLERS.map(({ name }) => name)];
  throw new CommandError(`${flag}: there is no controller ${shown}; existing: ${known.join(", ")}`);
}
