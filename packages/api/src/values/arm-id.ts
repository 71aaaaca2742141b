import { isGuid } from "./guid.ts";
import { problemOf } from "./problem-of.ts";

/** One `type/name` pair of an ARM resource id. */
export interface ArmIdPart {
  readonly type: string;
  readonly name: string;
}

/** A parsed ARM resource id. The case is kept as given; compare with `sameArmId`. */
export interface ArmId {
  readonly subscription: string;
  /** Absent for a subscription and for resources directly below one. */
  readonly resourceGroup?: string;
  /** The resource provider, such as `Microsoft.Compute`. Absent for a subscription or a resource group. */
  readonly provider?: string;
  /** The resource's own pair last, its ancestors before it. Empty without a provider. */
  readonly parts: readonly ArmIdPart[];
}

/** A text that is not an ARM resource id; the message says what was expected where. */
export class ArmIdError extends Error {
  override readonly name = "ArmIdError";
}

// Longer than any id of Azure, short enough that an id is always cheap to store and to print.
const LONGEST_ID = 2048;

// Characters that Azure forbids in every name, and those that would change the meaning of a path.
const FORBIDDEN_CHARACTER = /[\s\p{C}\\?#%&<>*:"|]/u;
// Nearly all ids: no forbidden character, no empty segment, and none that begins with a dot.
const PLAIN_ID = /^(?:\/[\w-][\w.-]*)+$/;
// oxlint-disable-next-line no-control-regex -- all of ASCII, for any text
const ASCII_ONLY = /^[\0-\x7f]*$/;

/** Parses an ARM resource id; throws an ArmIdError if the text is not one. */
export function parseArmId(text: string): ArmId {
  const segments = splitSegments(text);
  expectWord(segments, 0, "subscriptions");
  const subscription = expectSegment(segments, 1, "a subscription id");
  if (!isGuid(subscription)) {
    throw new ArmIdError(`segment 2 must be a subscription id (a GUID), not ${quoted(subscription)}`);
  }
  const inGroup = isWord(segments[2], "resourceGroups");
  if (!inGroup) {
    return { subscription, ...parseProvider(segments, 2) };
  }
  const resourceGroup = expectSegment(segments, 3, "a resource group name");
  return { subscription, resourceGroup, ...parseProvider(segments, 4) };
}

/** The problem of an ARM resource id, or undefined if it is valid. */
export function armIdProblem(text: string): string | undefined {
  return problemOf(ArmIdError, () => parseArmId(text));
}

/** Prints an id in Azure's form. Throws an ArmIdError if a part is not valid in an id. */
export function formatArmId(id: ArmId): string {
  const group = id.resourceGroup === undefined ? "" : `/resourceGroups/${id.resourceGroup}`;
  const provider = id.provider === undefined ? "" : `/providers/${id.provider}`;
  const parts = id.parts.map((part) => `/${part.type}/${part.name}`).join("");
  const text = `/subscriptions/${id.subscription}${group}${provider}${parts}`;
  // A name with a slash would be parsed as another resource.
  const reread = parseArmId(text);
  if (reread.parts.length !== id.parts.length || reread.resourceGroup !== id.resourceGroup) {
    throw new ArmIdError(`${quoted(text)} does not read back as the resource it was built for`);
  }
  return text;
}

/** Whether two ids name the same resource: Azure ignores case in every segment. */
export function sameArmId(left: string, right: string): boolean {
  return foldCase(left) === foldCase(right);
}

/** The resource that contains this one; undefined for a subscription. */
export function parentArmId(id: ArmId): ArmId | undefined {
  const { subscription, resourceGroup, provider, parts } = id;
  const group = resourceGroup === undefined ? {} : { resourceGroup };
  if (parts.length > 1 && provider !== undefined) {
    return { subscription, ...group, provider, parts: parts.slice(0, -1) };
  }
  if (parts.length === 1) {
    return { subscription, ...group, parts: [] };
  }
  return resourceGroup === undefined ? undefined : { subscription, parts: [] };
}

/** The full type, such as `Microsoft.Compute/galleries/images`; undefined above the provider. */
export function armIdType(id: ArmId): string | undefined {
  return id.provider && id.parts.reduce((type, part) => `${type}/${part.type}`, id.provider);
}

/** Whether a resource has a type such as `Microsoft.Compute/galleries/images`, in any case. */
export function hasArmType(id: ArmId, type: string): boolean {
  const own = armIdType(id);
  return own !== undefined && foldCase(own) === foldCase(type);
}

/**
 * Lower-cases ASCII letters only. Unicode folding would make names equal that Azure distinguishes, such as the Kelvin
 * sign and the letter k.
 */
export function foldCase(text: string): string {
  // For ASCII text the runtime gives the same result, many times faster.
  if (ASCII_ONLY.test(text)) return text.toLowerCase();
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function splitSegments(text: string): readonly string[] {
  if (text.length > LONGEST_ID) {
    throw new ArmIdError(`an id has at most ${LONGEST_ID} characters, not ${text.length}`);
  }
  if (!text.startsWith("/")) {
    throw new ArmIdError(`an id starts with "/subscriptions/", not ${quoted(text)}`);
  }
  const segments = text.slice(1).split("/");
  if (PLAIN_ID.test(text)) return segments;
  for (const [index, segment] of segments.entries()) {
    checkSegment(segment, index);
  }
  return segments;
}

function checkSegment(segment: string, index: number): void {
  const place = `segment ${index + 1}`;
  if (segment === "") {
    throw new ArmIdError(`${place} is empty`);
  }
  if (segment === "." || segment === "..") {
    throw new ArmIdError(`${place} must be a name, not ${quoted(segment)}`);
  }
  const bad = FORBIDDEN_CHARACTER.exec(segment);
  if (bad) {
    throw new ArmIdError(`${place} ${quoted(segment)} must not contain ${quoted(bad[0])}`);
  }
}

function parseProvider(
  segments: readonly string[],
  start: number,
): { provider?: string; parts: readonly ArmIdPart[] } {
  if (segments.length === start) {
    return { parts: [] };
  }
  expectWord(segments, start, "providers");
  const provider = expectSegment(segments, start + 1, "a resource provider such as Microsoft.Compute");
  return { provider, parts: parseParts(segments, start + 2) };
}

function parseParts(segments: readonly string[], start: number): readonly ArmIdPart[] {
  const parts: ArmIdPart[] = [];
  for (let index = start; index < segments.length || parts.length === 0; index += 2) {
    const type = expectSegment(segments, index, "a resource type");
    if (isWord(type, "providers")) {
      throw new ArmIdError(
        `segment ${index + 1} must be a resource type; extension resources are not supported`,
      );
    }
    parts.push({ type, name: expectSegment(segments, index + 1, `the name of the ${type}`) });
  }
  return parts;
}

function expectWord(segments: readonly string[], index: number, word: string): void {
  if (!isWord(segments[index], word)) {
    throw new ArmIdError(`segment ${index + 1} must be ${quoted(word)}, not ${quoted(segments[index])}`);
  }
}

function expectSegment(segments: readonly string[], index: number, what: string): string {
  const segment = segments[index];
  if (segment === undefined) {
    throw new ArmIdError(`segment ${index + 1} must be ${what}, but the id ends before it`);
  }
  return segment;
}

function isWord(segment: string | undefined, word: string): boolean {
  return segment === word || (segment !== undefined && foldCase(segment) === foldCase(word));
}

function quoted(text: string | undefined): string {
  return text === undefined ? "the end of the id" : JSON.stringify(text);
}
