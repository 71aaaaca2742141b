import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { CommandError } from "../command-error.ts";
import type { Shell } from "../shell.ts";
import { rehearseSeed, type SeedResult, type SeedTask } from "./rehearse-seed.ts";

// A seed of ten thousand machines needs gigabytes of memory.
const MOST_PROCESSES = 8;

/** The hidden command in which another process of this program rehearses seeds. */
const SEED_COMMAND = "__rehearse-seeds";

/** What the other process answers to each task. */
type SeedAnswer = { readonly result: SeedResult } | { readonly problem: string };

/** Rehearses each task; several ones in as many processes as the machine has cores. Results are in the order of the tasks. */
export async function runSeeds(
  { program }: Pick<Shell, "program">,
  tasks: readonly SeedTask[],
  onDone: (done: number) => void,
): Promise<readonly SeedResult[]> {
  const results: (SeedResult | undefined)[] = tasks.map(() => undefined);
  let next = 0;
  let done = 0;
  const work = async (run: (task: SeedTask) => Promise<SeedResult>): Promise<void> => {
    for (let index = next++; index < tasks.length; index = next++) {
      const task = tasks[index];
      if (task) results[index] = await run(task);
      onDone(++done);
    }
  };
  if (program === undefined || tasks.length === 1) await work(rehearseSeed);
  else {
    const children = startChildren(program, Math.min(tasks.length, availableParallelism(), MOST_PROCESSES));
    try {
      await Promise.all(children.map((child) => work((task) => inChild(child, task))));
    } finally {
      children.forEach((child) => void child.kill());
    }
  }
  return results.flatMap((result) => result ?? []);
}

function startChildren(program: string, count: number): readonly ChildProcess[] {
  return Array.from({ length: count }, () =>
    fork(program, [SEED_COMMAND], {
      serialization: "advanced",
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    }),
  );
}

function inChild(child: ChildProcess, task: SeedTask): Promise<SeedResult> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new CommandError(ENDED));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      const answer = message as SeedAnswer;
      if ("result" in answer) resolve(answer.result);
      else reject(new Error(answer.problem));
    });
    child.send(task);
  });
}

const ENDED =
  "a process that rehearsed a seed ended before it was done: it was interrupted, or the machine has too little memory; try --seeds 1, or fewer clusters";

/** Rehearses the tasks that the process which started this one sends, until it ends. */
export function serveSeeds(): Promise<number> {
  return new Promise((resolve) => {
    process.on("disconnect", () => resolve(0));
    process.on("message", (message) => {
      rehearseSeed(message as SeedTask)
        .then((result): SeedAnswer => ({ result }))
        .catch((error: unknown): SeedAnswer => ({
          problem: error instanceof Error ? (error.stack ?? error.message) : String(error),
        }))
        .then(
          (answer) => void process.send?.(answer),
          () => resolve(1),
        );
    });
    if (process.send === undefined) resolve(1);
  });
}
