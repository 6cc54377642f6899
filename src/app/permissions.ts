import path from 'node:path';
import type { RulePolicy } from '../permissions/policy.ts';
import { parseRule } from '../permissions/rule.ts';
import { hashOf, projectFileName, type RuleBook } from '../permissions/rule-book.ts';
import type { Editor } from '../ports/editor.ts';
import { decisionLines, rulesLines, trustPicker } from '../view/permissions.ts';
import type { Chats } from './chats.ts';

interface PermissionPorts {
  readonly editor: Editor;
  readonly chats: Pick<Chats, 'get'>;
  readonly book: RuleBook;
  readonly policy: RulePolicy;
}

/** Shows and changes the rules of a chat: `:AcpPermissions` and `:AcpWhy`. */
export class PermissionWindows {
  private readonly ports: PermissionPorts;

  constructor(ports: PermissionPorts) {
    this.ports = ports;
  }

  /** Lists the rules in the order in which they count. */
  show(chat: number): void {
    const { book, editor } = this.ports;
    const { cwd } = this.placeOf(chat);
    const { rules, problems } = book.rulesFor(chat, cwd);
    editor.send('text.show', {
      title: 'permissions',
      lines: rulesLines({ rules, problems, project: book.projectFile(cwd), projectFileName }),
    });
  }

  /** Shows what the rules say about a command, without running it. */
  tryOut(chat: number, command: string): void {
    const { editor, policy } = this.ports;
    const action = {
      ...this.placeOf(chat),
      kind: 'execute',
      commands: [command],
      paths: [],
      urls: [],
    } as const;
    const decision = policy.tryOut(action);
    editor.send('text.show', { title: 'permissions: dry run', lines: decisionLines(decision, command) });
  }

  /** Shows why the last request was allowed, asked about or denied. */
  explain(chat: number): void {
    const { editor, policy } = this.ports;
    const decision = policy.lastDecision(chat);
    if (!decision) return editor.notify('info', 'the agent has asked for nothing in this chat yet');
    editor.send('text.show', {
      title: 'permissions: the last decision',
      lines: [decision.verdict, ...decision.reasons],
    });
  }

  /** Adds a rule for this chat. */
  add(chat: number, text: string): void {
    const { book, editor } = this.ports;
    const rule = parseRule(text, 'this session');
    if ('problem' in rule) return editor.notify('warn', rule.problem);
    book.addToSession(chat, rule);
    editor.notify('info', `for this session: ${rule.text}`);
  }

  /** Shows the rules of the project and asks whether they shall count. */
  askForTrust(chat: number): void {
    const { book, editor } = this.ports;
    const project = book.projectFile(this.placeOf(chat).cwd);
    if (!project)
      return editor.notify('warn', `there is no ${projectFileName} in the folder of this session`);
    if (project.isTrusted) return editor.notify('info', `the rules of ${project.file} count already`);
    editor.send('picker.open', { chat, ...trustPicker(chat, project, hashOf(project.text)) });
  }

  async trust(chat: number, hash: string): Promise<void> {
    const { book, editor } = this.ports;
    const { cwd } = this.placeOf(chat);
    const isTrusted = await book.trust(cwd, hash);
    const file = path.join(cwd, projectFileName);
    if (isTrusted) editor.notify('info', `the rules of ${file} count from now on`);
    else editor.notify('warn', `${file} has changed; :AcpPermissions trust shows it again`);
  }

  private placeOf(chat: number) {
    const { cwd, roots, agent } = this.ports.chats.get(chat).place;
    return { chat, cwd, roots, agent };
  }
}
