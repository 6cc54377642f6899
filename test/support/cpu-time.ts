/** The time of the processor that this process has used, in milliseconds. It does not depend on other processes. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
