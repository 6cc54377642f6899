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
export const inChat = onChat((host, id) => host.chat(id));

/** An operation on a chat; without one nothing is done. */
export const inOpenChat = onChat((host, id) => host.findChat(id));

function onChat(find: (host: Host, id: number) => Chat | undefined) {
  return <F extends Fields>(
    purpose: string,
    fields: F,
    run: (chat: Chat, payload: ParsedShape<F>) => unknown,
  ): HostOperation => {
    const parse = shape(fields);
    return {
      purpose,
      run: (host, payload, field) => {
        const { chat: id } = chatId(payload, field);
        const parsed = parse(payload, field);
        const chat = find(host, id);
        return chat && run(chat, parsed);
      },
    };
  };
}
