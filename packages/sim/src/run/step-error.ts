import type { World } from "../world/world.ts";

/** A step of a scenario that could not be done, or did not lead to what it waits for. */
export class StepError extends Error {
  override readonly name = "StepError";
}

// Every type of the simulated Azure takes it; nothing that a scenario asks for is newer.
const API_VERSION = "2024-07-01";

/** A request of the user's to Azure. */
export interface ArmStep {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** Sends a request to Azure, and fails the step when it is refused. */
export async function armOk(world: World, { method, path, body }: ArmStep): Promise<void> {
  const answer = await world.arm(method, `${path}?api-version=${API_VERSION}`, body);
  if (answer.status < 400) return;
  const { error } = (await answer.json()) as { error?: { code?: string; message?: string } };
  throw new StepError(`Azure answered ${answer.status} ${error?.code ?? ""}: ${error?.message ?? ""}`);
}
