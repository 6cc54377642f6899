/** How much a prompt may carry. More is linked instead of sent, or cut if there is nothing to link to. */
export const limits = {
  /** Of one text, in bytes. */
  text: 256 * 1024,
  /** Of all texts of a prompt. */
  allText: 1024 * 1024,
  /** Of one picture or sound, in bytes. */
  media: 5 * 1024 * 1024,
  allMedia: 20 * 1024 * 1024,
  mentions: 1_000,
};
