import { parseSync, Visitor } from "oxc-parser";
import type { SourceFile, Violation } from "./rules.ts";

/** Names that readers of Kubernetes controllers stumble over, each with what to write instead. */
const WORDS: Readonly<Record<string, string>> = {
  Sighting: "ResolvedReference, ObservedResource or ObservedInstance",
  Sight: "Observation",
  sight: "observation",
  sightOf: "observationOf",
  looked: "observed",
  isFirstHand: "isLiveRead",
  wish: "desired",
  Wish: "the desired spec by its own name",
  wishKey: "desiredStateKey",
  isAnotherWish: "specChanged",
  family: "owners",
  site: "azureTarget",
  meet: "reconcileReference",
  Appointment: "ReferenceOptions",
  Eyes: "ObjectReader",
  Belonging: "OwnedObject",
  logIn: "armClientFor",
  LoginPorts: "AzureClientPorts",
  Visitor: "ArmClientRequest",
  folded: "normalizedId",
  obstinate: "needsAttention",
  leastMissedFirst: "byDeletionPriority",
  Doomed: "DisruptionCandidate",
  isNews: "predicate, or what has changed",
  concerns: "map",
  restMs: "minReconcileIntervalMs",
  isWorthAnotherPass: "reconcileAfterOwnSpecChange",
  comeBack: "requeueAfterMs or requeueReason",
  mark: "setCondition, or what is marked",
  Mark: "ConditionUpdate",
  tell: "notify or recordEvent",
  told: "published, or what was reported",
  remember: "cacheReading or noteRefusal",
  Pauses: "PollBackoff",
  Joins: "MachineIndex",
  MadeFacts: "CachedFacts",
  SoughtNode: "NodeRefCache",
  PoolBooks: "PoolLookup",
  LimitBooks: "LimitLookup",
  Seat: "ManagerConnections",
  Harbour: "TestServer",
  Boat: "TestObject",
  Refusal: "DrainRefusal, RejectedWrite, AdmissionDenial or TokenError",
  LOOK_AGAIN_MS: "the purpose of the wait, such as DELETION_POLL_MS",
  nobody: "who is meant",
  somebody: "who is meant",
  anew: "again",
};

// In the servers `wanted` is what a request asks for; in the product one word names the desired state.
const PRODUCT = /^packages\/(manager|plan|azure|runtime|sim|cli)\//;
const WANTED = /[wW]anted/;

interface Exception {
  readonly word: string;
  readonly paths: RegExp;
  readonly reason: string;
}

/** Where a word of the list is the right one. */
const EXCEPTIONS: readonly Exception[] = [
  {
    word: "family",
    paths: /^packages\/azure-sim\/|^test\/azure\//,
    reason: "Azure counts quotas by the family of a VM size",
  },
  {
    word: "family",
    paths: /\/cidr(\.test)?\.ts$|^packages\/(sim|apiserver)\/|^test\/conformance\//,
    reason: "IP addresses have a family",
  },
  { word: "restMs", paths: /laws\.test\.ts$/, reason: "the rest of a run, not a pause between reconciles" },
  { word: "folded", paths: /watch\.test\.ts$/, reason: "a list that watch events are folded into" },
];

/** The names declared in a file that are on the list. */
export function wordViolations(file: SourceFile): Violation[] {
  const found: Violation[] = [];
  for (const { name, start } of declaredNames(file)) {
    const instead = replacementFor(name, file.path);
    if (instead === undefined) continue;
    if (EXCEPTIONS.some(({ word, paths }) => word === name && paths.test(file.path))) continue;
    const line = file.text.slice(0, start).split("\n").length;
    found.push({ path: file.path, line, message: `"${name}" is not plain; write ${instead}` });
  }
  return found;
}

function replacementFor(name: string, path: string): string | undefined {
  if (Object.hasOwn(WORDS, name)) return WORDS[name];
  return WANTED.test(name) && PRODUCT.test(path) ? "desired" : undefined;
}

/** Exceptions that no file needs any more. */
export function unusedExceptions(files: readonly SourceFile[]): string[] {
  return EXCEPTIONS.filter(
    ({ word, paths }) =>
      !files.some((file) => paths.test(file.path) && declaredNames(file).some(({ name }) => name === word)),
  ).map(({ word, reason }) => `${word}: ${reason}`);
}

interface Declared {
  readonly name: string;
  readonly start: number;
}

/** A node of the syntax tree, as far as it is read here. */
interface Named {
  readonly type: string;
  readonly start: number;
  readonly name?: unknown;
}

function declaredNames({ path, text }: SourceFile): readonly Declared[] {
  const names: Declared[] = [];
  const add = (node: unknown): void => {
    for (const { name, start } of bound(node as Named | null)) names.push({ name, start });
  };
  const key = ({ key: node }: { readonly key: unknown }): void => add(node);
  const id = ({ id: node }: { readonly id: unknown }): void => add(node);
  const callable = ({
    id: node,
    params,
  }: {
    readonly id: unknown;
    readonly params: readonly unknown[];
  }): void => {
    add(node);
    for (const parameter of params) add(parameter);
  };
  new Visitor({
    VariableDeclarator: id,
    FunctionDeclaration: callable,
    FunctionExpression: callable,
    ArrowFunctionExpression: ({ params }) => params.forEach(add),
    ClassDeclaration: id,
    MethodDefinition: key,
    PropertyDefinition: key,
    TSInterfaceDeclaration: id,
    TSTypeAliasDeclaration: id,
    TSPropertySignature: key,
    TSMethodSignature: key,
  }).visit(parseSync(path, text).program);
  return names;
}

/** The names that a pattern binds, or the one that a key is. */
function bound(node: Named | null): Declared[] {
  if (!node) return [];
  if (node.type === "Identifier" || node.type === "PrivateIdentifier") {
    return [{ name: String(node.name), start: node.start }];
  }
  const pattern = node as Named & {
    readonly properties?: readonly { readonly value?: Named; readonly argument?: Named }[];
    readonly elements?: readonly (Named | null)[];
    readonly left?: Named;
    readonly argument?: Named;
  };
  const { properties = [], elements = [], left, argument } = pattern;
  const parts = [...properties.map((property) => property.value ?? property.argument ?? null), ...elements];
  return [...parts, left ?? null, argument ?? null].flatMap(bound);
}
