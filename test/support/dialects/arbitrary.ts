import { fc } from '../property.ts';
import { extensions, notifications, requests, results } from './canonical-messages.ts';
import { answer, type Wire } from './dialect-harness.ts';
import { foreignMessages } from './foreign-messages.ts';

export const words = [
  'allow',
  'allow_once',
  'always',
  'deny',
  'no',
  'Allow Once',
  'done',
  'completed',
  'running',
  'message',
];
const names = [
  'sessionId',
  'session_id',
  'update',
  'type',
  'content',
  'toolCall',
  'plan',
  'steps',
  'status',
  'params',
];
const more = [
  'options',
  'id',
  'kind',
  'label',
  'title',
  'description',
  'permissionId',
  'env',
  'locations',
  'uri',
];
const odd = [
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  '_meta',
  'result',
  'error',
  'method',
  'file_path',
];
const key = fc.constantFrom(...names, ...more, ...odd);

export const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<unknown>(...words, null, '', 0, -1, true, [], {}, { toString: 5, valueOf: 5 }),
    fc.string({ maxLength: 5 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  ),
}));

/** At least one message of every kind. */
export const known: readonly Wire[] = [
  ...notifications,
  ...requests,
  ...extensions,
  ...foreignMessages,
  ...results.map(([method, result]) => answer(method, result)),
];

/** A message of a known kind with a field or two replaced, removed or added somewhere in it. */
export const mutationOf = (...known: readonly Wire[]) =>
  fc
    .tuple(fc.constantFrom(...known), fc.array(fc.tuple(fc.nat(), key, fc.option(value)), { maxLength: 3 }))
    .map(([message, changes]) =>
      JSON.parse(JSON.stringify(changes.reduce<unknown>(change, structuredClone(message)))),
    );

function change(message: unknown, [place, name, given]: [number, string, unknown]): unknown {
  const replacement: unknown = structuredClone(given);
  const places = [...holdersIn(message)];
  const holder = places[place % Math.max(places.length, 1)];
  if (!holder) return replacement;
  const names = Object.keys(holder);
  const target = place % 3 === 0 ? name : (names[place % Math.max(names.length, 1)] ?? name);
  if (replacement === null) Reflect.deleteProperty(holder, target);
  else Object.defineProperty(holder, target, { value: replacement, enumerable: true, configurable: true });
  return message;
}

export function* holdersIn(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const field of Object.values(value)) yield* holdersIn(field);
}
