import type { World } from "../world/world.ts";

/** A step that failed, or whose condition was not met in time. */
export class StepError extends Error {
  override readonly name = "StepError";
}

// All types of the simulated Azure accept this api-version; scenarios need no newer one.
const API_VERSION = "2024-07-01";

/** A user's request to Azure. */
export interface ArmStep {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** Sends a request to Azure; a refusal fails the step. */
export async function armOk(world: World, { method, path, body }: ArmStep): Promise<void> {
  const answer = await world.arm(method, `${path}?api-version=${API_VERSION}`, body);
  if (answer.status < 400) return;
  const { error } = (await answer.json()) as { error?: { code?: string; message?: string } };
  throw new StepError(`Azure answered ${answer.status} ${error?.code ?? ""}: ${error?.message ?? ""}`);
}
