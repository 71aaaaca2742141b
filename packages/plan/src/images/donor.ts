/** A machine of the pool, as the choice of a donor sees it. */
export interface Candidate {
  readonly machine: string;
  readonly createdMs: number;
  readonly isReady: boolean;
  /** Whether it has the model that the pool wants: the base image or a prototype of it. */
  readonly isUpToDate: boolean;
  readonly isDeleting: boolean;
  readonly isUpdating: boolean;
  /** Whether a user has cordoned its Node. */
  readonly isCordoned: boolean;
  readonly hasNode: boolean;
  /** The conditions that must be True and are not. */
  readonly falseConditions: readonly string[];
  /** The annotations by which a user keeps it from being a donor. */
  readonly excludedBy?: string;
  /** The condition of its Node that says that it lacks memory, disk or process ids. */
  readonly pressure?: string;
  /** Whether the last renewal with this machine failed. */
  readonly hasFailedAsDonor?: boolean;
}

/** A machine that is not the donor, and why. */
export interface PassedOver {
  readonly machine: string;
  readonly why: string;
}

/** The donor, if there is one, and why each other machine is not. */
export interface DonorChoice {
  readonly donor: string | undefined;
  readonly passedOver: readonly PassedOver[];
}

/**
 * Chooses the donor: the oldest machine that is ready, up to date and healthy. A machine that failed as a donor comes last,
 * so that one bad machine does not fail every renewal.
 */
export function chooseDonor(candidates: readonly Candidate[]): DonorChoice {
  const ordered = [...candidates].sort(
    (a, b) =>
      Number(a.hasFailedAsDonor ?? false) - Number(b.hasFailedAsDonor ?? false) ||
      a.createdMs - b.createdMs ||
      (a.machine < b.machine ? -1 : 1),
  );
  const fit = ordered.filter((one) => obstacleOf(one) === undefined);
  const [donor] = fit;
  const passedOver = ordered
    .filter((one) => one !== donor)
    .map((one) => ({ machine: one.machine, why: obstacleOf(one) ?? laterThan(one, donor) }));
  return { donor: donor?.machine, passedOver };
}

function laterThan(one: Candidate, donor: Candidate | undefined): string {
  if (one.hasFailedAsDonor === true && donor?.hasFailedAsDonor !== true)
    return "the last renewal with it failed";
  return `it is younger than ${donor?.machine ?? "the donor"}`;
}

/** Why a machine cannot be the donor; undefined if it can. */
function obstacleOf(one: Candidate): string | undefined {
  if (one.isDeleting) return "it is being deleted";
  if (one.isUpdating) return "it is being updated in place";
  if (one.excludedBy !== undefined) return `the annotation ${one.excludedBy} excludes it`;
  if (!one.hasNode) return "it has no Node";
  if (one.isCordoned) return "a user has cordoned its Node";
  const [condition] = one.falseConditions;
  if (condition !== undefined) return `its condition ${condition} is not True`;
  if (one.pressure !== undefined) return `its Node reports ${one.pressure}`;
  if (!one.isReady) return "it is not ready";
  return one.isUpToDate ? undefined : "it does not have the current model";
}

/**
 * Why the donor may not be taken out of service: the pool may lose one machine to its image, and not the donor of an image
 * and another one. Undefined if all others work.
 */
export function shortageOf(
  candidates: readonly Candidate[],
  desired: number,
  donor: string,
): string | undefined {
  const working = candidates.filter((one) => one.machine !== donor && isWorking(one)).length;
  if (working >= desired - 1) return undefined;
  return `only ${working} of the ${desired - 1} machines beside ${donor} are available`;
}

function isWorking({ isDeleting, isUpdating, isCordoned, isReady, hasNode }: Candidate): boolean {
  return isReady && hasNode && !isDeleting && !isUpdating && !isCordoned;
}
