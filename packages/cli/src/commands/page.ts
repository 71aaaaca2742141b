import { withUserClient } from "../cluster/user-access.ts";
import type { UserAccess } from "../cluster/user-kubeconfig.ts";
import { EXIT } from "../exit-codes.ts";
import { quoted } from "../render/amounts.ts";
import { paintFor } from "../render/paint.ts";
import { servePage } from "../page/serve-page.ts";
import type { Shell } from "../shell.ts";
import { aborted } from "../signals.ts";

/** Which cluster to show, and where. */
export interface PageCommandOptions {
  readonly access: UserAccess;
  readonly port: number;
}

/** `capstan page`: serves the page for the cluster of a kubeconfig, with the user's own rights, until Ctrl-C. */
export async function page(shell: Shell, { access, port }: PageCommandOptions): Promise<number> {
  const stop = shell.stopSignal();
  return await withUserClient(shell, access, async (client, { now, namespace, transport, home }) => {
    const served = await servePage({
      env: shell.env,
      now,
      client,
      transport,
      home,
      chosen: access.namespace,
      fallback: namespace,
      port,
      portFlag: "--port",
      log: shell.err,
      flags: home === undefined ? flagsOf(access) : `--data-dir ${quoted(home)}`,
    });
    try {
      const paint = paintFor(shell.out, shell.variables);
      shell.out.write(`page: ${paint.strong(served.link)}\n`);
      shell.out.write(paint.faint("The link is good for one login. Ctrl-C stops the page.\n"));
      await aborted(stop);
    } finally {
      await served.close();
    }
    return EXIT.done;
  });
}

function flagsOf({ kubeconfig, context }: UserAccess): string {
  return [
    ...(kubeconfig === undefined ? [] : [`--kubeconfig ${quoted(kubeconfig)}`]),
    ...(context === undefined ? [] : [`--context ${quoted(context)}`]),
  ].join(" ");
}
