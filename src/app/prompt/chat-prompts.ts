import path from 'node:path';
import { isSendable, newPromptId, type Prompt, type WaitingPrompt } from '../../model/prompt.ts';
import { isBusy } from '../../model/session.ts';
import type { AgentSpec } from '../../ports/agent.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import type { Log } from '../../ports/log.ts';
import type { HostOptions } from '../../ports/options.ts';
import type { PromptSources } from '../../ports/prompt-sources.ts';
import { HistoryFile } from '../../prompt/history-file.ts';
import { findMentionMarks } from '../../prompt/mention-marks.ts';
import type { AttachmentFiles } from '../../session/journal/attachment-files.ts';
import type { Session } from '../../session/session.ts';
import { ChatHistory } from './chat-history.ts';
import { chatSources, type SharedPromptSources } from './chat-sources.ts';
import { PromptCompletion } from './completions.ts';
import { type PastedPictures, picturesFolder } from './pasted-pictures.ts';
import { PromptSender } from './prompt-sender.ts';
import { promptState } from './prompt-state.ts';
import { QueueActions } from './queue-actions.ts';

export interface ChatPromptPorts {
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
  readonly promptSources: SharedPromptSources;
  readonly clipboard?: Pick<PastedPictures, 'paste'>;
  readonly options: { get(): Pick<HostOptions, 'hasHistory'> };
}

interface PromptContext {
  readonly chat: number;
  readonly spec: AgentSpec;
  readonly session: Session;
  readonly journal: string;
  readonly attachments: AttachmentFiles;
  /** A prompt was not sent: it goes back to the prompt buffer. */
  giveBack(prompt: WaitingPrompt): void;
  /** The prompts with these ids were removed from the queue. */
  removed(ids: readonly string[]): void;
}

/** What the user does in the prompt of a chat: writing, completing, sending, walking through earlier prompts. */
export class ChatPrompts {
  readonly history: ChatHistory;
  readonly completion: PromptCompletion;
  readonly queue: QueueActions;
  private readonly context: PromptContext;
  private readonly ports: ChatPromptPorts;
  private readonly sources: PromptSources;
  private readonly sender: PromptSender;
  private isEnded = false;
  private sentState: string | undefined;

  constructor(context: PromptContext, ports: ChatPromptPorts) {
    this.context = context;
    this.ports = ports;
    this.sources = this.createSources();
    this.sender = new PromptSender(this.sources, {
      accept: (prompt, isSteering) => this.accept(prompt, isSteering),
      giveBack: (prompt) => context.giveBack(prompt),
      notify: (notice) => context.session.notify(notice),
    });
    this.history = this.createHistory();
    this.completion = this.createCompletion();
    this.queue = new QueueActions(context.session, ports.editor, {
      added: (text) => this.history.remember(text),
      removed: (ids) => context.removed(ids),
    });
  }

  /** `isSteering`: sends it into the running turn, if the agent can take it. */
  send(prompt: WaitingPrompt, isSteering = false): Promise<void> {
    return this.sender.send(prompt, isSteering);
  }

  /** Finds what the mentions of a text refer to. */
  resolve(text: string): Promise<Prompt> {
    return this.sender.resolve(text);
  }

  /** Tells Neovim what the prompt has to show, if it does not know that. */
  sendState(isAgain = false): void {
    if (this.isEnded) return;
    const state = promptState(this.context.session.state);
    const written = JSON.stringify(state);
    if (written === this.sentState && !isAgain) return;
    this.sentState = written;
    this.ports.editor.send('prompt.state', { chat: this.context.chat, ...state });
  }

  /** The mentions of a prompt are being looked up. */
  get isSending(): boolean {
    return this.sender.isBusy;
  }

  /** Gives the prompts back whose mentions are being looked up. */
  cancel(): void {
    this.sender.cancel();
  }

  /** The last prompt in the transcript, also one that went into a running turn. */
  get last(): string | undefined {
    const last = this.context.session.state.entries.findLast(
      (entry) => entry.kind === 'message' && entry.role === 'user',
    );
    return last?.kind === 'message' ? last.text.toString() : undefined;
  }

  /** Sends the last prompt again. What it mentions is looked up again. */
  async retry(): Promise<void> {
    const { editor } = this.ports;
    const { state } = this.context.session;
    const text = this.last;
    if (isBusy(state) || state.queue.some(isSendable)) {
      editor.notify('warn', 'the agent is still working on a prompt; :AcpCancel stops it');
    } else if (text === undefined) editor.notify('warn', 'there is no prompt to send again');
    // The last prompt may be in the queue: it was not sent, or the agent wants a login.
    else if (!this.context.session.sendNow(text)) await this.sender.send({ id: newPromptId(), text });
  }

  /** Finds the mentions in a text that the user is writing, so that Neovim can highlight them. */
  async findMentions(text: string, place: { readonly buf: number; readonly tick: number }): Promise<void> {
    const marks = await findMentionMarks(text, this.sources);
    const { chat } = this.context;
    if (!this.isEnded) this.ports.editor.send('mentions.found', { chat, ...place, marks });
  }

  /** Puts a mention of the picture in the clipboard into the prompt. */
  async pastePicture(): Promise<void> {
    await this.ports.clipboard?.paste(this.context.chat, this.pictures);
  }

  /** Nothing is sent or shown afterwards. */
  dispose(): void {
    this.isEnded = true;
  }

  private get pictures(): string {
    return picturesFolder(this.context.journal);
  }

  // The journal has the prompt before Neovim removes it from the prompt buffer.
  private accept(prompt: Prompt, isSteering: boolean): void {
    if (this.isEnded) return;
    const { chat, session } = this.context;
    if (isSteering) session.steer(prompt);
    else session.send(prompt);
    this.history.remember(prompt.text);
    this.ports.editor.send('prompt.accepted', { chat, id: prompt.id, text: prompt.text });
  }

  private createSources(): PromptSources {
    const { chat, spec, attachments } = this.context;
    const { cwd, directories = [] } = spec;
    const place = { chat, cwd, directories, copies: attachments, pictures: this.pictures };
    return chatSources(this.ports.promptSources, place);
  }

  private createHistory(): ChatHistory {
    const { chat, spec, journal } = this.context;
    const { editor, clock, log, options } = this.ports;
    const folder = path.join(path.dirname(journal), 'history');
    const file = new HistoryFile(folder, spec.cwd, log);
    const { isPrivate } = this.context.session.state;
    return new ChatHistory(chat, file, { editor, clock, isPrivate, options: () => options.get() });
  }

  private createCompletion(): PromptCompletion {
    const { cwd, roots } = this.sources;
    const { chat, attachments, session } = this.context;
    const { index, hostContext } = this.ports.promptSources;
    return new PromptCompletion(index, this.ports.clock, {
      cwd,
      roots: [...new Set(roots)],
      commands: () => session.state.commands,
      conversationNames: () => hostContext.conversationNames({ chat, attachments: attachments.folder }),
    });
  }
}
