/**
 * `npm run picture`: types the commands of README.md in a terminal, and draws what they print as docs/terminal.svg. It needs
 * kubectl, and `script`, which provides the terminal.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { terminalPicture, tourOf } from "./terminal-picture.ts";

const PICTURE = "docs/terminal.svg";
const COLUMNS = 106;

const readme = readFileSync("README.md", "utf8");
const [, speed = "1"] = /npm start -- --speed (\d+)/.exec(readme) ?? [];

const dataDir = mkdtempSync(join(tmpdir(), "capstan-picture-"));
const env = {
  ...process.env,
  PATH: [resolve("node_modules/.bin"), process.env["PATH"]].join(delimiter),
  KUBECONFIG: join(dataDir, "kubeconfig"),
};
const server = spawn("capstan", ["up", "--port", "0", "--data-dir", dataDir, "--speed", speed], {
  env,
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  for await (const text of server.stdout.setEncoding("utf8")) if (String(text).includes("ready in")) break;
  const printed = tourOf(readme).map((command) => `\u001B[1m$ ${command}\u001B[22m\n${inTerminal(command)}`);
  writeFileSync(PICTURE, terminalPicture(printed.join("\n"), { columns: COLUMNS }));
  console.log(`wrote ${PICTURE}`);
} finally {
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(dataDir, { recursive: true, force: true });
}

/** What a command prints on a terminal. */
function inTerminal(command: string): string {
  const script = `stty cols ${COLUMNS}; ${command}`;
  return execFileSync("script", ["-qec", script, "/dev/null"], { env, encoding: "utf8" });
}
