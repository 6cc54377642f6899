import { asRecord } from './fields.ts';

/** How many tokens a turn took, as the answer to its prompt reports it. */
export function decodeTurnTokens(answer: unknown): number | undefined {
  const { usage, _meta } = asRecord(answer);
  const { totalTokens, inputTokens, outputTokens } = asRecord(usage);
  const count = asRecord(asRecord(asRecord(_meta).quota).token_count);
  return (
    positive(totalTokens) ??
    positive(sum(inputTokens, outputTokens)) ??
    positive(sum(count.input_tokens, count.output_tokens))
  );
}

function sum(one: unknown, other: unknown): number {
  return (positive(one) ?? 0) + (positive(other) ?? 0);
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}
