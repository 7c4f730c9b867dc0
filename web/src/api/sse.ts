// Server-sent events as text becomes messages: what `EventSource` does, but over `fetch`, which tells the status of a refusal
// and takes headers.

export interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Takes text in whatever pieces it comes, gives the messages that are whole. */
export class Messages {
  #rest = "";
  #id = "";

  take(text: string): Message[] {
    this.#rest += text;
    const whole: Message[] = [];
    for (;;) {
      const end = /\r\n\r\n|\n\n|\r\r/.exec(this.#rest);
      if (!end) return whole;
      const block = this.#rest.slice(0, end.index);
      this.#rest = this.#rest.slice(end.index + end[0].length);
      const message = this.#read(block);
      if (message) whole.push(message);
    }
  }

  #read(block: string): Message | undefined {
    let event = "message";
    const data: string[] = [];
    for (const line of block.split(/\r\n|\n|\r/)) {
      const colon = line.indexOf(":");
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") event = value;
      if (field === "data") data.push(value);
      if (field === "id") this.#id = value;
    }
    return data.length > 0 ? { id: this.#id, event, data: data.join("\n") } : undefined;
  }
}
