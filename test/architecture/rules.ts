import { parseSync, Visitor } from "oxc-parser";
import { dirname, join } from "node:path/posix";
import { BROWSER, FORBIDDEN_MODULES, FOLDERS, LAYERS, PURE, SEPARATED } from "./layers.ts";

/** A source file: its path from the repository's root, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A broken rule, with the reason of the rule. */
export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** All rules over one file. */
export function violationsOf(file: SourceFile): Violation[] {
  const { program, module, comments } = parseSync(file.path, file.text);
  const at = (offset: number): number => file.text.slice(0, offset).split("\n").length;
  const imports = [
    ...module.staticImports,
    ...module.staticExports.flatMap((entry) => entry.entries),
  ].flatMap((entry): (Import & { readonly start: number })[] => {
    const { value, start = 0 } = entry.moduleRequest ?? {};
    const named = "entries" in entry ? entry.entries : [];
    const names = named.length === 0 ? ["*"] : named.map(({ importName }) => importName.name ?? "*");
    const isType = named.length > 0 && named.every((one) => one.isType);
    return value === undefined ? [] : [{ module: value, names, isType, start }];
  });
  const found: Violation[] = [];
  const report = (offset: number, message: string): void =>
    void found.push({ path: file.path, line: at(offset), message });
  for (const { start, ...imported } of imports) {
    for (const message of importProblems(file.path, imported)) report(start, message);
  }
  if (!isEnv(file.path) && file.path !== BROWSER) visitGlobals(program, report);
  visitClasses(program, report);
  if (isPure(file.path)) visitAsync(program, report);
  if (/^packages\/[^/]+\/src\/index\.ts$/.test(file.path)) checkIndex(file, { comments, report });
  return found;
}

function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\/src\//.exec(path)?.[1];
}

function isEnv(path: string): boolean {
  return packageOf(path) === "env";
}

/** A module that a file imports, and which names of it. */
interface Import {
  readonly module: string;
  readonly names: readonly string[];
  /** Whether only types are imported. */
  readonly isType: boolean;
}

function importProblems(path: string, one: Import): string[] {
  const { module: imported } = one;
  const own = packageOf(path);
  if (own === undefined) return [];
  const layer = LAYERS.find(({ name }) => name === own);
  if (!layer) return [`package ${own} is not in the table of layers (test/architecture/layers.ts)`];
  const target = /^@capstan\/([^/]+)/.exec(imported)?.[1] ?? own;
  if (target !== own && !layer.mayImport.includes(target)) {
    return [`${own} may not import @capstan/${target}: ${layer.reason}`];
  }
  const [problem] = [folderProblem, separationProblem, purityProblem].flatMap(
    (find) => find(path, one) ?? [],
  );
  if (problem !== undefined) return [problem];
  return isEnv(path) ? [] : forbiddenModule(path, imported);
}

function folderProblem(path: string, { module: imported, names }: Import): string | undefined {
  const narrow = FOLDERS.find(
    ({ folder, forbids, names: forbidden = /./ }) =>
      path.startsWith(folder) && forbids.test(imported) && names.some((name) => forbidden.test(name)),
  );
  return narrow && `${narrow.folder} may not import ${imported}: ${narrow.reason}`;
}

function purityProblem(path: string, { module: imported, isType }: Import): string | undefined {
  if (!isPure(path) || isType || !PURE.typesOnly.test(imported)) return undefined;
  return `a decision may import only types of ${imported}: ${PURE.reason}`;
}

function isPure(path: string): boolean {
  return PURE.files.test(path) && !PURE.except.test(path);
}

/** A relative import that leads from the folder of a reconciler into that of another. */
function separationProblem(path: string, { module: imported }: Import): string | undefined {
  const from = separatedFolder(path);
  const to = imported.startsWith(".") ? separatedFolder(join(dirname(path), imported)) : undefined;
  if (from === undefined || to === undefined || from === to) return undefined;
  return `${path} may not import ${SEPARATED.folder}${to}: ${SEPARATED.reason}`;
}

function separatedFolder(path: string): string | undefined {
  const [name, ...rest] = path.startsWith(SEPARATED.folder)
    ? path.slice(SEPARATED.folder.length).split("/")
    : [];
  return rest.length > 0 ? name : undefined;
}

function forbiddenModule(path: string, imported: string): string[] {
  const forbidden = FORBIDDEN_MODULES.find(
    ({ module }) => module === imported || module === `node:${imported}`,
  );
  if (!forbidden || (forbidden.alsoIn !== undefined && path.includes(forbidden.alsoIn))) return [];
  return [`${imported} may only be imported in packages/env: ${forbidden.reason}`];
}

type Report = (offset: number, message: string) => void;

const TIME = "time comes from env.clock, so that virtual time can replay it";
const RANDOM = "randomness and ids come from env, so that a seed replays them";

const FORBIDDEN_GLOBALS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    setTimeout: TIME,
    setInterval: TIME,
    setImmediate: TIME,
    performance: TIME,
    fetch: "sockets come from an env transport",
    WebSocket: "sockets come from an env transport",
  }),
);

const FORBIDDEN_MEMBERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "Date.now": TIME,
    "AbortSignal.timeout": TIME,
    "process.hrtime": TIME,
    "process.uptime": TIME,
    "Math.random": RANDOM,
    "crypto.randomUUID": RANDOM,
    "crypto.getRandomValues": RANDOM,
  }),
);

// Named imports of node:crypto would hide the member form above.
const FORBIDDEN_IMPORTED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    randomUUID: RANDOM,
    randomBytes: RANDOM,
    randomInt: RANDOM,
    getRandomValues: RANDOM,
  }),
);

function visitGlobals(program: Parameters<Visitor["visit"]>[0], report: Report): void {
  const refuse = (start: number, what: string, reason: string | undefined): void => {
    if (reason !== undefined) report(start, `${what} is not allowed outside packages/env: ${reason}`);
  };
  new Visitor({
    CallExpression: ({ callee, start }) => {
      if (callee.type === "Identifier") refuse(start, `${callee.name}()`, FORBIDDEN_GLOBALS.get(callee.name));
    },
    MemberExpression: ({ object, property, start }) => {
      if (object.type !== "Identifier" || property.type !== "Identifier") return;
      const member = `${object.name}.${property.name}`;
      refuse(start, member, object.name === "performance" ? TIME : FORBIDDEN_MEMBERS.get(member));
    },
    NewExpression: ({ callee, arguments: args, start }) => {
      const isNow = callee.type === "Identifier" && callee.name === "Date" && args.length === 0;
      if (isNow) refuse(start, "new Date() without an argument", TIME);
    },
    ImportSpecifier: ({ imported, start }) => {
      if (imported.type === "Identifier") refuse(start, imported.name, FORBIDDEN_IMPORTED.get(imported.name));
    },
  }).visit(program);
}

function visitClasses(program: Parameters<Visitor["visit"]>[0], report: Report): void {
  const check = (superClass: { type: string; name?: string } | null, start: number): void => {
    if (superClass && superClass.name !== "Error") {
      report(
        start,
        "a class may extend nothing but Error: behaviour is shared by functions, not by base classes",
      );
    }
  };
  new Visitor({
    ClassDeclaration: ({ superClass, start }) =>
      check(superClass as { type: string; name?: string } | null, start),
    ClassExpression: ({ superClass, start }) =>
      check(superClass as { type: string; name?: string } | null, start),
  }).visit(program);
}

function visitAsync(program: Parameters<Visitor["visit"]>[0], report: Report): void {
  const refuse = (start: number, what: string): void =>
    report(start, `${what} in a decision: ${PURE.reason}`);
  const check = ({ async: isAsync, start }: { async: boolean; start: number }): void => {
    if (isAsync) refuse(start, "an async function");
  };
  new Visitor({
    FunctionDeclaration: check,
    FunctionExpression: check,
    ArrowFunctionExpression: check,
    AwaitExpression: ({ start }) => refuse(start, "await"),
    ForOfStatement: ({ await: isAwait, start }) => {
      if (isAwait) refuse(start, "await");
    },
    Identifier: ({ name, start }) => {
      if (name === "Promise") refuse(start, "a Promise");
    },
  }).visit(program);
}

interface IndexCheck {
  readonly comments: readonly { readonly type: string; readonly value: string; readonly end: number }[];
  readonly report: Report;
}

/** An index is the front door of a package: everything on it is either declared in a documented place or documented here. */
function checkIndex(file: SourceFile, { comments, report }: IndexCheck): void {
  const first = comments.find(({ type, value }) => type === "Block" && value.startsWith("*"));
  if (
    !first ||
    file.text
      .slice(0, first.end)
      .split("\n")
      .some((line) => /^(export|import)\b/.test(line))
  ) {
    report(0, "an index.ts starts with a doc comment that says what the package is for");
  }
}

/** The names an index exports, with the file each comes from. */
export function exportsOf(file: SourceFile): { readonly name: string; readonly from: string }[] {
  const { module } = parseSync(file.path, file.text);
  return module.staticExports
    .flatMap(({ entries }) => entries)
    .map((entry) => ({ name: entry.importName.name ?? "*", from: entry.moduleRequest?.value ?? "" }));
}

/** The exported symbols of a file that have no doc comment right before them. */
export function undocumented(file: SourceFile, names: readonly string[]): Violation[] {
  const { program, comments } = parseSync(file.path, file.text);
  const documented = new Set<string>();
  const declared = new Map<string, number>();
  for (const statement of program.body) {
    if (statement.type !== "ExportNamedDeclaration" || !statement.declaration) continue;
    const hasDoc = comments.some(
      ({ type, value, end }) =>
        type === "Block" && value.startsWith("*") && file.text.slice(end, statement.start).trim() === "",
    );
    for (const name of declaredNames(statement.declaration)) {
      declared.set(name, statement.start);
      if (hasDoc) documented.add(name);
    }
  }
  return names
    .filter((name) => declared.has(name) && !documented.has(name))
    .map((name) => ({
      path: file.path,
      line: file.text.slice(0, declared.get(name)).split("\n").length,
      message: `${name} is exported by an index.ts and has no doc comment: readers of the package see it first`,
    }));
}

function declaredNames(declaration: object): string[] {
  if ("id" in declaration && declaration.id) return [(declaration.id as { name: string }).name];
  const { declarations = [] } = declaration as { declarations?: { id: { name?: string } }[] };
  return declarations.map(({ id }) => id.name ?? "");
}
