import type { StreamRequest } from "../addresses.ts";
import type { ObjectName, ShownCondition, TreeHead, TreeRow } from "../protocol.ts";
import { ObjectPanel } from "./object.tsx";
import { Age, Command, Link, Said, ToneMark } from "./parts.tsx";
import { refine, rolloutPath, route } from "./route.ts";
import { Rows } from "./rows.tsx";
import { useView } from "./stream.ts";
import { Problem, ViewTitle } from "./view-frame.tsx";

const ROW_HEIGHT = 34;
const HEADS = ["Object", "Ready", "Up to date", "State", "Since"];

/** The tree of a cluster, and beside it the selected object. */
export function ClusterView({ request }: { readonly request: StreamRequest }) {
  const view = useView<TreeHead, TreeRow>(request);
  const { head, rows, problem } = view.value;
  const { search, selected } = route.value;
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = [...rows.values()].filter((row) => words.every((word) => textOf(row).includes(word)));
  const object = rows.get(selected)?.object;
  const keyOf = ({ kind, name }: Pick<ObjectName, "kind" | "name">): string | undefined =>
    rows.values().find((row) => row.object?.kind === kind && row.object.name === name)?.key;
  return (
    <>
      <ViewTitle title={`Cluster ${request.namespace ?? ""}/${request.name ?? ""}`}>
        {head && <Rollouts objects={head.rollouts} />}
      </ViewTitle>
      <Problem text={problem} />
      <div class={object ? "beside" : ""}>
        <div>
          {shown.length > 0 && (
            <Rows
              label="Objects of the cluster"
              class="tree"
              heads={HEADS}
              rows={shown}
              height={ROW_HEIGHT}
              draw={(row) => <Cells row={row} />}
            />
          )}
          {head && (
            <p class="in-terminal">
              In a terminal: <Command text={head.command} />
            </p>
          )}
        </div>
        {object && <ObjectPanel key={selected} object={object} keyOf={keyOf} />}
      </div>
    </>
  );
}

function textOf({ text, role, object, condition, tone }: TreeRow): string {
  const state = `${condition?.reason ?? ""} ${condition?.message ?? ""}`;
  return `${text} ${role} ${object?.kind ?? ""} ${state} ${tone === "bad" ? "needs-you" : ""}`.toLowerCase();
}

function Rollouts({ objects }: { readonly objects: readonly ObjectName[] }) {
  if (objects.length === 0) return null;
  return (
    <p class="summary">
      Rollouts:
      {objects.map(({ kind, namespace, name }) => (
        <Link key={`${kind}/${name}`} to={rolloutPath(kind, namespace, name)}>
          <Said>{name}</Said>
        </Link>
      ))}
    </p>
  );
}

function Cells({ row }: { readonly row: TreeRow }) {
  const { counts, condition, tone } = row;
  return (
    <>
      <NameCell row={row} />
      <span role="cell" data-label="Ready" class="number">
        {counts?.ready === undefined ? "" : `${counts.ready}/${counts.desired ?? "?"}`}
      </span>
      <span role="cell" data-label="Up to date" class="number">
        {counts?.upToDate ?? ""}
      </span>
      <span
        role="cell"
        data-label="State"
        class={tone === "bad" ? "bad-text" : "faint"}
        title={condition?.message}
      >
        <Said>{saidOf(condition)}</Said>
      </span>
      <span role="cell" data-label="Since">
        {condition ? <Age sinceMs={condition.sinceMs} /> : ""}
      </span>
    </>
  );
}

/** The reason, and the message of a condition that is not as desired. */
function saidOf(condition: ShownCondition | undefined): string {
  if (!condition) return "";
  const { status, reason, message } = condition;
  return status === "True" || message === "" ? reason : `${reason}: ${message}`;
}

function NameCell({ row }: { readonly row: TreeRow }) {
  const { depth, text, role, object, warnings, tone } = row;
  return (
    <span role="cell" class="name" style={{ paddingLeft: `${depth * 1.1}rem` }}>
      <ToneMark tone={tone} />
      {object ? (
        <button type="button" class="row-link plain" onClick={() => refine({ on: row.key })}>
          <span class="faint">{object.kind}</span> <Said>{text}</Said>
        </button>
      ) : (
        <span>{text}</span>
      )}
      {role !== "" && <span class="faint role">{role}</span>}
      {warnings.map((warning) => (
        <span class="warning" key={warning}>
          {warning}
        </span>
      ))}
    </span>
  );
}
