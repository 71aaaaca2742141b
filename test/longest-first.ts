import { BaseSequencer, type TestSequencer, type TestSpecification, type Vitest } from "vitest/node";

/** The longest files of their projects. One that begins last would run alone, with the other core idle. */
const LONG_FILES = [
  "test/kube/machine-pools.kube.ts",
  "test/kube/manager.kube.ts",
  "test/journeys/how-to.kube.ts",
  "test/conformance/both.kube.ts",
  "test/journeys/guests.kube.ts",
  "test/kube/proof.kube.ts",
  "test/kube/image-caching.kube.ts",
  "test/kube/webhooks.kube.ts",
  "test/world/fleet/crash.deep.ts",
  "test/world/kubeadmcontrolplane/crash.deep.ts",
];

/** Runs long files first and the others in vitest's own order, which on a clean clone is that of their sizes. */
export class LongestFirst implements TestSequencer {
  readonly #base: BaseSequencer;

  constructor(vitest: Vitest) {
    this.#base = new BaseSequencer(vitest);
  }

  shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    return this.#base.shard(files);
  }

  async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await this.#base.sort(files);
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG_FILES.findIndex((file) => moduleId.endsWith(file));
  return rank < 0 ? LONG_FILES.length : rank;
}
