import { number, type Parse, type ParsedShape, shape } from '../base/parse.ts';
import type { Chat } from './chat/chat.ts';
import type { Host } from './host.ts';

/** An operation that Neovim asks the host for. */
export interface HostOperation {
  /** What it does, to end the sentence "could not …". */
  readonly purpose: string;
  /** Throws when a field of the payload is invalid; `field` stands before its name in the message. */
  run(host: Host, payload: unknown, field: string): unknown;
}

const chatId = shape({ chat: number });

type Fields = Readonly<Record<string, Parse<unknown>>>;

/** An operation on the host. */
export function operation<F extends Fields>(
  purpose: string,
  fields: F,
  run: (host: Host, payload: ParsedShape<F>) => unknown,
): HostOperation {
  const parse = shape(fields);
  return { purpose, run: (host, payload, field) => run(host, parse(payload, field)) };
}

/** An operation on a chat; without one it fails. */
export function inChat<F extends Fields>(
  purpose: string,
  fields: F,
  run: (chat: Chat, payload: ParsedShape<F>) => unknown,
): HostOperation {
  const parse = shape(fields);
  return {
    purpose,
    run: (host, payload, field) => {
      const { chat } = chatId(payload, field);
      const parsed = parse(payload, field);
      return run(host.chat(chat), parsed);
    },
  };
}

/** An operation on a chat; without one nothing is done. */
export function inOpenChat<F extends Fields>(
  purpose: string,
  fields: F,
  run: (chat: Chat, payload: ParsedShape<F>) => unknown,
): HostOperation {
  const parse = shape(fields);
  return {
    purpose,
    run: (host, payload, field) => {
      const chat = host.findChat(chatId(payload, field).chat);
      const parsed = parse(payload, field);
      return chat && run(chat, parsed);
    },
  };
}
