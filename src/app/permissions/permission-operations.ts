import { boolean, number, oneOf, text } from '../../base/parse.ts';
import { type HostOperation, inChat, operation } from '../host-operation.ts';

/** What Neovim sends about the rules of what agents may do. */
export const permissionOperations: Readonly<Record<string, HostOperation>> = {
  'rule.make': inChat('make a rule', { id: number, revision: number }, (chat, { id, revision }) =>
    chat.questions.makeRule(id, revision),
  ),
  'rule.choose': operation(
    'make a rule',
    { draft: number, candidate: number },
    (host, { draft, candidate }) => host.ruleMaking.choose(draft, candidate),
  ),
  'rule.save': operation(
    'save the rule',
    { draft: number, place: oneOf('session', 'user', 'project') },
    (host, { draft, place }) => host.ruleMaking.save(draft, place),
  ),
  'rule.include': operation('answer the questions by the rule', { list: number }, (host, { list }) =>
    host.ruleMaking.include(list),
  ),
  'permissions.show': operation('show the rules', { chat: number }, (host, { chat }) =>
    host.permissions.show(chat),
  ),
  'permissions.try': operation('try the rules', { chat: number, command: text }, (host, { chat, command }) =>
    host.permissions.tryOut(chat, command),
  ),
  'permissions.remove': operation('remove the rule', { chat: number, rule: text }, (host, { chat, rule }) =>
    host.permissions.remove(chat, rule),
  ),
  'permissions.confirm': operation('allow everything', { chat: number }, (host, { chat }) =>
    host.permissions.confirmAllowAll(chat),
  ),
  'permissions.allow': operation('allow everything', { chat: number, on: boolean }, (host, { chat, on }) =>
    host.permissions.setAllowAll(chat, on),
  ),
  'permissions.add': operation('add the rule', { chat: number, rule: text }, (host, { chat, rule }) =>
    host.permissions.add(chat, rule),
  ),
  'permissions.check': operation('check the rules', { chat: number }, (host, { chat }) =>
    host.permissions.check(chat),
  ),
  'permissions.inspect': operation('show the rules of the project', { chat: number }, (host, { chat }) =>
    host.permissions.askForTrust(chat),
  ),
  'permissions.trust': operation(
    'trust the rules of the project',
    { chat: number, hash: text },
    (host, { chat, hash }) => host.permissions.trust(chat, hash),
  ),
  'permissions.explain': operation('explain the decision', { chat: number }, (host, { chat }) =>
    host.permissions.explain(chat),
  ),
};
