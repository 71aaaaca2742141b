import { deepFreeze } from "@capstan/api";
import { parseJson, shareText } from "../json.ts";
import type { StoredObject } from "./storage.ts";

/** An object that was found on disk and that nobody has asked for yet: its text alone. */
export class Unread {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The object. Its text is kept for those who want to send it as it is. */
  read(): StoredObject {
    const object = deepFreeze(parseJson(this.text) as StoredObject);
    shareText(object, this.text);
    return object;
  }

  /** Whether the object can have a field of this name anywhere; false is certain, true is not. */
  mentions(field: string): boolean {
    return this.text.includes(`"${field}"`);
  }
}
