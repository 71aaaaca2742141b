import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { CommandError } from "../command-error.ts";
import type { Target } from "../convert/target.ts";
import { type ConvertedText, convertText } from "../convert/convert-text.ts";
import { EXIT } from "../exit-codes.ts";
import { manifestFiles, readGivenFile, readProblem, readStandardInput } from "../given-file.ts";
import type { Shell } from "../shell.ts";

/** What to convert, and where the result goes. */
export interface ConvertOptions {
  /** Files and folders; `-` is standard input. */
  readonly files: readonly string[];
  readonly to: Target;
  /** A file for all of the result; standard output unless given. */
  readonly output?: string;
  /** Writes each file back. */
  readonly inPlace: boolean;
}

/** `capstan convert`: manifests in another version. Nothing is written unless all of them can be converted. */
export async function convert(shell: Shell, { files, to, output, inPlace }: ConvertOptions): Promise<number> {
  if (inPlace && files.includes("-"))
    throw new CommandError(
      "--in-place writes files back, and standard input is not a file; name files with -f",
    );
  const given = files.flatMap((file) => (file === "-" ? [file] : manifestFiles(shell, file)));
  const results: (ConvertedText & { readonly file: string })[] = [];
  for (const file of given) results.push({ file, ...(await convertFile(shell, file, to)) });
  for (const warning of results.flatMap(({ warnings }) => warnings)) shell.err.write(`warning: ${warning}\n`);
  const count = results.reduce((sum, one) => sum + one.count, 0);
  if (count === 0)
    shell.err.write(`note: nothing was converted: no object given has a version other than ${to}\n`);
  if (inPlace) {
    for (const result of results) if (result.count > 0) writeBack(shell, result);
  } else {
    const text = results.reduce((before, one) => joined(before, one.text), "");
    if (output === undefined) shell.out.write(text);
    else writeFile(resolve(shell.workingFolder, output), text, output);
  }
  return EXIT.done;
}

async function convertFile(shell: Shell, file: string, to: Target): Promise<ConvertedText> {
  if (file === "-") return convertText({ origin: "standard input", text: await readStandardInput() }, to);
  return convertText({ origin: file, text: readGivenFile(shell, file, "-f") }, to);
}

/** Two texts of documents as one. */
function joined(before: string, text: string): string {
  if (before === "" || text.trim() === "") return before + text;
  const ended = before.endsWith("\n") ? before : `${before}\n`;
  return /^(?:---|%)/.test(text) ? ended + text : `${ended}---\n${text}`;
}

function writeBack(shell: Shell, { file, text, count }: ConvertedText & { readonly file: string }): void {
  // A symbolic link stays one.
  writeFile(realpathSync(resolve(shell.workingFolder, file)), text, file);
  shell.out.write(`${file}: converted ${count} ${count === 1 ? "object" : "objects"}\n`);
}

/** Writes a file whole or not at all, with the permissions that it had. */
function writeFile(path: string, text: string, given: string): void {
  const partial = `${path}.partial`;
  const before = statSync(path, { throwIfNoEntry: false });
  try {
    writeFileSync(partial, text);
    // A new file is for the current user alone, as all files of this program are: manifests may contain secrets.
    if (before) chmodSync(partial, before.mode);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw new CommandError(`${given} cannot be written: ${readProblem(error)}`);
  }
}
