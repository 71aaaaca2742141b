import { Argument, type Command, Option } from "commander";
import { count, durationMs, packageVersion, positiveNumber, share } from "./arguments.ts";
import type { SimulatorAddress } from "./azure/control-client.ts";
import type { EffectFlags } from "./commands/sim-faults.ts";
import { type CarryOut, dataDirOption, type OutputFlag, outputOption, NARROW_FORMS } from "./flags.ts";
import type { Shell } from "./shell.ts";

/** Flags that select the simulator of each command. */
type AddressFlags = { dataDir: string; url?: string; token?: string; ca?: string };

interface Parts {
  readonly sim: Command;
  readonly shell: Shell;
  /** Runs a command on the chosen simulator. */
  readonly carryOut: (
    flags: AddressFlags,
    command: (address: SimulatorAddress) => Promise<number>,
  ) => Promise<void>;
}

/** Adds `capstan sim`: commands that inspect and change a simulated Azure from outside of ARM. */
export function addSimCommands(program: Command, shell: Shell, carryOut: CarryOut): void {
  const sim = program
    .command("sim")
    .description("rehearse a scenario; inspect the running simulated Azure, change its time, break it")
    .addHelpText("after", EXAMPLES);
  const parts: Parts = {
    sim,
    shell,
    carryOut: ({ dataDir: folder, url, token, ca }, command) =>
      carryOut({ dataDir: folder }, (dataDir) =>
        command({
          dataDir,
          ...(url !== undefined && { url }),
          ...(token !== undefined && { token }),
          ...(ca !== undefined && { ca }),
        }),
      ),
  };
  addRun(parts, carryOut);
  addStatusAndJournal(parts);
  addClock(parts);
  addFaults(parts);
  addScaleSetActions(parts);
  addFile(parts);
  addInstall(parts);
  addProhibitions(parts);
}

const EXAMPLES = `
Examples:
  capstan sim run examples/scenarios/boot-100.yaml --seed 7
  capstan sim status                            its resources, as a tree
  capstan sim journal --follow                  every request, as it arrives
  capstan sim clock advance 10m                 skip ten minutes
  capstan sim faults add --method PUT --status 429 --code TooManyRequests --times 3
  capstan sim delete pool 0 2                   delete two instances, as a user in the portal would
  capstan sim lock my-group                     nothing in it can be deleted until: capstan sim unlock lock-my-group

The simulator is the one that runs in --data-dir, by capstan up or capstan azure-sim, unless --url selects another.
Name resources by name, by GROUP/NAME or by their full id.
`;

/** A command with the flags that all of these commands have. */
function verb(parent: Command, name: string, shell: Shell): Command {
  return parent
    .command(name)
    .addOption(dataDirOption(shell))
    .option("--url <address>", "address of another simulator, such as https://127.0.0.1:8443")
    .option("--token <text>", "control token of that simulator, for --url")
    .option("--ca <file>", "certificate authority of that simulator, for --url");
}

type RunFlags = { seed?: string; faults?: string; output: "story" | "json"; verbose: boolean };

function addRun({ sim, shell }: Parts, carryOut: CarryOut): void {
  sim
    .command("run")
    .description("rehearse a scenario in a world of its own, in virtual time; no server needs to run")
    .argument(
      "<scenario>",
      "a scenario file, such as examples/scenarios/boot-100.yaml; docs/scenarios.md describes the format",
    )
    .option(
      "--seed <text>",
      "determines everything random: the same seed, the same run (default: the scenario's)",
    )
    .option(
      "--faults <list>",
      "faults to inject: none, swarm, or a comma-separated list (default: the scenario's)",
    )
    .addOption(new Option("-o, --output <form>", "output format").choices(["story", "json"]).default("story"))
    .option("-v, --verbose", "print every condition, and every counter of the summary", false)
    .action(async (file: string, { verbose: isVerbose, ...flags }: RunFlags) => {
      const { simRun } = await import("./commands/sim-run.ts");
      await carryOut({ dataDir: "" }, () => simRun(shell, { ...flags, file, isVerbose }));
    });
}

type JournalFlags = AddressFlags & { follow: boolean; limit: number; output?: "json" | "wide" };

function addStatusAndJournal({ sim, shell, carryOut }: Parts): void {
  verb(sim, "status", shell)
    .description("show its resources as a tree")
    .addOption(outputOption())
    .action(async (flags: AddressFlags & OutputFlag) => {
      const { simStatus } = await import("./commands/sim-status.ts");
      await carryOut(flags, (address) => simStatus(shell, { address, output: flags.output }));
    });
  verb(sim, "journal", shell)
    .description("list the requests it has answered")
    .option("--follow", "continue with new requests, until Ctrl-C", false)
    .option("--limit <number>", "how many of the last requests to list", count, 50)
    .addOption(new Option("-o, --output <form>", "output format").choices(["json", "wide"]))
    .action(async (flags: JournalFlags) => {
      const { simJournal } = await import("./commands/sim-journal.ts");
      const { follow, limit, output } = flags;
      await carryOut(flags, (address) => simJournal(shell, { address, follow, limit, output }));
    });
}

type ClockChange = { advanceSeconds: number } | { speed: number };

function addClock({ sim, shell, carryOut }: Parts): void {
  verb(sim, "clock", shell)
    .description("print its time, or change it: clock advance 10m, clock speed 60")
    .addArgument(
      new Argument("[change]", "advance skips time, speed makes it run faster").choices(["advance", "speed"]),
    )
    .argument("[value]", "a duration such as 90s, 10m or 1h30m; a factor such as 60")
    .addOption(outputOption(NARROW_FORMS))
    .action(async (...given: [string | undefined, string | undefined, ClockFlags, Command]) => {
      const [verbGiven, value, flags, command] = given;
      const change = clockChange(verbGiven, value);
      if (typeof change === "string") command.error(`error: ${change}`);
      else {
        const { simClock } = await import("./commands/sim-clock.ts");
        await carryOut(flags, (address) =>
          simClock(shell, { address, output: flags.output, ...(change && { change }) }),
        );
      }
    });
}

type ClockFlags = AddressFlags & OutputFlag;

function clockChange(
  change: string | undefined,
  value: string | undefined,
): ClockChange | string | undefined {
  if (change === undefined) return undefined;
  if (value === undefined) return `clock ${change} needs ${change === "speed" ? "a factor" : "a duration"}`;
  try {
    return change === "speed"
      ? { speed: positiveNumber(value) }
      : { advanceSeconds: durationMs(value) / 1000 };
  } catch (error) {
    return `'${value}' is invalid. ${(error as Error).message}`;
  }
}

const FAULT_EXAMPLES = `
Examples:
  a random third of the writes takes half a minute longer
    capstan sim faults add --method PUT --delay 30s --probability 0.33
  the next two requests on a scale set are throttled
    capstan sim faults add --resource pool --status 429 --code OperationNotAllowed --retry-after 20s --times 2
  the second PUT of a scale set takes effect, but its answer is lost
    capstan sim faults add --operation "PUT virtualMachineScaleSets" --nth 2 --lose-answer
  a fifth of the new instances fails
    capstan sim faults add --operation "PUT virtualMachineScaleSets" --fail-instances 0.2 --code OSProvisioningTimedOut
`;

type FaultFlags = AddressFlags &
  EffectFlags & {
    method?: string;
    path?: string;
    resource?: string;
    operation?: string;
    nth?: number;
    times?: number;
    probability?: number;
  };

function addFaults({ sim, shell, carryOut }: Parts): void {
  const faults = sim.command("faults").description("list, add and clear injected faults");
  verb(faults, "list", shell)
    .description("list the active faults")
    .addOption(outputOption(NARROW_FORMS))
    .action(async (flags: AddressFlags & OutputFlag) => {
      const { listFaults } = await import("./commands/sim-faults.ts");
      await carryOut(flags, (address) => listFaults(shell, { address, output: flags.output }));
    });
  faultOptions(verb(faults, "add", shell)).action(
    async (name: string | undefined, flags: FaultFlags, command: Command) => {
      const { addFault, effectOf } = await import("./commands/sim-faults.ts");
      const effect = effectOf(flags);
      if (typeof effect === "string") command.error(`error: ${effect}`);
      else
        await carryOut(flags, (address) =>
          addFault(shell, { address, effect, match: matchOf(flags), ...(name !== undefined && { name }) }),
        );
    },
  );
  verb(faults, "clear", shell)
    .description("remove faults; all of them unless some are named")
    .argument("[names...]", "the faults to remove")
    .action(async (names: string[], flags: AddressFlags) => {
      const { clearFaults } = await import("./commands/sim-faults.ts");
      await carryOut(flags, (address) => clearFaults(shell, { address, names }));
    });
}

function faultOptions(command: Command): Command {
  return command
    .description("make requests fail: which ones, and how")
    .argument("[name]", "name of the fault (default: fault-1 and so on)")
    .optionsGroup("Which requests (those that match every one of these):")
    .option("--method <verb>", "GET, PUT, PATCH, POST or DELETE")
    .option("--path <text>", "a part of the path")
    .option("--resource <name>", "a resource or group, and what is inside it")
    .option("--operation <name>", "as the journal shows it, such as 'PUT virtualMachineScaleSets'")
    .option("--nth <number>", "only the nth match", count)
    .option("--times <number>", "only the first n matches", count)
    .option("--probability <share>", "this share of the matches", share)
    .optionsGroup("Effect (one of these):")
    .option("--status <number>", "refuse the request with this status, without effect", count)
    .option("--delay <duration>", "delay the answer by this long", durationMs)
    .option("--drop", "lose the request: no effect, no answer")
    .option("--lose-answer", "lose the answer: the request takes effect")
    .option("--fail-operation", "the long-running operation fails and has no effect")
    .option("--fail-but-apply", "the long-running operation reports a failure although it took effect")
    .option("--fail-instances <share>", "this share of the instances fails", share)
    .optionsGroup("What callers see:")
    .option("--code <text>", "error code, such as InternalServerError")
    .option("--message <text>", "error message")
    .option("--retry-after <duration>", "Retry-After, for --status", durationMs)
    .addHelpText("after", FAULT_EXAMPLES);
}

function matchOf({ method, path, resource, operation, nth, times, probability }: FaultFlags): object {
  const all = { method, path, resource, operation, nth, times, probability };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function addScaleSetActions({ sim, shell, carryOut }: Parts): void {
  verb(sim, "delete", shell)
    .description("delete a resource, or instances of a scale set, as a user in the portal would")
    .argument("<resource>", "name, GROUP/NAME or id")
    .argument(
      "[instances...]",
      "instance ids of a scale set, such as 0 2; without them the resource is deleted",
    )
    .action(async (resource: string, instances: string[], flags: AddressFlags) => {
      const { actOnScaleSet, deleteResource } = await import("./commands/sim-actions.ts");
      const action = { verb: "delete", instances } as const;
      await carryOut(flags, (address) =>
        instances.length === 0
          ? deleteResource(shell, { address, resource })
          : actOnScaleSet(shell, { address, scaleSet: resource, action }),
      );
    });
  verb(sim, "evict", shell)
    .description("evict spot instances of a scale set, as Azure does")
    .argument("<scale-set>", "name, GROUP/NAME or id")
    .argument("<instances...>", "instance ids, such as 0 2")
    .action(async (scaleSet: string, instances: string[], flags: AddressFlags) => {
      const { actOnScaleSet } = await import("./commands/sim-actions.ts");
      const action = { verb: "evict", instances } as const;
      await carryOut(flags, (address) => actOnScaleSet(shell, { address, scaleSet, action }));
    });
  verb(sim, "capacity", shell)
    .description("change the size of a scale set, as an autoscaler would")
    .argument("<scale-set>", "name, GROUP/NAME or id")
    .argument("<instances>", "number of instances", count)
    .action(async (scaleSet: string, capacity: number, flags: AddressFlags) => {
      const { actOnScaleSet } = await import("./commands/sim-actions.ts");
      const action = { verb: "capacity", capacity } as const;
      await carryOut(flags, (address) => actOnScaleSet(shell, { address, scaleSet, action }));
    });
}

function addFile({ sim, shell, carryOut }: Parts): void {
  verb(sim, "file", shell)
    .description(
      "print a file on the disk of an instance or in an image, or write it, as an administrator on the machine would",
    )
    .argument("<scale-set|image>", "name, GROUP/NAME or id of a scale set or an image definition")
    .argument("<instance|version>", "instance id, such as 0; version of the image, or latest")
    .argument("<path>", "path of the file, such as /etc/machine-id; of a folder, as /etc/, what is in it")
    .option("--write <text>", "write this text to the file")
    .action(async (...[owner, member, path, flags]: FileArguments) => {
      const { simFile } = await import("./commands/sim-file.ts");
      const content = flags.write === undefined ? {} : { content: flags.write };
      await carryOut(flags, (address) => simFile(shell, { address, owner, member, path, ...content }));
    });
}

function addInstall({ sim, shell, carryOut }: Parts): void {
  verb(sim, "install", shell)
    .description("install a package on an instance, as an update does: its Node does not report that")
    .argument("<scale-set>", "name, GROUP/NAME or id")
    .argument("<instance>", "instance id, such as 0")
    .argument("<package>", "name and version, such as openssl=3.0.13-0ubuntu3.5", packageVersion)
    .action(async (...[scaleSet, instance, installed, flags]: InstallArguments) => {
      const { simInstall } = await import("./commands/sim-install.ts");
      await carryOut(flags, (address) => simInstall(shell, { address, scaleSet, instance, ...installed }));
    });
}

type InstallArguments = [
  scaleSet: string,
  instance: string,
  installed: ReturnType<typeof packageVersion>,
  flags: AddressFlags,
];

type FileArguments = [owner: string, member: string, path: string, flags: AddressFlags & { write?: string }];

type ForbidFlags = AddressFlags & { name?: string; readOnly?: boolean; type?: string };

function addProhibitions({ sim, shell, carryOut }: Parts): void {
  const forbidding = (command: Command, kindOf: (flags: ForbidFlags) => Kind): void => {
    command
      .argument("<scope>", "a group or resource by name, GROUP/NAME or id; a subscription by id")
      .option("--name <text>", "name of the lock or denial (default: from its effect and scope)")
      .action(async (scope: string, flags: ForbidFlags) => {
        const { forbid } = await import("./commands/sim-actions.ts");
        const { name, type } = flags;
        const given = { ...(name !== undefined && { name }), ...(type !== undefined && { type }) };
        await carryOut(flags, (address) => forbid(shell, { address, scope, kind: kindOf(flags), ...given }));
      });
  };
  const lock = verb(sim, "lock", shell).description("lock a resource: it cannot be deleted");
  lock.option("--read-only", "it cannot be changed, either");
  forbidding(lock, ({ readOnly }) => (readOnly === true ? "ReadOnly" : "CanNotDelete"));
  const deny = verb(sim, "deny", shell).description("let a policy deny creations and changes in a scope");
  deny.option("--type <type>", "only this type, such as Microsoft.Network/publicIPAddresses");
  forbidding(deny, () => "DenyByPolicy");
  verb(sim, "unlock", shell)
    .description("remove a lock or a denial")
    .argument("<name>", "the name that it was given")
    .action(async (name: string, flags: AddressFlags) => {
      const { allow } = await import("./commands/sim-actions.ts");
      await carryOut(flags, (address) => allow(shell, { address, name }));
    });
}

type Kind = "CanNotDelete" | "ReadOnly" | "DenyByPolicy";
