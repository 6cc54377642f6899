import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { shorten } from '../base/text.ts';
import { version } from '../base/version.ts';
import type { Traffic } from '../ports/traffic.ts';
import { openRegularFile } from '../system/files/regular-file.ts';
import { redactMessage, redactText } from '../system/redact.ts';
import { type ReportedChat, reportMarkdown } from '../view/export/report.ts';
import type { Chat } from './chat/chat.ts';

const maxMessages = 100;
const maxMessage = 2_000;
const logBytes = 16 * 1024;

/** What Neovim adds to a report. */
export interface NeovimFacts {
  readonly neovim: string;
  readonly log: string;
  readonly options: string;
  readonly health: readonly string[];
}

/** A report about a problem for the user to read and send, without secrets and without the name of the home folder. */
export async function makeReport(
  { neovim, log, options, health }: NeovimFacts,
  chats: readonly Chat[],
): Promise<string> {
  const report = reportMarkdown({
    versions: [
      ['acp.nvim', version],
      ['Neovim', neovim],
      ['Node', process.versions.node],
      ['system', `${os.type()} ${os.release()} ${os.arch()}`],
    ],
    options: redactText(options),
    health: health.map(redactText),
    chats: chats.map(reportedChat),
    log: redactText(await endOf(log)),
  });
  return withoutHome(report, os.homedir());
}

// The home folder of a container may be `/`, which is part of every path.
function withoutHome(report: string, home: string): string {
  return path.dirname(home) === home ? report : report.replaceAll(home, '~');
}

function reportedChat({ session: { state, lastLink } }: Chat): ReportedChat {
  const { agent, phase } = state;
  const { messages, omitted } = lastMessages(lastLink?.agent.traffic);
  return { agent, phase, messages, omitted };
}

function lastMessages(traffic: Traffic | undefined): Pick<ReportedChat, 'messages' | 'omitted'> {
  const entries = traffic?.since(0) ?? [];
  const last = entries.slice(-maxMessages);
  const messages = last.map(({ isOutgoing, message }) => {
    const line = JSON.stringify({ [isOutgoing ? 'client' : 'agent']: redactMessage(message) });
    return shorten(line, maxMessage);
  });
  return { messages, omitted: last[0]?.number ?? 0 };
}

function endOf(file: string): string {
  try {
    const { fd, size } = openRegularFile(file);
    try {
      const from = Math.max(0, size - logBytes);
      const buffer = Buffer.alloc(logBytes);
      const text = buffer.subarray(0, fs.readSync(fd, buffer, 0, logBytes, from)).toString();
      return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return '';
  }
}
