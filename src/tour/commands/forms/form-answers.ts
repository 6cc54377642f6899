import type { ElicitationSchema } from '@agentclientprotocol/sdk';

/** The answers to a form as a list, in the words that the user saw. */
export function listAnswers(
  { properties = {} }: ElicitationSchema,
  answers: Readonly<Record<string, unknown>>,
): string {
  const lines = Object.entries(answers).map(([name, answer]) => {
    const title = String(properties[name]?.title ?? name);
    return `- ${title}${title.endsWith('?') ? '' : ':'} ${wordsFor(properties[name], answer)}`;
  });
  return lines.join('\n');
}

function wordsFor(field: object | undefined, answer: unknown): string {
  if (typeof answer === 'boolean') return answer ? 'yes' : 'no';
  const titles = new Map(choicesOf(field).map(({ const: value, title }) => [value, title]));
  const words = (Array.isArray(answer) ? answer : [answer]).map((each) => titles.get(each) ?? String(each));
  return words.join(', ');
}

interface Choice {
  readonly const: unknown;
  readonly title: string;
}

function choicesOf(field: object = {}): readonly Choice[] {
  const { oneOf, items } = field as { oneOf?: readonly Choice[]; items?: { anyOf?: readonly Choice[] } };
  return oneOf ?? items?.anyOf ?? [];
}
