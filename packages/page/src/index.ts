/** The page in the browser, and what its server and it say to each other. The command line serves it. */
export type {
  FleetHead,
  FleetRow,
  Lane,
  LaneForecast,
  LanePhase,
  LaneSegment,
  Message,
  ObjectName,
  Obstacle,
  RolloutHead,
  RolloutNumbers,
  Row,
  Tone,
  TreeHead,
  TreeRow,
  ObjectHead,
  ShownCondition,
  ShownEvent,
  ViewName,
  ViewState,
} from "./protocol.ts";
export {
  AZURE_LISTS,
  type AzureHead,
  type AzureList,
  type AzureMachineRow,
  type AzureRequestRow,
  type AzureResourceRow,
} from "./azure-protocol.ts";
export {
  APP_ID,
  LOGGED_IN,
  LOGGED_IN_WITH_AZURE,
  SESSION_PATH,
  STREAM,
  streamQuery,
  type StreamRequest,
} from "./addresses.ts";
export { LONGEST_MANIFEST, PLAN, type Picture, type PictureGroup } from "./picture.ts";
