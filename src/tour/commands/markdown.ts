import type { TourTurn } from '../turn.ts';

const sample = `# A heading

Text can be **bold**, *italic* or \`code\`, and it can [link](https://agentclientprotocol.com) somewhere.

## Lists

- a point
- another one
  - with a point of its own
1. first
2. second

> A quote stands a little apart.

| command | what it shows     |
|---------|-------------------|
| \`think\` | a folded thought  |
| \`plan\`  | a plan with steps |

### Code

\`\`\`lua
local function greet(name)
  return ('Hello, %s'):format(name)
end
\`\`\`

\`\`\`ts
export function greet(name: string): string {
  return \`Hello, \${name}\`;
}
\`\`\`

\`\`\`c
int main(void) {
  puts("Hello");
  return 0;
}
\`\`\`

---

That was all of it.`;

export function sendMarkdown(turn: TourTurn): Promise<void> {
  return turn.sendMessage(sample);
}
