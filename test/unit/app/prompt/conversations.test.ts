import { describe, expect, it } from 'vitest';
import {
  findConversation,
  mentionableLabels,
  type OpenConversation,
  openConversations,
} from '../../../../src/app/prompt/conversations.ts';
import { completePrompt } from '../../../../src/prompt/completion.ts';
import { findMentions } from '../../../../src/prompt/mentions.ts';

interface Names {
  readonly agent?: string;
  readonly title?: string;
  readonly firstPrompt?: string;
}

function conversations(all: readonly Names[]) {
  const chats = all.map(({ agent = 'tour', title, firstPrompt }, index): OpenConversation => {
    const summary = { chat: index, agent, title, firstPrompt, cwd: '/w', shownIds: [] };
    return {
      id: index,
      session: { state: { entries: [] } },
      summary: () => summary as unknown as ReturnType<OpenConversation['summary']>,
    };
  });
  return openConversations(chats, -1);
}

/** What completion writes for each label, as the resolver reads it. */
async function mentioned(labels: readonly string[]): Promise<readonly (string | undefined)[]> {
  const { items } = await completePrompt(
    { text: '@chat:', column: 6 },
    {
      commands: [],
      searchFiles: async () => [],
      listFolder: async () => [],
      listArguments: async () => labels.map((value) => ({ value })),
    },
  );
  return items.map(({ text }) => {
    const [mention] = findMentions(text);
    return mention?.target.kind === 'named' ? mention.target.argument : undefined;
  });
}

describe('what completion offers for @chat', () => {
  it.each([
    ['a title', { title: 'Fix the login' }, 'Fix the login'],
    ['a title with quotes', { title: 'Rename "a" to "b"' }, "Rename 'a' to 'b'"],
    ['a title with control characters', { title: 'One\u0007\ttwo' }, 'One two'],
    ['a title that ends a sentence', { title: 'Why is it red?' }, 'Why is it red?'],
    ['the first line of the first prompt', { firstPrompt: 'hello\nand more' }, 'hello'],
    ['the beginning of a long prompt', { firstPrompt: 'word '.repeat(100) }, `${'word '.repeat(16).trim()}`],
    ['the agent of an empty chat', { agent: 'claude' }, 'claude'],
  ])('is %s, and the resolver finds that chat by it', async (_, names, label) => {
    const all = conversations([{ title: 'Something else' }, names]);
    const labels = mentionableLabels(all, []);
    expect(labels).toEqual(['Something else', label]);
    expect((await mentioned(labels)).map((words) => findConversation(words ?? '', all))).toEqual(all);
  });

  it('leaves out a chat that another one hides', () => {
    const open = conversations([{ title: 'Fix the login and the logout' }]);
    const kept = conversations([{ title: 'Fix the login' }, { title: 'Docs' }]);
    expect(findConversation('fix the login', open)).toBe(open[0]);
    expect(mentionableLabels(open, kept)).toEqual(['Fix the login and the logout', 'Docs']);
  });
});
