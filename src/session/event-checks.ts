import {
  anything,
  type Check,
  either,
  isCount,
  isFlag,
  isNumber,
  isText,
  listOf,
  oneOf,
  optional,
  shape,
  variants,
} from './checks.ts';
import type {
  CompactionPatch,
  NoticeEvent,
  SessionEvent,
  TerminalPatch,
  TerminalReport,
  ToolPatch,
} from './events.ts';
import type { Choice, Elicitation, Field, FieldOf, Form, TextFormat } from './form.ts';
import type {
  AgentIdentity,
  AuthMethod,
  CompactionStatus,
  Diff,
  Location,
  PlanItem,
  Question,
  QuestionOption,
  Role,
  Severity,
  TerminalExit,
  ToolContent,
  ToolKind,
  ToolStatus,
} from './model.ts';

type EventOf<K extends SessionEvent['kind']> = Omit<Extract<SessionEvent, { kind: K }>, 'kind'>;

const isSeverity = oneOf<Severity>({ info: true, warning: true, error: true });
const isToolStatus = oneOf<ToolStatus>({
  pending: true,
  running: true,
  done: true,
  failed: true,
  cancelled: true,
  unreported: true,
});
const isToolKind = oneOf<ToolKind>({
  read: true,
  edit: true,
  delete: true,
  move: true,
  search: true,
  execute: true,
  think: true,
  fetch: true,
  switch_mode: true,
  other: true,
});

const isExit = shape<TerminalExit>({ code: optional(isNumber), signal: optional(isText) });

const isContent = variants<ToolContent>({
  text: shape<{ text: string }>({ text: isText }),
  diff: shape<Omit<Diff, 'kind'>>({
    path: isText,
    oldText: optional(isText),
    newText: isText,
    isWhole: optional(isFlag),
  }),
  terminal: shape<{ terminalId: string }>({ terminalId: isText }),
  other: shape<{ label: string }>({ label: isText }),
});

const isPlanItem = shape<PlanItem>({
  text: isText,
  status: oneOf<PlanItem['status']>({ pending: true, running: true, done: true }),
});

const isTool = shape<ToolPatch>({
  toolCallId: isText,
  title: optional(isText),
  toolKind: optional(isToolKind),
  status: optional(isToolStatus),
  content: optional(listOf(isContent)),
  terminals: optional(
    listOf(shape<TerminalPatch>({ terminalId: isText, output: optional(isText), exit: optional(isExit) })),
  ),
  locations: optional(listOf(shape<Location>({ path: isText, line: optional(isNumber) }))),
  rawInput: anything,
  rawOutput: anything,
  isAskedOnly: optional(isFlag),
  todos: optional(listOf(isPlanItem)),
});

const isTerminal = shape<TerminalReport>({
  terminalId: isText,
  command: optional(isText),
  cwd: optional(isText),
  text: optional(isText),
  exit: optional(isExit),
  isPassing: optional(isFlag),
});

const isCompaction = shape<CompactionPatch>({
  compactionId: isText,
  status: optional(
    either(
      oneOf<Extract<CompactionStatus, string>>({ running: true, done: true, failed: true, cancelled: true }),
      shape<{ word: string }>({ word: isText }),
    ),
  ),
  summary: optional(isText),
  error: optional(isText),
  more: optional(isText),
});

const isNotice = shape<Omit<NoticeEvent, 'kind'>>({
  severity: isSeverity,
  title: isText,
  detail: optional(listOf(isText)),
  hint: optional(isText),
  isPassing: optional(isFlag),
});

const methodBase = { id: isText, name: isText, description: optional(isText) };
const isMethod = variants<AuthMethod>({
  agent: shape<{ id: string; name: string; description: string | undefined }>(methodBase),
  terminal: shape<Omit<Extract<AuthMethod, { kind: 'terminal' }>, 'kind'>>({
    ...methodBase,
    // Only an agent that runs can be logged in to, and it tells them anew.
    command: anything,
    isOther: anything,
    env: anything,
  }),
});

const isAgent = shape<AgentIdentity>({
  name: isText,
  title: isText,
  program: optional(isText),
  authMethods: optional(listOf(isMethod)),
  abilities: anything,
});

type FieldFields<K extends Field['kind']> = Omit<FieldOf<K>, 'kind'>;
const fieldBase = { name: isText, title: isText, description: optional(isText), isRequired: isFlag };
const isChoice = shape<Choice>({ value: isText, title: isText, description: optional(isText) });
const isNumberField = shape<FieldFields<'number'>>({
  ...fieldBase,
  minimum: optional(isNumber),
  maximum: optional(isNumber),
  preset: optional(isNumber),
});
const isField = variants<Field>({
  text: shape<FieldFields<'text'>>({
    ...fieldBase,
    minLength: optional(isNumber),
    maxLength: optional(isNumber),
    pattern: optional(isText),
    format: optional(oneOf<TextFormat>({ email: true, uri: true, date: true, 'date-time': true })),
    preset: optional(isText),
  }),
  number: isNumberField,
  integer: isNumberField,
  switch: shape<FieldFields<'switch'>>({ ...fieldBase, preset: optional(isFlag) }),
  choice: shape<FieldFields<'choice'>>({ ...fieldBase, choices: listOf(isChoice), preset: optional(isText) }),
  choices: shape<FieldFields<'choices'>>({
    ...fieldBase,
    choices: listOf(isChoice),
    minItems: optional(isNumber),
    maxItems: optional(isNumber),
    preset: optional(listOf(isText)),
  }),
  unknown: shape<FieldFields<'unknown'>>({ ...fieldBase, type: isText }),
});

const isElicitation = variants<Elicitation>({
  form: shape<{ message: string; form: Form }>({
    message: isText,
    form: shape<Form>({ title: optional(isText), description: optional(isText), fields: listOf(isField) }),
  }),
  page: shape<{ message: string; url: string; pageId: string }>({
    message: isText,
    url: isText,
    pageId: isText,
  }),
});

const isOption = shape<QuestionOption>({
  id: isText,
  name: isText,
  kind: oneOf<QuestionOption['kind']>({
    allow_once: true,
    allow_always: true,
    reject_once: true,
    reject_always: true,
    other: true,
  }),
});

const isQuestion = shape<Question>({
  id: isCount,
  toolCallId: optional(isText),
  options: listOf(isOption),
  elicitation: optional(isElicitation),
  isOurs: optional(isFlag),
});

/** What may stand in a transcript, by kind; `false`: it says how a session stood then, and is not kept. */
export const eventChecks: { readonly [K in SessionEvent['kind']]: Check | false } = {
  commands: false,
  settings: false,
  setting: false,
  mode: false,
  usage: false,
  nothing: false,
  // What is filled into a form is for the agent alone.
  form_filled: false,
  chunk: shape<EventOf<'chunk'>>({
    role: oneOf<Role>({ user: true, agent: true, thought: true }),
    text: isText,
    messageId: optional(isText),
    isWhole: optional(isFlag),
  }),
  tool: shape<EventOf<'tool'>>({ patch: isTool }),
  plan: shape<EventOf<'plan'>>({
    items: listOf(isPlanItem),
    text: optional(isText),
    planId: optional(isText),
  }),
  compaction: shape<EventOf<'compaction'>>({ patch: isCompaction }),
  title: shape<EventOf<'title'>>({ title: optional(isText) }),
  notice: isNotice,
  page_done: shape<EventOf<'page_done'>>({ pageId: isText }),
  unknown: shape<EventOf<'unknown'>>({ name: isText, raw: anything }),
  terminal: shape<EventOf<'terminal'>>({ patch: isTerminal }),
  agent_starting: anything,
  agent_known: shape<EventOf<'agent_known'>>({ agent: isAgent }),
  agent_ready: shape<EventOf<'agent_ready'>>({ agent: isAgent }),
  session_opened: shape<EventOf<'session_opened'>>({ sessionId: isText, agent: isText, cwd: isText }),
  replay_started: anything,
  login_needed: shape<EventOf<'login_needed'>>({ agent: isAgent, notice: isNotice }),
  agent_gone: shape<EventOf<'agent_gone'>>({ notice: optional(isNotice) }),
  prompt_queued: shape<EventOf<'prompt_queued'>>({ text: isText }),
  queue_cleared: anything,
  turn_started: shape<EventOf<'turn_started'>>({ text: isText }),
  cancel_requested: anything,
  turn_ended: shape<EventOf<'turn_ended'>>({ stopReason: isText }),
  question_asked: shape<EventOf<'question_asked'>>({ question: isQuestion }),
  question_settled: shape<EventOf<'question_settled'>>({
    questionId: isCount,
    answer: isText,
    isAwaited: optional(isFlag),
    optionId: optional(isText),
  }),
};
