import type { QuestionEntry, ToolEntry } from '../../../model/entries.ts';
import { isOpenCall } from '../../../model/session.ts';
import { indentLines, type Line } from '../../line.ts';
import { isTooLong } from '../body.ts';
import { planTextLines } from '../entries.ts';
import type { ViewContext } from '../view-context.ts';

// Four blanks would make code of it for plugins that draw Markdown.
const indent = 2;

/** The Markdown that a call asks the user to approve as a plan; undefined for every other call. */
export function askedPlan({ toolKind, askedContent, content }: ToolEntry): string | undefined {
  if (toolKind !== 'switch_mode' || askedContent === undefined) return undefined;
  const texts = content.flatMap((item) => (item.kind === 'text' ? [item.text.trim()] : []));
  return texts.join('\n\n') || undefined;
}

/** Whether a call shows its plan until the user closes it: it waits for approval, or was not approved. */
export function opensPlan(tool: ToolEntry): boolean {
  const isOver = tool.status === 'done' || tool.status === 'failed';
  return askedPlan(tool) !== undefined && (tool.isRejected === true || isOpenCall(tool) || !isOver);
}

/** The plan as a part of a call or of its question. `isConcealed`: its markup, which only the chat can do. */
export function planCallLines(plan: string, isConcealed = true): readonly Line[] {
  return indentLines(planTextLines(plan, isConcealed), indent);
}

/** Whether the call above a question shows what it asks about. */
export function isPlanAbove({ tool }: QuestionEntry): boolean {
  return tool !== undefined && !tool.isAskedOnly && opensPlan(tool);
}

/** Whether the chat shows all of the plan that a question asks about. */
export function isPlanWhole({ tool }: QuestionEntry, context: ViewContext): boolean {
  const plan = tool && askedPlan(tool);
  if (!tool || plan === undefined) return true;
  const isClosed = !tool.isAskedOnly && context.isOpen(tool.id);
  return !isClosed && !isTooLong(plan);
}
