/** The first line of a text that says no more than that a file was changed: "Edit applied successfully." */
const confirmation =
  /^(the )?(file|edit|change|patch|write|content)s?\b.{0,500}\b(success(fully)?|(has|have) been \w+|applied)\b|^(success(fully)?|wrote|updated|created|edited|applied|overwrote|replaced)\b/i;

/** The text of a finished call whose diff is shown, without a first line that the diff makes needless. */
export function withoutConfirmation(text: string): string {
  const [first = '', ...others] = text.trimStart().split('\n');
  return confirmation.test(first) ? others.join('\n').trimStart() : text;
}
