import fs from 'node:fs';

/** Whether a requirement of tests is met. If it is not, the end of the run says that tests were skipped, and why. */
export function isMet(requirement: boolean, reason: string): boolean {
  const file = process.env.ACP_TEST_SKIPPED;
  if (!requirement && file !== undefined) fs.appendFileSync(file, `${reason}\n`);
  return requirement;
}
