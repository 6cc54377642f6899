import type { AgentIdentity, AuthMethod } from '../../model/agent.ts';
import type {
  CompactionStatus,
  Diff,
  Location,
  PlanItem,
  Question,
  QuestionOption,
  Role,
  Severity,
  Subagent,
  TerminalExit,
  ToolContent,
  ToolKind,
  ToolStatus,
  TurnSummary,
} from '../../model/entries.ts';
import type { Choice, Elicitation, Field, FieldOf, Form, TextFormat } from '../../model/form.ts';
import type {
  Attachment,
  LineRange,
  PictureSize,
  PromptRecord,
  QueuedPromptRecord,
} from '../../model/prompt.ts';
import type {
  CompactionPatch,
  NoticeEvent,
  SessionEvent,
  TerminalPatch,
  TerminalReport,
  ToolPatch,
} from '../../model/session-events.ts';
import {
  anything,
  type Check,
  either,
  isBoolean,
  isCount,
  isNothing,
  isNumber,
  isString,
  listOf,
  oneOf,
  optional,
  shape,
  variants,
} from './checks.ts';

type EventFields<K extends SessionEvent['kind']> = Omit<Extract<SessionEvent, { kind: K }>, 'kind'>;

const isRole = oneOf<Role>({ user: true, agent: true, thought: true });
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

const isExit = shape<TerminalExit>({ code: optional(isNumber), signal: optional(isString) });

const isRange = shape<LineRange>({ first: isCount, last: isCount });
const isPictureSize = shape<PictureSize>({ width: isCount, height: isCount });
const isAttachment = shape<Attachment>({
  kind: oneOf<Attachment['kind']>({
    file: true,
    folder: true,
    image: true,
    audio: true,
    text: true,
    link: true,
  }),
  start: isCount,
  end: isCount,
  uri: isString,
  name: isString,
  mimeType: optional(isString),
  size: optional(isNumber),
  range: optional(isRange),
  pixels: optional(isPictureSize),
  isUnsaved: optional(isBoolean),
  sentAs: optional(oneOf<NonNullable<Attachment['sentAs']>>({ link: true, name: true })),
  // Never written.
  content: isNothing,
  copy: optional(isString),
});

const isContent = variants<ToolContent>({
  text: shape<{ text: string }>({ text: isString }),
  diff: shape<Omit<Diff, 'kind'>>({
    path: isString,
    oldText: optional(isString),
    newText: isString,
    replacesFile: optional(isBoolean),
    // Never written.
    omitted: isNothing,
  }),
  terminal: shape<{ terminalId: string }>({ terminalId: isString }),
  attachment: shape<{ attachment: Attachment }>({ attachment: isAttachment }),
  other: shape<{ label: string }>({ label: isString }),
});

const isPlanItem = shape<PlanItem>({
  text: isString,
  status: oneOf<PlanItem['status']>({ pending: true, running: true, done: true }),
});

const isTool = shape<ToolPatch>({
  toolCallId: isString,
  title: optional(isString),
  toolNames: optional(listOf(isString)),
  toolKind: optional(isToolKind),
  status: optional(isToolStatus),
  content: optional(listOf(isContent)),
  terminals: optional(
    listOf(
      shape<TerminalPatch>({ terminalId: isString, output: optional(isString), exit: optional(isExit) }),
    ),
  ),
  locations: optional(listOf(shape<Location>({ path: isString, line: optional(isNumber) }))),
  rawInput: anything,
  rawOutput: anything,
  isAskedOnly: optional(isBoolean),
  todos: optional(listOf(isPlanItem)),
  parent: optional(isString),
  subagent: optional(shape<Subagent>({ sessionId: isString, canCancel: isBoolean })),
});

const isTerminal = shape<TerminalReport>({
  terminalId: isString,
  command: optional(isString),
  cwd: optional(isString),
  text: optional(isString),
  exit: optional(isExit),
  isNotJournaled: optional(isBoolean),
});

const isCompaction = shape<CompactionPatch>({
  compactionId: isString,
  status: optional(
    either(
      oneOf<Extract<CompactionStatus, string>>({ running: true, done: true, failed: true, cancelled: true }),
      shape<{ word: string }>({ word: isString }),
    ),
  ),
  summary: optional(isString),
  error: optional(isString),
  more: optional(isString),
});

const isNotice = shape<Omit<NoticeEvent, 'kind'>>({
  severity: isSeverity,
  title: isString,
  detail: optional(listOf(isString)),
  hint: optional(isString),
  isNotJournaled: optional(isBoolean),
  isAboutLogin: optional(isBoolean),
});

const promptFields = { id: optional(isString), text: isString, attachments: optional(listOf(isAttachment)) };
const isPromptRecord = shape<PromptRecord>(promptFields);
const isQueuedPrompt = shape<QueuedPromptRecord>({
  ...promptFields,
  isHeld: optional(isBoolean),
  isUnresolved: optional(isBoolean),
  isOffered: optional(isBoolean),
  isShown: optional(isBoolean),
});

const methodBase = { id: isString, name: isString, description: optional(isString) };
const isMethod = variants<AuthMethod>({
  agent: shape<{ id: string; name: string; description: string | undefined }>(methodBase),
  terminal: shape<Omit<Extract<AuthMethod, { kind: 'terminal' }>, 'kind'>>({
    ...methodBase,
    // Not checked: a login needs a running agent, which sends its methods again.
    command: anything,
    isOther: anything,
    env: anything,
  }),
});

const isAgent = shape<AgentIdentity>({
  name: isString,
  title: isString,
  program: optional(isString),
  version: optional(isString),
  authMethods: optional(listOf(isMethod)),
  capabilities: anything,
});

type FieldFields<K extends Field['kind']> = Omit<FieldOf<K>, 'kind'>;
const fieldBase = { name: isString, title: isString, description: optional(isString), isRequired: isBoolean };
const isChoice = shape<Choice>({ value: isString, title: isString, description: optional(isString) });
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
    pattern: optional(isString),
    format: optional(oneOf<TextFormat>({ email: true, uri: true, date: true, 'date-time': true })),
    preset: optional(isString),
  }),
  number: isNumberField,
  integer: isNumberField,
  switch: shape<FieldFields<'switch'>>({ ...fieldBase, preset: optional(isBoolean) }),
  choice: shape<FieldFields<'choice'>>({
    ...fieldBase,
    choices: listOf(isChoice),
    preset: optional(isString),
  }),
  choices: shape<FieldFields<'choices'>>({
    ...fieldBase,
    choices: listOf(isChoice),
    minItems: optional(isNumber),
    maxItems: optional(isNumber),
    preset: optional(listOf(isString)),
  }),
  unknown: shape<FieldFields<'unknown'>>({ ...fieldBase, type: isString }),
});

const isElicitation = variants<Elicitation>({
  form: shape<{ message: string; form: Form }>({
    message: isString,
    form: shape<Form>({
      title: optional(isString),
      description: optional(isString),
      fields: listOf(isField),
    }),
  }),
  page: shape<{ message: string; url: string; pageId: string }>({
    message: isString,
    url: isString,
    pageId: isString,
  }),
});

const isOption = shape<QuestionOption>({
  id: isString,
  name: isString,
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
  toolCallId: optional(isString),
  options: listOf(isOption),
  elicitation: optional(isElicitation),
  isOurs: optional(isBoolean),
});

/** The check of each kind of event. `false`: the event is not written to the journal. */
export const eventChecks: { readonly [K in SessionEvent['kind']]: Check | false } = {
  commands: false,
  settings: false,
  setting: false,
  mode: false,
  usage: false,
  turn_tokens: false,
  suggestions: false,
  nothing: false,
  bodies_cut: false,
  body_read: false,
  // It ends with the session.
  allow_all: false,
  // Answers to forms may be private, so they are not written.
  form_filled: false,
  chunk: shape<EventFields<'chunk'>>({
    role: isRole,
    text: isString,
    messageId: optional(isString),
    isCompleteMessage: optional(isBoolean),
  }),
  attachment: shape<EventFields<'attachment'>>({ role: isRole, attachment: isAttachment }),
  tool: shape<EventFields<'tool'>>({ patch: isTool }),
  plan: shape<EventFields<'plan'>>({
    items: listOf(isPlanItem),
    text: optional(isString),
    planId: optional(isString),
  }),
  compaction: shape<EventFields<'compaction'>>({ patch: isCompaction }),
  title: shape<EventFields<'title'>>({ title: optional(isString), isChosen: optional(isBoolean) }),
  notice: isNotice,
  page_done: shape<EventFields<'page_done'>>({ pageId: isString }),
  unknown: shape<EventFields<'unknown'>>({ name: isString, raw: anything }),
  terminal: shape<EventFields<'terminal'>>({ patch: isTerminal }),
  agent_starting: anything,
  agent_known: shape<EventFields<'agent_known'>>({ agent: isAgent }),
  agent_ready: shape<EventFields<'agent_ready'>>({ agent: isAgent }),
  session_opened: shape<EventFields<'session_opened'>>({
    sessionId: isString,
    agent: isString,
    cwd: isString,
  }),
  replay_started: anything,
  login_needed: shape<EventFields<'login_needed'>>({ agent: isAgent, notice: isNotice }),
  agent_gone: shape<EventFields<'agent_gone'>>({
    notice: optional(isNotice),
    isIdle: optional(isBoolean),
  }),
  prompt_queued: isQueuedPrompt,
  queue_changed: shape<EventFields<'queue_changed'>>({ prompts: listOf(isQueuedPrompt) }),
  prompt_injected: isPromptRecord,
  queue_cleared: anything,
  turn_started: shape<EventFields<'turn_started'>>({
    ...promptFields,
    isShown: optional(isBoolean),
    isUnsent: optional(isBoolean),
  }),
  prompt_sent: anything,
  cancel_requested: anything,
  turn_ended: shape<EventFields<'turn_ended'>>({ stopReason: isString }),
  turn_summary: shape<EventFields<'turn_summary'>>({
    summary: shape<TurnSummary>({
      ms: isNumber,
      files: isCount,
      added: isCount,
      removed: isCount,
      cost: optional(shape<NonNullable<TurnSummary['cost']>>({ amount: isNumber, currency: isString })),
      tokens: optional(isNumber),
      isUnfinished: optional(isBoolean),
    }),
    isLate: optional(isBoolean),
  }),
  call_decided: shape<EventFields<'call_decided'>>({
    toolCallId: isString,
    verdict: oneOf<'allow' | 'deny'>({ allow: true, deny: true }),
    reason: isString,
  }),
  question_asked: shape<EventFields<'question_asked'>>({ question: isQuestion }),
  question_settled: shape<EventFields<'question_settled'>>({
    questionId: isCount,
    answer: isString,
    isAwaited: optional(isBoolean),
    optionId: optional(isString),
    optionIndex: optional(isCount),
  }),
};
