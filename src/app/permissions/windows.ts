import path from 'node:path';
import { allowAllRule } from '../../permissions/allow-all.ts';
import type { RulePolicy } from '../../permissions/policy.ts';
import { parseRule, parseRules } from '../../permissions/rule.ts';
import { hashOf, projectFileName, type RuleBook } from '../../permissions/rule-book.ts';
import type { Editor } from '../../ports/editor.ts';
import { rulesUnreadable } from '../../session/notices.ts';
import {
  allowAllPicker,
  decisionLines,
  lastDecisionLines,
  rulesLines,
  rulesProblem,
  trustPicker,
} from '../../view/permissions.ts';
import type { Chats } from '../chats.ts';
import type { RuleMaking } from './rule-making.ts';
import { trialOf } from './trial.ts';

interface PermissionPorts {
  readonly editor: Editor;
  readonly chats: Pick<Chats, 'get' | 'all'>;
  readonly book: RuleBook;
  readonly policy: RulePolicy;
  readonly ruleMaking: RuleMaking;
}

/** Reports lines of the rules that do not count, and in their chats the files that can't be read. */
export function reportRulesTo(editor: Pick<Editor, 'notify'>, chats: Pick<Chats, 'find'>) {
  return {
    onProblems: (source: string, problems: readonly string[]) =>
      editor.notify('warn', rulesProblem(source, problems)),
    onUnreadable: (chat: number, problems: readonly string[]) =>
      chats.find(chat)?.session.notify(rulesUnreadable(problems)),
  };
}

/** Shows and changes the rules of a chat: `:AcpPermissions` and `:AcpWhy`. */
export class PermissionWindows {
  private readonly ports: PermissionPorts;
  /** The content of each project file that the user was told about. */
  private readonly hinted = new Map<string, string>();

  constructor(ports: PermissionPorts) {
    this.ports = ports;
  }

  /** Lists the rules in the order in which they count. */
  show(chat: number): void {
    const { book, editor } = this.ports;
    const { cwd } = this.placeOf(chat);
    const { rules, problems, project, unreadable } = book.rulesFor(chat, cwd);
    const { allowsAll } = this.ports.chats.get(chat).session.state;
    editor.send('text.show', {
      title: 'permissions',
      lines: rulesLines({ rules, problems, project, unreadable, allowsAll }),
    });
  }

  /** Shows what the rules say about a command, a file, a host or a tool, without doing anything. */
  tryOut(chat: number, what: string): void {
    const { editor, policy } = this.ports;
    const { place, session } = this.ports.chats.get(chat);
    const action = { chat, ...place, ...trialOf(what, place.cwd), allowsAll: session.state.allowsAll };
    const decision = policy.tryOut(action);
    editor.send('text.show', { title: 'permissions: dry run', lines: decisionLines(decision, what) });
  }

  /** Shows why the last request was allowed, asked about or denied. */
  explain(chat: number): void {
    const { editor, policy } = this.ports;
    const decision = policy.lastDecision(chat);
    if (!decision) return editor.notify('info', 'the agent has asked for nothing in this chat yet');
    editor.send('text.show', { title: 'permissions: the last decision', lines: lastDecisionLines(decision) });
  }

  /** Adds a rule for this chat. */
  add(chat: number, text: string): void {
    const { book, editor, policy, ruleMaking } = this.ports;
    const rule = parseRule(text, 'this session');
    if ('problem' in rule) return editor.notify('warn', rule.problem);
    book.addToSession(chat, rule);
    policy.recordChange(this.placeOf(chat), 'rule', [rule.text, 'for this session']);
    editor.notify('info', `for this session: ${rule.text}`);
    if (rule.verdict !== 'ask')
      ruleMaking.listCovered(rule.verdict, [this.ports.chats.get(chat).questions], [rule.text]);
  }

  /** Removes a rule of this chat. */
  remove(chat: number, text: string): void {
    const { book, editor, policy } = this.ports;
    if (!book.removeFromSession(chat, text.trim()))
      return editor.notify('warn', `this session has no rule "${text}"; those in files are edited there`);
    policy.recordChange(this.placeOf(chat), 'end of rule', [text.trim(), 'for this session']);
    editor.notify('info', `no longer for this session: ${text}`);
  }

  /** Says what it means to allow everything, and asks whether the user wants that. */
  confirmAllowAll(chat: number): void {
    const { editor, chats } = this.ports;
    if (chats.get(chat).session.state.allowsAll)
      return editor.notify('info', 'this session allows everything already; :AcpPermissions ask ends it');
    editor.send('picker.open', { chat, ...allowAllPicker(chat) });
  }

  /** Allows everything in this session but what is destructive, unclear or outside of its folders, or ends that. */
  setAllowAll(id: number, isOn: boolean): void {
    const { chats, policy, ruleMaking } = this.ports;
    const { session, questions } = chats.get(id);
    if (session.state.allowsAll === isOn) return;
    session.setAllowAll(isOn);
    policy.recordChange(this.placeOf(id), isOn ? 'allow all' : 'end of allow all', [allowAllRule.text]);
    if (isOn) ruleMaking.listCovered('allow', [questions], [allowAllRule.text]);
  }

  /** Shows the rules of the project and asks whether they shall count. */
  askForTrust(chat: number): void {
    const { book, editor } = this.ports;
    const project = book.projectFile(this.placeOf(chat).cwd);
    if (!project)
      return editor.notify('warn', `there is no ${projectFileName} in the folder of this session`);
    if (project.isTrusted) return editor.notify('info', `the rules of ${project.file} count already`);
    const shown = { file: project.file, lines: project.text.split('\n').map(explainLine) };
    editor.send('picker.open', { chat, ...trustPicker(chat, shown, hashOf(project.text)) });
  }

  async trust(chat: number, hash: string): Promise<void> {
    const { book, editor } = this.ports;
    const { cwd } = this.placeOf(chat);
    const isTrusted = await book.trust(cwd, hash);
    const file = path.join(cwd, projectFileName);
    if (!isTrusted) return editor.notify('warn', `${file} has changed; :AcpPermissions trust shows it again`);
    editor.notify('info', `the rules of ${file} count from now on`);
    this.check(chat);
  }

  /** Says which lines of the rules do not count, and that the file of the project is not trusted: once for each content. */
  check(chat: number): void {
    const { book, editor } = this.ports;
    const { cwd } = this.placeOf(chat);
    // The book reports the lines.
    const { project } = book.rulesFor(chat, cwd);
    if (!project || project.isTrusted || this.hinted.get(project.file) === project.text) return;
    this.hinted.set(project.file, project.text);
    editor.notify('info', `the rules of ${project.file} do not count yet: :AcpPermissions trust shows them`);
  }

  /** Why files with rules can't be read. */
  unreadable(): readonly string[] {
    const { book, chats } = this.ports;
    return [...new Set(chats.all.flatMap(({ place }) => book.unreadableIn(place.cwd)))];
  }

  private placeOf(chat: number) {
    const { cwd, roots, agent } = this.ports.chats.get(chat).place;
    return { chat, cwd, roots, agent };
  }
}

/** The rules that a preset stands for, or why a line is no rule. */
function explainLine(text: string): { readonly text: string; readonly notes: readonly string[] } {
  const { rules, problems } = parseRules(text, '');
  const isPreset = rules.length > 0 && rules[0]!.text !== text.trim();
  return { text, notes: [...(isPreset ? rules.map((rule) => rule.text) : []), ...problems] };
}
