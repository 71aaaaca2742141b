import { createServer } from "node:net";

// The most files that run at the same time, and more.
const FILES_AT_ONCE = 4;

/**
 * A free port of this machine. It is released before its server binds it, seconds later, so files that run at the same time
 * must not be given the same one: each worker of vitest, or each lane of a soak, takes the ports of its own remainder.
 */
export async function freePort(): Promise<number> {
  const remainder = Number(process.env["CAPSTAN_LANE"] ?? process.env["VITEST_POOL_ID"] ?? 0) % FILES_AT_ONCE;
  for (;;) {
    const port = await anyFreePort();
    // Linux hands out odd ports first, so the lowest bit says nothing.
    if (Math.floor(port / 2) % FILES_AT_ONCE === remainder) return port;
  }
}

async function anyFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port could be had");
  return address.port;
}
