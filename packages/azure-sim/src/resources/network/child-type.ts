import { type Answer, empty, reply } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { parentNotFound, resourceNotFound } from "../../arm/errors.ts";
import { checkPreconditions } from "../../arm/precondition.ts";
import { resourceId } from "../../arm/target.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import type { AzureState } from "../../core/azure-state.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../json.ts";
import { acceptedAction } from "../../operations/start.ts";
import { foundResource } from "../found.ts";
import type { ResourceType } from "../resource-type.ts";
import { childBody, childNamed } from "./network-body.ts";
import { NETWORK, type NetworkNoun } from "./network-noun.ts";
import { writeNetworkResource } from "./network-write.ts";

/** A resource inside another one, such as a subnet in its network. */
export function networkChildType(noun: NetworkNoun, field: string, latency = noun.type): ResourceType {
  const child = { noun, field, latency };
  return {
    provider: NETWORK,
    type: `${noun.type}/${field}`,
    get: (call, world) => {
      const parent = foundResource(call, world);
      return reply(200, childBody(noun, parent, { field, child: foundChild(call, parent, field) }), {
        etag: parent.etag,
      });
    },
    list: (call, world) => {
      const parent = foundResource(call, world);
      const children = objectsAt(parent.body, "properties", field);
      return reply(200, { value: children.map((one) => childBody(noun, parent, { field, child: one })) });
    },
    put: (call, world) => putChild(child, call, world),
    delete: (call, world) => deleteChild(child, call, world),
  };
}

interface ChildNoun {
  readonly noun: NetworkNoun;
  readonly field: string;
  readonly latency: string;
}

function foundChild(call: Call, parent: Resource, field: string): JsonObject {
  const name = call.target.names[1] ?? "";
  const child = childNamed(parent, field, name);
  if (child) return child;
  throw resourceNotFound(`${parent.type}/${parent.name}/${field}/${name}`, call.target.group ?? "");
}

function putChild({ noun, field, latency }: ChildNoun, call: Call, world: AzureState): Answer {
  const parent = world.resources.get(resourceId(call.target, [noun.type]));
  const name = call.target.names[1] ?? "";
  if (!parent) throw parentNotFound(`${noun.type}/${field}`, `${noun.type}/${call.target.names[0]}`);
  const before = childNamed(parent, field, name);
  checkPreconditions(call.headers, before ? parent.etag : undefined);
  const child: JsonObject = { ...requireBody(call.body), name: textAt(before, "name") ?? name };
  const children = objectsAt(parent.body, "properties", field);
  const changed = before ? children.map((one) => (one === before ? child : one)) : [...children, child];
  const { resource, answer } = writeNetworkResource(
    { noun, call, world, id: parent.id, existing: parent, body: withChildren(parent, field, changed) },
    latency,
  );
  return answer(before ? 200 : 201, childBody(noun, resource, { field, child }));
}

function deleteChild({ noun, field, latency }: ChildNoun, call: Call, world: AzureState): Answer {
  const parent = world.resources.get(resourceId(call.target, [noun.type]));
  const child = parent && childNamed(parent, field, call.target.names[1] ?? "");
  if (!parent || !child) return empty(204);
  const problem = noun.childInUse?.(world, `${parent.id}/${field}/${textAt(child, "name")}`);
  if (problem) throw problem;
  const rest = objectsAt(parent.body, "properties", field).filter((one) => one !== child);
  const write = {
    noun,
    call,
    world,
    id: parent.id,
    existing: parent,
    body: withChildren(parent, field, rest),
  };
  const { resource } = writeNetworkResource(write, latency);
  const operation = resource.operation === undefined ? undefined : world.operations.get(resource.operation);
  return operation ? acceptedAction(call, world, operation) : empty(200);
}

function withChildren(parent: Resource, field: string, children: readonly JsonObject[]): JsonObject {
  return { ...parent.body, properties: { ...objectAt(parent.body, "properties"), [field]: children } };
}
