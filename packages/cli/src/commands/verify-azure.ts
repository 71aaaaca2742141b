import { type Arm, AzureError, type Connect, patientArm } from "@capstan/azure";
import { azureOfOwnIdentity, ownTokens } from "../azure/own-tokens.ts";
import { cloudAt, networkFor } from "../azure/way-to-azure.ts";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";
import { type Paint, paintFor } from "../render/paint.ts";
import type { Shell } from "../shell.ts";
import { widthFor, wrapped } from "../render/width.ts";
import { ASSUMPTIONS } from "../verify/assumptions.ts";
import { type Checked, withNeeds } from "../verify/run-checks.ts";
import type { TrialPorts } from "../verify/trial.ts";
import { cleanUp, verifyAzure as verify } from "../verify/verify-azure.ts";

/** Which subscription, and what to check there. */
export interface VerifyAzureOptions {
  readonly subscription: string;
  readonly location: string;
  readonly size: string;
  readonly otherSize: string;
  /** The assumptions to check, by id; all unless given. */
  readonly only?: readonly string[];
  /** Confirms the cost. */
  readonly yes: boolean;
  /** Only deletes what earlier runs have left behind. */
  readonly cleanUp: boolean;
  readonly azureEndpoint?: string;
  readonly azureCa?: string;
  readonly output?: "json";
}

const SUBSCRIPTION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `capstan verify azure`: checks what Capstan assumes about Azure, on the user's own subscription. */
export async function verifyAzure(shell: Shell, options: VerifyAzureOptions): Promise<number> {
  if (!SUBSCRIPTION_ID.test(options.subscription))
    throw new CommandError(
      `--subscription ${JSON.stringify(options.subscription)} is not the id of a subscription, such as 00000000-0000-0000-0000-000000000000`,
    );
  const unknown = (options.only ?? []).filter((id) => ASSUMPTIONS.every((one) => one.id !== id));
  if (unknown.length > 0)
    throw new CommandError(
      `--only: there is no assumption ${unknown.join(", ")}; existing: ${ASSUMPTIONS.map(({ id }) => id).join(", ")}`,
    );
  if (!options.yes && !options.cleanUp) {
    shell.out.write(announcement(options));
    return EXIT.usage;
  }
  const opened = openPorts(shell, options);
  try {
    const run = options.cleanUp ? clean : check;
    return await run(shell, opened.ports, options);
  } catch (error) {
    if (!(error instanceof AzureError)) throw error;
    throw new CommandError(`Azure answered ${error.code}: ${error.message}`, { cause: error });
  } finally {
    await opened.close();
  }
}

/** What the command would do, and what that costs: nothing is created before --yes. */
function announcement({ location, size, otherSize }: VerifyAzureOptions): string {
  return `capstan verify azure creates a resource group of its own in ${location}, checks ${ASSUMPTIONS.length} assumptions
in it, and deletes it, also after Ctrl-C.

  how long   about 25 minutes
  creates    up to 5 virtual machines of ${size} (one becomes ${otherSize}), a
             network, a snapshot, a gallery with two image versions
  costs      less than 1 US dollar at the list prices of most regions; an
             estimate of ours, not read from your subscription

Give --yes to confirm. After a crash, --clean-up deletes what was left.
`;
}

async function check(shell: Shell, ports: TrialPorts, options: VerifyAzureOptions): Promise<number> {
  const { env, out, variables } = shell;
  const { subscription, location, size, otherSize, only, output } = options;
  const name = `capstan-verify-${env.uuid().slice(0, 8)}`;
  const paint = paintFor(out, variables);
  const isText = output === undefined;
  if (isText) out.write(`resource group ${name} in ${location}\n`);
  const all = await verify(ports, {
    place: {
      group: `/subscriptions/${subscription}/resourceGroups/${name}`,
      location,
      size,
      otherSize,
      password: `Aa1!${env.uuid()}`,
    },
    assumptions: only ? withNeeds(ASSUMPTIONS, only) : ASSUMPTIONS,
    begins: ({ id }) => {
      if (isText && out.isTerminal) out.write(paint.faint(`  checking ${id} …\n`));
    },
    ended: (checked) => {
      if (isText) out.write(textOf(checked, { paint, columns: widthFor(shell) }));
    },
  });
  const wrong = all.filter(({ verdict }) => verdict !== "holds");
  if (isText) out.write(`\n${summary(all)}; everything was deleted\n`);
  else out.write(`${JSON.stringify(all.map(jsonOf), undefined, 2)}\n`);
  return wrong.length === 0 ? EXIT.done : EXIT.failed;
}

function textOf(
  { assumption, verdict, saw }: Checked,
  { paint, columns }: { readonly paint: Paint; readonly columns: number },
): string {
  const shown = {
    holds: paint.good("holds"),
    differs: paint.bad("differs"),
    "not checked": paint.faint("not checked"),
  };
  const lines = [
    `Azure:   ${saw}`,
    ...(verdict === "differs" ? [`Capstan: ${assumption.assumes}`, `breaks:  ${assumption.breaks}`] : []),
  ];
  const details = lines.flatMap((line) => wrapped(line, columns - INDENT.length));
  return `${shown[verdict]}  ${assumption.id}\n${details.map((line) => `${INDENT}${line}\n`).join("")}`;
}

const INDENT = "  ";

function summary(all: readonly Checked[]): string {
  const counts = (["holds", "differs", "not checked"] as const)
    .map((verdict) => [verdict, all.filter((one) => one.verdict === verdict).length] as const)
    .filter(([, count]) => count > 0);
  return counts.map(([verdict, count]) => `${count} ${verdict}`).join(", ");
}

function jsonOf({ assumption: { id, assumes, breaks, source }, verdict, saw }: Checked): object {
  return { id, verdict, saw, assumes, breaks, source };
}

async function clean(
  { out }: Shell,
  ports: TrialPorts,
  { subscription }: VerifyAzureOptions,
): Promise<number> {
  const names = await cleanUp(ports, `/subscriptions/${subscription}`);
  out.write(names.length === 0 ? "nothing was left behind\n" : `deleted: ${names.join(", ")}\n`);
  return EXIT.done;
}

interface OpenPorts {
  readonly ports: TrialPorts;
  close(): Promise<void>;
}

function openPorts(shell: Shell, { azureEndpoint, azureCa }: VerifyAzureOptions): OpenPorts {
  const { env } = shell;
  const network = networkFor(shell, azureCa);
  let headers: Readonly<Record<string, string>> = {};
  const connect: Connect = (origin) => {
    const transport = network.connect(origin);
    return {
      request: async (request) => {
        const response = await transport.request(request);
        headers = response.headers;
        return response;
      },
      close: () => transport.close(),
    };
  };
  const cloud = cloudAt(azureEndpoint);
  const azure = azureOfOwnIdentity({ env, cloud, connect });
  const tokens = ownTokens(shell, { cloud, connect, env }, "a secret");
  const arm: Arm = patientArm(azure.armWith(tokens, "verify"), env.clock);
  return {
    ports: { arm, clock: env.clock, headers: () => headers, signal: shell.stopSignal() },
    close: () => network.close(),
  };
}
