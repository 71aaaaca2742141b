import { useEffect, useRef } from "preact/hooks";
import type { ObjectHead, ObjectName, ShownCondition, ShownEvent } from "../protocol.ts";
import { Age, Command, Said } from "./parts.tsx";
import { refine } from "./route.ts";
import { useView } from "./stream.ts";
import { Problem } from "./view-frame.tsx";

/** One object: conditions, events, owners, YAML and the lines of kubectl. */
export function ObjectPanel({
  object,
  keyOf,
}: {
  readonly object: ObjectName;
  /** The row of an object in the tree. */
  readonly keyOf: KeyOf;
}) {
  const view = useView<ObjectHead, ShownEvent>({ view: "object", ...object });
  const { head, rows, problem } = view.value;
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape") refine({ on: "" });
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <aside ref={panel} class="panel" aria-label={`${object.kind} ${object.name}`}>
      <div class="panel-title">
        <h2>
          <span class="faint">{object.kind}</span> <Said>{object.name}</Said>
        </h2>
        <button type="button" onClick={() => refine({ on: "" })}>
          Close
        </button>
      </div>
      <Problem text={problem} />
      {head ? (
        <Detail head={head} events={[...rows.values()]} keyOf={keyOf} />
      ) : (
        <p class="faint">Reading …</p>
      )}
    </aside>
  );
}

type KeyOf = (object: Pick<ObjectName, "kind" | "name">) => string | undefined;

/** An owner leads to its row, if the tree has one. */
function Owner({ owner, keyOf }: { readonly owner: ObjectName; readonly keyOf: KeyOf }) {
  const { kind, name } = owner;
  const key = keyOf(owner);
  const text = (
    <>
      {kind} <Said>{name}</Said>
    </>
  );
  if (key === undefined) return <span>{text} </span>;
  return (
    <button type="button" class="row-link plain" onClick={() => refine({ on: key })}>
      {text}
    </button>
  );
}

function Detail({
  head,
  events,
  keyOf,
}: {
  readonly head: ObjectHead;
  readonly events: readonly ShownEvent[];
  readonly keyOf: KeyOf;
}) {
  return (
    <>
      {head.owners.length > 0 && (
        <p>
          Owner:{" "}
          {head.owners.map((owner) => (
            <Owner key={`${owner.kind}/${owner.name}`} owner={owner} keyOf={keyOf} />
          ))}
        </p>
      )}
      <h3>Conditions</h3>
      <Conditions conditions={head.conditions} />
      <h3>Events</h3>
      {events.length === 0 && <p class="faint">None.</p>}
      <ul class="events">
        {events.map(({ key, atMs, type, reason, message, count }) => (
          <li key={key}>
            <Age sinceMs={atMs} /> <strong class={type === "Warning" ? "bad-text" : ""}>{reason}</strong>
            {count > 1 && <span class="faint"> ×{count}</span>} <Said>{message}</Said>
          </li>
        ))}
      </ul>
      <h3>kubectl</h3>
      {head.commands.map((command) => (
        <p key={command}>
          <Command text={command} />
        </p>
      ))}
      <details>
        <summary>YAML</summary>
        <pre tabIndex={0}>{head.yaml}</pre>
      </details>
    </>
  );
}

function Conditions({ conditions }: { readonly conditions: readonly ShownCondition[] }) {
  if (conditions.length === 0) return <p class="faint">None yet.</p>;
  return (
    <table class="conditions">
      <thead>
        <tr>
          <th scope="col">Type</th>
          <th scope="col">Status</th>
          <th scope="col">Reason</th>
          <th scope="col">Since</th>
        </tr>
      </thead>
      <tbody>
        {conditions.map(({ type, status, reason, message, sinceMs }) => (
          <tr key={type}>
            <th scope="row">{type}</th>
            <td>{status}</td>
            <td>
              {reason}
              {message !== "" && (
                <div class="faint">
                  <Said>{message}</Said>
                </div>
              )}
            </td>
            <td>
              <Age sinceMs={sinceMs} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
