/** The address of a web page, split around its host, with warnings. */
interface PageAddress {
  readonly beforeHost: string;
  readonly host: string;
  readonly afterHost: string;
  readonly warnings: readonly string[];
  /** Only http and https addresses with a host can be opened. */
  readonly canOpen: boolean;
}

export function parsePageAddress(url: string): PageAddress {
  const { protocol, hostname, username, password } = new URL(url);
  const start = url.indexOf('//') === protocol.length ? protocol.length + 2 : url.length;
  const [authority = ''] = url.slice(start).split(/[/?#]/, 1);
  const from = start + authority.lastIndexOf('@') + 1;
  const to = start + authority.length;
  const canOpen = (protocol === 'https:' || protocol === 'http:') && hostname !== '';
  const warnings = [
    !canOpen && `Only http and https addresses can be opened; this one starts with ${protocol}`,
    protocol === 'http:' && 'The connection to this page is not encrypted (http).',
    username + password !== '' && `The text before the @ is not the host; the page is on ${hostname}.`,
    /(^|\.)xn--/i.test(hostname) &&
      'The host name has letters of other scripts (xn--) and may imitate another host.',
  ];
  return {
    beforeHost: url.slice(0, from),
    host: url.slice(from, to),
    afterHost: url.slice(to),
    warnings: warnings.filter((warning) => warning !== false),
    canOpen,
  };
}
