import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readGivenFile } from "./given-file.ts";
import { testShell } from "./shell.fixture.ts";

/** Reads all of standard input, which does not block: npx and some shells leave it so. */
const READER = `
import { readStandardInput } from ${JSON.stringify(join(import.meta.dirname, "given-file.ts"))};
process.stdin.resume();
process.stdin.pause();
const text = readStandardInput();
console.log("reading");
console.log(await text.then((all) => all, ({ name, message }) => name + ": " + message));
`;

async function read(write: (stdin: NodeJS.WritableStream) => void): Promise<string> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", READER], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stdin.on("error", () => undefined);
  const ended = once(child, "close");
  await once(child.stdout, "data");
  write(child.stdin);
  await ended;
  return Buffer.concat(chunks).toString("utf8").replace("reading\n", "");
}

describe("standard input", () => {
  test("may come late and in pieces that cut a character", async () => {
    const [first, second] = [Buffer.from("a: zwö").subarray(0, 6), Buffer.from("a: zwölf").subarray(6)];
    const text = await read((stdin) => {
      stdin.write(first);
      stdin.end(second);
    });
    expect(text).toBe("a: zwölf\n");
  });
});

test("a device without an end is refused, with the limit", () => {
  expect(() => readGivenFile(testShell({ workingFolder: "/" }), "/dev/zero", "-f")).toThrow(
    "-f /dev/zero has more than 128.0 MiB; expected manifests",
  );
});
