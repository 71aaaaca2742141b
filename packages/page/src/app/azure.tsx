import type { ComponentChildren } from "preact";
import {
  AZURE_LISTS,
  type AzureHead,
  type AzureList,
  type AzureMachineRow,
  type AzureRequestRow,
  type AzureResourceRow,
} from "../azure-protocol.ts";
import type { Row } from "../protocol.ts";
import { Command, Link, Said } from "./parts.tsx";
import { azurePath, route } from "./route.ts";
import { Rows } from "./rows.tsx";
import { nowMs, useView } from "./stream.ts";
import { clockText, durationText, stampText } from "./time.ts";
import { Problem, ViewTitle } from "./view-frame.tsx";

const ROW_HEIGHT = 30;

const TITLES: Readonly<Record<AzureList, string>> = {
  resources: "Resources",
  machines: "Machines",
  requests: "Requests",
};

interface ListLook {
  readonly heads: readonly string[];
  readonly cells: (row: never) => ComponentChildren;
}

const LOOKS: Readonly<Record<AzureList, ListLook>> = {
  resources: {
    heads: ["Resource", "Type", "Resource group", "State", "Operation"],
    cells: (row: AzureResourceRow) => <ResourceCells row={row} />,
  },
  machines: {
    heads: ["Machine", "Scale set", "Resource group", "State", "Power", "Model"],
    cells: (row: AzureMachineRow) => <MachineCells row={row} />,
  },
  requests: {
    heads: ["Time", "Request", "Status", "Code", "Path"],
    cells: (row: AzureRequestRow) => <RequestCells row={row} />,
  },
};

/** The simulated Azure of `capstan up`: its clock, its budgets, and one of its lists. */
export function AzureView({ list: name }: { readonly list: string }) {
  const view = useView<AzureHead, Row>({ view: "azure", name });
  const { head, rows, problem } = view.value;
  const list = AZURE_LISTS.find((one) => one === name);
  return (
    <>
      <ViewTitle title="Simulated Azure">{head && <Summary head={head} />}</ViewTitle>
      <Problem text={problem} />
      {head && <Budgets head={head} />}
      <nav class="tabs" aria-label="Lists of the simulated Azure">
        {AZURE_LISTS.map((one) => (
          <Link key={one} to={azurePath(one)} class={one === name ? "tab on" : "tab"}>
            {TITLES[one]} {head && <span class="faint">{head.counts[one]}</span>}
          </Link>
        ))}
      </nav>
      {head && list && <List list={list} rows={[...rows.values()]} />}
      {head && (
        <p class="commands">
          {head.commands.map((command) => (
            <Command key={command} text={command} />
          ))}
        </p>
      )}
    </>
  );
}

function Summary({ head: { speed, seed, faults } }: { readonly head: AzureHead }) {
  const secondMs = Math.floor(nowMs.value / 1000) * 1000;
  return (
    <p class="summary">
      <span>
        <time dateTime={stampText(secondMs)}>{stampText(secondMs)}</time>, speed {speed},
      </span>
      <span>
        seed <Said>{seed}</Said>
      </span>
      {faults.length > 0 && (
        <span class="skewed">
          faults: <Said>{faults.join(", ")}</Said>
        </span>
      )}
    </p>
  );
}

/** Requests left, the emptiest budgets first: a rollout that waits for Azure is seen here. */
function Budgets({ head: { budgets } }: { readonly head: AzureHead }) {
  if (budgets.length === 0) return null;
  return (
    <ul class="budgets" aria-label="Requests left in each budget">
      {budgets.map(({ name, left, capacity }) => (
        <li key={name}>
          <meter min={0} max={capacity} low={capacity / 4} value={left} aria-label={name} />
          <span class="number">
            {left} of {capacity}
          </span>
          <span class="faint">
            <Said>{name}</Said>
          </span>
        </li>
      ))}
    </ul>
  );
}

function List({ list, rows }: { readonly list: AzureList; readonly rows: readonly Row[] }) {
  const { search } = route.value;
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = rows.filter((row) => {
    const text = Object.values(row).join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (shown.length === 0)
    return <p class="empty">{words.length > 0 ? `Nothing matches ${search}.` : "There is nothing yet."}</p>;
  const { heads, cells } = LOOKS[list];
  return (
    <Rows
      label={TITLES[list]}
      class={`azure-${list}`}
      heads={heads}
      rows={shown}
      height={ROW_HEIGHT}
      draw={(row) => cells(row as never)}
    />
  );
}

function Cell({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <span role="cell" data-label={label}>
      {children}
    </span>
  );
}

function ResourceCells({ row }: { readonly row: AzureResourceRow }) {
  const { name, depth, type, group, state, operation } = row;
  return (
    <>
      <span role="cell" class="name" style={{ paddingLeft: `${depth}rem` }}>
        <Said>{name}</Said>
      </span>
      <Cell label="Type">{type}</Cell>
      <Cell label="Resource group">
        <Said>{group}</Said>
      </Cell>
      <span role="cell" data-label="State" class={state === "Failed" ? "failed" : ""}>
        {state}
      </span>
      <Cell label="Operation">
        {operation && `${operation.name}, ${durationText(operation.dueMs - nowMs.value)} left`}
      </Cell>
    </>
  );
}

function MachineCells({ row }: { readonly row: AzureMachineRow }) {
  const { name, set, group, state, power, isLatest } = row;
  return (
    <>
      <span role="cell" class="name">
        <Said>{name}</Said>
      </span>
      <Cell label="Scale set">{set === "" ? "–" : <Said>{set}</Said>}</Cell>
      <Cell label="Resource group">
        <Said>{group}</Said>
      </Cell>
      <span role="cell" data-label="State" class={state === "Failed" ? "failed" : ""}>
        {state}
      </span>
      <Cell label="Power">{power}</Cell>
      <Cell label="Model">{isLatest === undefined ? "–" : isLatest ? "newest" : "older"}</Cell>
    </>
  );
}

function RequestCells({ row }: { readonly row: AzureRequestRow }) {
  const { atMs, operation, status, code, path } = row;
  return (
    <>
      <Cell label="Time">
        <time dateTime={stampText(atMs)} title={stampText(atMs)}>
          {clockText(atMs)}
        </time>
      </Cell>
      <span role="cell" class="name" title={operation}>
        <Said>{operation}</Said>
      </span>
      <span role="cell" data-label="Status" class={status >= 400 ? "failed number" : "number"}>
        {status}
      </span>
      <Cell label="Code">
        <Said>{code}</Said>
      </Cell>
      <span role="cell" data-label="Path" title={path}>
        <Said>{path}</Said>
      </span>
    </>
  );
}
