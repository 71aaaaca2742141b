import { storms } from "./storm.ts";

storms("storm-too.deep.ts", { from: 3001, count: 1000 });
